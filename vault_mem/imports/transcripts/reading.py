"""What readers of transcripts share: the position in a file, JSON lines in bounded memory, texts of messages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from vault_mem.errors import InvalidInput
from vault_mem.notes.session import Opening, Turn

# A longer line is a tool's output or broken, and is skipped.
LONGEST_LINE = 8_000_000
LONGEST_DOCUMENT = 64_000_000
_CHUNK = 1 << 20
_LONG = 1 << 14
# What clients add to a user's message.
_ADDED = re.compile(
    r"<(system-reminder|local-command-stdout|local-command-stderr|local-command-caveat|command-name|command-message"
    r"|command-args|environment_context|user_instructions|INSTRUCTIONS|permissions instructions|vault-mem-data[^>]*"
    r"|session_context|hook_context|task-notification|bash-input|bash-stdout|bash-stderr|skills_instructions"
    r"|apps_instructions|collaboration_mode|turn_aborted|ide_selection|ide_opened_file"
    r"|qwen:[a-z-]+)>.*?</\1>",
    re.DOTALL,
)
_OURS = re.compile(r"vault[-_]mem")
_PRIVATE = re.compile(r"--private\b|\bprivate\\*[\"']?\s*[:=]\s*true", re.IGNORECASE)
# A quick test before parsing, since most tool output is long and not about us.
_PRIVATE_WORDS = ("rivate", "RIVATE")
_PRIVATE_BYTES = tuple(word.encode() for word in _PRIVATE_WORDS)


@dataclass(frozen=True)
class Source:
    """One session of another tool: its file, and its id if the file has several."""

    path: Path
    id: str = ""


@dataclass(frozen=True)
class Step:
    """Something that a transcript says, and the position after it."""

    position: int
    said: Turn | Opening | None = None


def named(*patterns: str) -> Callable[[Path], Iterator[Source]]:
    """Finds the file itself, or the files below a folder with matching names; links are skipped."""

    def files(path: Path) -> Iterator[Source]:
        for each in [path] if path.is_file() else sorted(each for pattern in patterns for each in path.rglob(pattern)):
            if not each.is_symlink():
                yield Source(each)

    return files


def lines(
    path: Path, start: int, is_output: Callable[[bytes], object] | None = None
) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """The JSON objects in a file's lines after an offset, each with the next offset; None for any other line.

    A last line without an end is still being written, and left for the next time. A long line of tool output (says
    `is_output`) is not parsed unless it may be about private memories.
    """
    with path.open("rb") as file:
        file.seek(start)
        position = start
        while line := file.readline(_CHUNK):
            size = len(line)
            if not line.endswith(b"\n"):
                rest = _rest(file, line)
                if rest is None:
                    return
                size, line = size + rest[0], rest[1]
            position += size
            passed = is_output and size > _LONG and is_output(line) and not any(word in line for word in _PRIVATE_BYTES)
            yield position, None if passed else _object(line)


def _rest(file: Any, begun: bytes) -> tuple[int, bytes] | None:
    """The rest of a long line: its size, and the whole line, empty if it is too long; None if it has no end yet."""
    parts, size = [begun], 0
    while part := file.readline(_CHUNK):
        size += len(part)
        if size < LONGEST_LINE:
            parts.append(part)
        if part.endswith(b"\n"):
            return size, b"".join(parts) if size < LONGEST_LINE else b""
    return None


def _object(line: bytes) -> dict[str, Any] | None:
    found = parsed(line)
    return found if isinstance(found, dict) else None


def document(path: Path) -> Any:
    """A JSON document; None if it is incomplete, because it may still be written."""
    if (size := path.stat().st_size) > LONGEST_DOCUMENT:
        raise InvalidInput(f"{path.name} is one document of {size // 1_000_000} MB, too large to read at once")
    return parsed(path.read_bytes())


def parsed(text: Any) -> Any:
    """A value parsed from JSON, or None."""
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return None


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty object."""
    return value if isinstance(value, dict) else {}


def texts(content: Any, *types: str) -> str:
    """The texts of a message: its plain content, or the parts of these types."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    found = [part.get("text") for part in map(mapping, parts) if not types or part.get("type") in types]
    return "\n".join(text for text in found if isinstance(text, str))


def objects(value: Any) -> list[dict[str, Any]]:
    """The items of a list, each as an object."""
    return [mapping(each) for each in value] if isinstance(value, list) else []


def turn(role: str, text: str, at: datetime | None, calls: Sequence[tuple[Any, Any]] = (), *results: Any) -> Turn:
    """What one side said, its calls of tools (name and arguments) and what those gave back."""
    return Turn(role, own_words(text), at, tuple(str(name) for name, _ in calls), private_in(calls, *results))


def own_words(text: str) -> str:
    """What a user said, without the client's additions."""
    return _ADDED.sub("", text).strip()


def private_texts(value: Any) -> tuple[str, ...]:
    """The texts of a call of our tools, or of its result, if it is about private memories."""
    told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if not any(word in told for word in _PRIVATE_WORDS) or not _PRIVATE.search(told):
        return ()
    return tuple(_strings(value))


def private_in(calls: Iterable[tuple[Any, Any]], *results: Any) -> tuple[str, ...]:
    """The texts about private memories in calls of our tools (name and arguments) and in their results."""
    said = [(f"{name} {json.dumps(each, ensure_ascii=False) if each else ''}", each) for name, each in calls]
    given = [each for text, each in said if _OURS.search(text[:100_000])]  # a tool of ours, or a shell that runs us
    return tuple(text for each in (*given, *results) for text in private_texts(each))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)
