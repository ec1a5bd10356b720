"""`make demo`: vault-mem in a minute, on a copy of the sample vault. It runs the real commands and shows what they say.

The copy, its index and a home folder are made in a temporary folder; nothing else is written.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SAMPLE = Path(__file__).resolve().parent / "sample_vault"
# The morning after the sample vault's last memory: ages and closed facts look the same whenever the demo is run.
NOW = "2026-11-16T10:30:00+09:00"
DUPLICATE = 3

SAVED = "The courier collected the three Bergen cartons at 09:20 and Kaya waved until the van was gone."
AGAIN = "The courier collected the three cartons for Bergen at 09:20, and Kaya waved until the van had gone."


def main() -> None:
    """Tell the story, command by command."""
    started = time.monotonic()
    place = Path(tempfile.mkdtemp(prefix="vault-mem-demo-")).resolve()
    vault = copy_sample(place)
    demo = Demo(place, vault)

    print("This is Nagi, an agent that remembers for Kaya, who builds water loggers for oyster rafts.")
    print("You see the real commands on a copy of sample_vault. No network is used, and no daemon runs:")
    print("each command loads everything again, which takes a few seconds.")

    heading("1. Index the vault: any command does this when needed")
    demo.run("status")

    heading("2. Ask in English: the part that was replaced in August is no longer offered")
    demo.run("recall", "Which O-ring goes into the logger cap?", "-n", "2")

    heading("3. Ask in Japanese: when is the next dental check-up?")
    demo.run("recall", "次の歯の検診はいつ", "-n", "2")

    before = contents(vault)
    heading("4. Save a memory: it is linked to similar memories")
    demo.run("remember", SAVED, "--tag", "bergen", "--person", "Kaya")

    heading("5. Save it again in other words: the guard stops it")
    demo.run("remember", AGAIN, expected=DUPLICATE)

    heading("6. What changed on disk")
    show_changes(before, contents(vault))

    heading("Now you")
    print(f"The copy is {vault}. Open the folder in Obsidian, or try:\n")
    print(f"  export VAULT_MEM_VAULT={shlex.quote(str(vault))}")
    print(f"  export VAULT_MEM_INDEX_DIR={shlex.quote(str(place / 'index'))}")
    for line in ('recall "why were nine minutes missing?"', "recall 団子の体重", "list -n 5", "doctor", "--help"):
        print(f"  {own_command()} {line}")
    print(f"\nA vault of your own, in a new terminal:\n\n  {own_command()} init my-vault")
    print(f"\nThat took {time.monotonic() - started:.0f} s. Delete {place} when you are done.")


class Demo:
    """Runs commands as a user would in the vault's folder, with a home and an index of their own."""

    def __init__(self, place: Path, vault: Path) -> None:
        home = place / "home"
        home.mkdir()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("VAULT_MEM_", "XDG_"))}
        self.vault = vault
        self.environment = kept | {
            "HOME": str(home),
            "VAULT_MEM_INDEX_DIR": str(place / "index"),
            "VAULT_MEM_NOW": NOW,
            "VAULT_MEM_DAEMON": "off",
            "PYTHONPATH": os.pathsep.join(filter(None, [str(SAMPLE.parent), os.environ.get("PYTHONPATH")])),
        }

    def run(self, *arguments: str, expected: int = 0) -> None:
        """Show a command and what it says; a demo that does not go as told must not look as if it had."""
        print(bold(f"$ vault-mem {' '.join(map(shown, arguments))}"), flush=True)
        done = subprocess.run(
            [sys.executable, "-m", "vault_mem", *arguments],
            cwd=self.vault,
            env=self.environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        print((done.stdout + done.stderr).rstrip())
        if done.returncode:
            meaning = " (not saved: duplicate)" if done.returncode == DUPLICATE else ""
            print(f"\nexit code {done.returncode}{meaning}")
        if done.returncode != expected:
            sys.exit(f"The demo expected exit code {expected} here. Please report it with the output above.")


def copy_sample(place: Path) -> Path:
    """A copy of the sample vault; its private notes go where private notes live, for their owner's eyes only."""
    vault = place / "nagi"
    shutil.copytree(SAMPLE, vault)
    private = (vault / "private.sample").rename(vault / "private")
    private.chmod(0o700)
    for note in private.iterdir():
        note.chmod(0o600)
    return vault


def contents(vault: Path) -> dict[str, bytes]:
    """Every file of the vault and what it holds."""
    paths = (path for path in vault.rglob("*") if path.is_file())
    return {path.relative_to(vault).as_posix(): path.read_bytes() for path in paths}


def show_changes(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    """New, changed and missing files; the text of new notes; and that all others are what they were."""
    new = sorted(after.keys() - before.keys())
    gone = sorted(before.keys() - after.keys())
    changed = sorted(key for key in before.keys() & after.keys() if before[key] != after[key])
    for sign, keys in (("+", new), ("~", changed), ("-", gone)):
        for key in keys:
            own = "   (this machine's, ignored by git)" if key.startswith(".vault-mem/") else ""
            print(f"{sign} {key}{own}")
    same = len(before) - len(changed) - len(gone)
    print(f"\n{len(new)} new, {len(changed)} changed, {len(gone)} gone;", end=" ")
    print(f"the other {same} files are byte for byte what they were.")
    for key in new:
        if key.endswith(".md"):
            print(f"\n{bold(key)}\n")
            print("".join(f"  {line}\n" for line in after[key].decode().splitlines()).rstrip("\n"))


def own_command() -> str:
    """How to call vault-mem from the folder the demo was started in."""
    script = Path(sys.executable).with_name("vault-mem")
    if not script.exists():
        return f"{shlex.quote(sys.executable)} -m vault_mem"
    near = os.path.relpath(script)
    return shlex.quote(str(script) if near.startswith("..") else near)


def shown(argument: str) -> str:
    """An argument as one would type it."""
    return f'"{argument}"' if " " in argument else argument


def heading(text: str) -> None:
    """A line that says what comes next."""
    print(f"\n{bold(text)}\n{'─' * len(text)}", flush=True)


def bold(text: str) -> str:
    """Text that stands out on a terminal; elsewhere as it is."""
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else text


if __name__ == "__main__":
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    main()
