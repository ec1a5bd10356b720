"""Where a command runs: its folder, environment, input and output.

A command uses these instead of the process's own, so that one process can run the commands of many clients.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from vault_mem.cli.look import painted, wrapped
from vault_mem.cli.screen import NotWritten, wants_colour
from vault_mem.errors import InvalidInput
from vault_mem.visible import linked, shows_links, tag, visible

if TYPE_CHECKING:
    from vault_mem.library import Vault
    from vault_mem.operations.workspace import Workspace

NARROWEST = 20
_TO_LINE_END = "\x1b[K"
_ID = re.compile(r"\b(?:mem|ep)_[0-9a-f]{12}\b")


@dataclass
class Console:
    """One command's surroundings."""

    cwd: Path
    env: Mapping[str, str]
    stdin: BinaryIO
    stdout: TextIO
    stderr: TextIO
    width: int = 80
    interactive: bool = False  # stderr is a terminal
    terminal: bool = False  # stdout is a terminal, so the answer is wrapped
    colour: bool = False
    shows_links: bool = False  # the output is a terminal in which a link can be clicked
    address: Callable[[str], str] | None = None  # the URL that opens a memory
    vault: str | None = None
    vaults: list[str] = field(default_factory=list)  # all that were named; the first is the nearest
    json: bool = False
    for_tool: bool = False
    public: bool = False  # private memories do not exist for this command
    scaffold: bool | None = None
    verbose: int = 0
    request: str = ""  # identifies this call, to find out what it wrote if its answer gets lost
    opening: Callable[[Console, str], Vault] | None = None  # gives the vault if the daemon has it open
    lending: Callable[[Console, Path], Workspace] | None = None  # the same for other vaults
    opened: list[Vault] = field(default_factory=list)  # by this command itself
    cancelled: Callable[[], bool] = lambda: False
    broken_off: bool = False  # the command was interrupted, or failed unexpectedly
    _progress: object = field(default=None, repr=False)  # the progress bar that is shown

    @staticmethod
    def of_process() -> Console:
        """The surroundings of this process."""
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(encoding="utf-8", errors="replace")
        try:
            here = Path.cwd()
        except OSError:  # the folder was deleted
            here = Path(os.environ.get("PWD", os.sep))
        return Console(
            cwd=here,
            env=os.environ,
            stdin=sys.stdin.buffer,
            stdout=sys.stdout,
            stderr=sys.stderr,
            width=shutil.get_terminal_size().columns,
            interactive=sys.stderr.isatty(),
            terminal=sys.stdout.isatty(),
            colour=wants_colour(),
            shows_links=sys.stdout.isatty() and shows_links(os.environ),
        )

    def path(self, named: str) -> Path:
        """The path of a file or folder that the user named."""
        from vault_mem.vault.find import expanded

        return self.cwd / expanded(named, self.env)

    def check(self) -> None:
        """Stop here if the caller no longer wants the answer."""
        if self.cancelled():
            raise KeyboardInterrupt

    def print(self, text: str, *, as_is: bool = False) -> None:
        """Print a line of the answer, with control characters made visible; on a terminal, wrapped and in colour."""
        self.check()
        text = visible(text)
        if self.terminal and not (as_is or self.json or self.for_tool):
            text = wrapped(text, max(self.width, NARROWEST))
            text = painted(text) if self.colour else text
        if self.shows_links and self.address is not None and not self.json and not self.for_tool:
            text = _ID.sub(lambda found: self._linked(found.group()), text)
        try:
            self.stdout.write(text + "\n")
        except BrokenPipeError:
            raise
        except OSError as error:
            raise NotWritten(error.strerror) from error

    def _linked(self, id_: str) -> str:
        url = self.address(id_) if self.address else ""
        return linked(id_, url) if url else id_

    def print_json(self, value: Any) -> None:
        """Print the answer as one JSON document."""
        self.print(json.dumps(value, ensure_ascii=False, indent=2, default=str))

    def answer(self, document: dict[str, Any], text: str, *, as_is: bool = False) -> None:
        """Print the answer, as JSON or as text. A tool gets both, and the tag that marks memories in the text."""
        if self.for_tool:
            from vault_mem.cli.lean import without_filler

            # even if the caller has stopped listening: the command may have saved something
            self.cancelled = lambda: False
            self.print_json({"data": without_filler(document), "text": visible(text), "tag": tag()})
        elif self.json:
            self.print_json(document)
        else:
            self.print(text, as_is=as_is)

    def tokens(self, document: Callable[[], dict[str, Any]], text: str) -> int:
        """How many tokens an answer takes as it would be printed; of the two that a tool gets, the longer counts."""
        from vault_mem.notes.tokens import count_tokens

        if not self.json:
            return count_tokens(text)
        if not self.for_tool:
            return count_tokens(json.dumps(document(), ensure_ascii=False, indent=2, default=str))
        from vault_mem.cli.lean import without_filler

        return max(
            count_tokens(json.dumps(without_filler(document()), ensure_ascii=False, default=str)), count_tokens(text)
        )

    def notice(self, text: str) -> None:
        """A line for the person at the terminal, apart from the answer."""
        text = visible(text)
        if self.interactive:
            text = wrapped(text, max(self.width, NARROWEST))
            text = painted(text) if self.colour else text
        self._clear_progress()
        self.stderr.write(text + "\n")
        self.stderr.flush()

    def note(self, text: str) -> None:
        """A notice beside the answer."""
        self.notice(f"note: {text}")

    def read_text(self) -> str:
        """The whole of standard input as text."""
        raw = self.stdin.read()
        try:
            return raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InvalidInput(
                "standard input is not UTF-8 text", "remember takes text; keep files elsewhere and refer to them"
            ) from error

    def ask(self) -> str:
        """A line that the person at the terminal types; empty at the end of the input."""
        return self.stdin.readline().decode(errors="replace")

    def progress(self, what: str) -> Callable[[int, int], None]:
        """A progress bar for anything that takes longer than a second; it disappears at the end.

        Only one is shown at a time: the indexing during an import gets none.
        """
        started = time.monotonic()

        def show(done: int, total: int) -> None:
            self.check()
            passed = time.monotonic() - started
            if not self.interactive or self._progress not in (None, show) or (passed < 1 and self._progress is None):
                return
            if done >= total:
                self._clear_progress()
                return
            self._progress = show
            left = passed / max(done, 1) * (total - done)
            filled = round(20 * done / max(total, 1))
            bar = "█" * filled + "░" * (20 - filled)
            self.stderr.write(f"\r{what} {bar} {done}/{total}, {left:.0f} s left{_TO_LINE_END}")
            self.stderr.flush()

        return show

    def _clear_progress(self) -> None:
        if self._progress is not None:
            self._progress = None
            self.stderr.write(f"\r{_TO_LINE_END}")
            self.stderr.flush()
