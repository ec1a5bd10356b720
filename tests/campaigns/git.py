"""Clones that save, edit, forget, hide and rename on all sides, and merge one another with the real git.

python -m tests.campaigns.git --seed 1 --merges 20 --clones 3

A merge may stop where git itself does (deleted on one side, changed on the other) and where both sides changed the
same key or lines of one note; `doctor --fix` and a person's hand settle those. In the end all clones have the same
bytes. A seed repeats a campaign to the byte; `--keep` stops at the first failure and leaves the clones to be looked at.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import secrets
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ID = re.compile(r"^id: (mem_[0-9a-f]{12})$", re.MULTILINE)
WORDS = re.findall(r"\w+", "harbour lantern gravel orchard copper willow thunder pocket saddle ribbon velvet anchor")
IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
SETTINGS = "quiet_seconds = 0\n"
CANARY = "kestrelquartz"


class Clone:
    """One clone: its folder, its vault, and what its owner does."""

    def __init__(self, name: str, root: Path, env: dict[str, str], now: Callable[[], datetime]) -> None:
        self.name, self.root, self.env, self.now = name, root, env, now
        self._vault: Any = None

    @property
    def vault(self) -> Any:
        from vault_mem import Vault

        self._vault = self._vault or Vault(self.root, env=self.env, clock=self.now)
        return self._vault

    def git(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        at = self.now().isoformat()
        done = subprocess.run(
            ["git", *IDENTITY, "-C", str(self.root), *arguments],
            env={**os.environ, **self.env, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at},
            capture_output=True,
            text=True,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done

    def commit(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", message, check=False)  # there may be nothing to commit

    def files(self) -> dict[str, bytes]:
        """The public files."""
        found = {}
        for path in sorted(self.root.rglob("*")):
            key = str(path.relative_to(self.root))
            if path.is_file() and not key.startswith((".git/", ".vault-mem/", "private/")):
                found[key] = path.read_bytes()
        return found

    def notes(self) -> dict[str, str]:
        """The public memories, by id."""
        return ids_in(self.files())

    def private(self) -> set[str]:
        return {path.stem for path in (self.root / "private").glob("mem_*.md")}

    def at(self, commit: str) -> dict[str, str]:
        """The memories of a commit, by id."""
        packed = self.root.parent / "commit.tar"
        self.git("archive", f"--output={packed}", commit)
        with tarfile.open(packed) as files:
            return ids_in({each.name: files.extractfile(each).read() for each in files if each.isfile()})


def ids_in(files: dict[str, bytes]) -> dict[str, str]:
    found = {}
    for key, raw in files.items():
        match = ID.search(raw.decode(errors="replace")) if key.startswith("memories/") else None
        if match:
            found[match.group(1)] = raw.decode(errors="replace")
    return found


class Campaign:
    """The clones, and what must hold."""

    def __init__(self, home: Path, seed: int, clones: int) -> None:
        self.rng = random.Random(seed)
        ids = random.Random(seed)
        secrets.token_hex = lambda length=32: ids.randbytes(length).hex()  # type: ignore[assignment,misc]
        self.time = datetime(2026, 11, 1, 8, tzinfo=UTC)
        self.home = home
        self.count = 0
        self.done: Counter[str] = Counter()
        self.failures: list[str] = []
        self.talks = False
        self.clones = [self._clone(name) for name in "abcdef"[:clones]]

    def _clone(self, name: str) -> Clone:
        from vault_mem import Vault

        root = self.home / name
        env = {
            "HOME": str(self.home),
            "PATH": os.environ.get("PATH", ""),
            "VAULT_MEM_INDEX_DIR": str(self.home / "index"),
            "VAULT_MEM_DAEMON": "off",
        }
        apart = timedelta(seconds=90 * len(name + "abcdef".partition(name)[0]))
        clone = Clone(name, root, env, lambda: self.time + apart)
        if name == "a":
            Vault.init(root, env=env, timezone="UTC", git=True)
            with (root / "vault-mem.toml").open("a") as file:
                file.write(SETTINGS)
            (root / "MEMORY.md").write_text("# What I keep in mind\n\nMy own first line.\n\nMy own last line.\n")
            for _ in range(6):
                self._save(clone)
            clone.commit("begin")
        else:
            subprocess.run(["git", "clone", "-q", self.home / "a", root], env={**os.environ, **env}, check=True)
            clone.vault.doctor(fix=True)
            clone.commit("set up")
        return clone

    def run(self, merges: int, most_failures: int) -> None:
        while self.done["merges"] < merges:
            for clone in self.clones:
                for _ in range(self.rng.randrange(4)):
                    self.act(clone)
            self.merge(*self.rng.sample(self.clones, 2))
            if len(self.failures) >= most_failures:
                return
        self.end()

    def say(self, text: str) -> None:
        if self.talks:
            print(text, flush=True)

    # What owners do

    def text(self) -> str:
        self.count += 1
        return (
            f"Token{self.count}x {' '.join(self.rng.sample(WORDS, 6))}.\n\nA second line with {self.rng.choice(WORDS)}."
        )

    def act(self, clone: Clone) -> None:
        from vault_mem.errors import VaultMemError

        acts = [self._save] * 5 + [self._edit] * 3 + [self._fields] * 3 + [self._forget, self._private, self._merge]
        acts += [self._rename, self._by_hand, self._link, self._close, self._own_line, self._secret, self._tick]
        act = self.rng.choice(acts)
        self.time += timedelta(seconds=self.rng.choice([0, 1, 40, 4000]))
        self.say(f"{clone.name}: {act.__name__.strip('_')}")
        try:
            act(clone)
            self.done[act.__name__.strip("_")] += 1
        except VaultMemError as error:
            self.done[f"refused: {error.code}"] += 1

    def _any(self, clone: Clone) -> str:
        id_ = self.rng.choice(sorted(clone.notes()) or ["mem_000000000000"])
        self.say(f"  {id_}")
        return id_

    def _save(self, clone: Clone) -> None:
        fields: dict[str, Any] = {"importance": self.rng.randint(1, 5), "tags": [self.rng.choice(WORDS)]}
        if self.rng.random() < 0.2:
            fields["category"] = self.rng.choice(["introspection", "decision"])
        clone.vault.remember(self.text(), force=True, **fields)

    def _secret(self, clone: Clone) -> None:
        clone.vault.remember(f"{CANARY} {self.text()}", private=True, force=True)

    def _edit(self, clone: Clone) -> None:
        id_ = self._any(clone)
        clone.vault.edit(id_, content=clone.vault.show(id_).memory.content + f"\n\nAnd {self.rng.choice(WORDS)}.")

    def _fields(self, clone: Clone) -> None:
        id_ = self._any(clone)
        if self.rng.random() < 0.5:
            clone.vault.tag(id_, [self.rng.choice(WORDS)])
        else:
            clone.vault.edit(id_, fields={"importance": self.rng.randint(1, 5)})

    def _forget(self, clone: Clone) -> None:
        clone.vault.forget(self._any(clone))

    def _private(self, clone: Clone) -> None:
        clone.vault.private(self._any(clone))

    def _merge(self, clone: Clone) -> None:
        clone.vault.merge(self._any(clone), self._any(clone))

    def _rename(self, clone: Clone) -> None:
        clone.vault.rename(self._any(clone), f"name {self.rng.randrange(1000)}")

    def _link(self, clone: Clone) -> None:
        clone.vault.link(self._any(clone), self._any(clone))

    def _close(self, clone: Clone) -> None:
        (clone.vault.close if self.rng.random() < 0.5 else clone.vault.confirm)(self._any(clone))

    def _by_hand(self, clone: Clone) -> None:
        """A person adds a line at the end of a note."""
        path = self.rng.choice(sorted((clone.root / "memories").rglob("*.md")))
        with path.open("a") as file:
            file.write(f"By hand: {self.rng.choice(WORDS)}.\n")

    def _own_line(self, clone: Clone) -> None:
        path = clone.root / "MEMORY.md"
        text = path.read_text() if path.exists() else "My own first line.\n"
        first = "My own first line." if clone.name == "a" else "My own last line."
        path.write_text(text.replace(first, f"{first}\n{self.rng.choice(WORDS)}", 1))

    def _tick(self, clone: Clone) -> None:
        clone.vault.consolidate()
        path = clone.root / "REVIEW.md"
        if path.exists():
            path.write_text(path.read_text().replace("- [ ]", self.rng.choice(["- [x]", "- [-]"]), 1))

    # Merging

    def merge(self, one: Clone, other: Clone) -> None:
        self.say(f"{self.done['merges']}: {one.name} merges {other.name}")
        for clone in (one, other):
            clone.vault.settle()
            clone.commit("work")
        one.git("fetch", "-q", str(other.root), "HEAD")
        bases = one.git("merge-base", "--all", "HEAD", "FETCH_HEAD").stdout.split()
        base, ours, theirs = one.at(bases[0]), one.notes(), other.notes()
        done = one.git("merge", "-q", "-m", f"merge {other.name}", "FETCH_HEAD", check=False)
        if done.returncode:
            self._resolve(one, done.stdout + done.stderr)
        self._check_nothing_lost(one, bases, base, ours, theirs)
        one.vault.settle()
        self._choose_both(one)  # a private note that was edited on both sides has conflict marks too
        one.vault.settle()
        one.commit("after the merge")
        self.done["merges"] += 1
        self._check(one)

    def _resolve(self, clone: Clone, said: str) -> None:
        """As a person would: let doctor settle what it can, then decide the rest by hand."""
        stopped = re.findall(r"CONFLICT \(([^)]*)\): (?:Merge conflict in |rename of )?(\S+)", said)
        if not stopped:
            self.failures.append(f"git failed: {said[-300:]}")
        for kind, key in stopped:
            self.done[f"conflict: {kind}"] += 1
            if not key.startswith("memories/") and (kind, key) != ("content", "MEMORY.md"):
                self.failures.append(f"an unnamed conflict: {kind} in {key}")
        before = clone.files()
        clone.vault.settle()
        if clone.files() != before:
            self.failures.append("something was written unasked while a merge was under way")
        clone.vault.doctor(fix=True)
        self._choose_both(clone)
        self._settle_renames(clone)
        clone.git("add", "-A")
        clone.git("commit", "-qm", "resolved")

    def _choose_both(self, clone: Clone) -> None:
        """Where both sides changed the same lines: keep both versions, without the conflict marks."""
        for path in [*clone.root.glob("*.md"), *clone.root.rglob("mem*/**/*.md"), *clone.root.glob("private/*.md")]:
            text = path.read_text()
            if "<<<<<<< " in text:
                self.done["chosen by hand"] += 1
                if path.parent.name == "memory":
                    self.failures.append(f"marks in {path.name}")
                marks = ("<<<<<<< ", "=======\n", ">>>>>>> ")
                lines = text.splitlines(keepends=True)
                path.write_text("".join(line for line in lines if not line.startswith(marks)))

    def _settle_renames(self, clone: Clone) -> None:
        """A note renamed on both sides is two files with one id: keep the first, as its owner might."""
        seen: dict[str, str] = {}
        for key, raw in clone.files().items():
            match = ID.search(raw.decode(errors="replace")) if key.startswith("memories/") else None
            if match and match.group(1) in seen:
                (clone.root / key).unlink()
                self.done["one id in two files"] += 1
            elif match:
                seen[match.group(1)] = key

    def _check_nothing_lost(
        self, clone: Clone, bases: list[str], base: dict[str, str], ours: dict[str, str], theirs: dict[str, str]
    ) -> None:
        now, private = clone.notes(), clone.private()
        if len(bases) > 1:  # with several bases, a memory that one lacks may have been deleted later
            base = {**base, **ours, **theirs}
        kept = (ours.keys() & theirs.keys()) | (ours.keys() - base.keys()) | (theirs.keys() - base.keys())
        kept |= {id_ for id_ in base if (id_ in ours) != (id_ in theirs) and (ours | theirs)[id_] != base[id_]}
        for id_ in sorted(kept - now.keys() - private):
            sides = "".join("-X"[id_ in side] for side in (base, ours, theirs))
            self.failures.append(f"{clone.name}: {id_} is lost ({sides}, {len(bases)} bases)")
        for id_ in now.keys() & ours.keys() & theirs.keys() & base.keys():
            for side in (ours, theirs):
                added = set(side[id_].splitlines()) - set(base[id_].splitlines())
                missing = [line for line in added if line.startswith(("And ", "By hand")) and line not in now[id_]]
                if missing:
                    self.failures.append(f"{clone.name}: {id_} lost {missing[0]!r}")

    def _check(self, clone: Clone) -> None:
        """What must hold after every merge, once a command has run."""
        files = clone.files()
        for key, raw in files.items():
            if re.search(rb"^(?:<{7}|>{7})", raw, re.MULTILINE):
                self.failures.append(f"{clone.name}: marks in {key}")
        private = clone.private()
        for key, raw in files.items():
            text = raw.decode(errors="replace")
            named = [id_ for id_ in private if id_ in text or CANARY in text]
            if named and not (key.startswith("memories/") and CANARY not in text and key.endswith(".md")):
                self.failures.append(f"{clone.name}: {key} names what is private here")
            if key.startswith("memory/2"):
                lines = [line for line in text.splitlines() if line.startswith("- ")]
                if lines != sorted(set(lines)):
                    self.failures.append(f"{clone.name}: {key} is out of order")

    def end(self) -> None:
        """Merge all with all until nothing is new; then all have the same bytes, and doctor has nothing to say."""
        self.time += timedelta(hours=1)
        for _ in range(8):
            for one in self.clones:
                for other in self.clones:
                    if one is not other:
                        self.merge(one, other)
            trees = {clone.git("rev-parse", "HEAD^{tree}").stdout for clone in self.clones}
            if len(trees) == 1:
                break
        else:
            self.failures.append("the clones did not come together")
        first = self.clones[0].files()
        for clone in self.clones[1:]:
            files = clone.files()
            apart = sorted(key for key in {*first, *files} if first.get(key) != files.get(key))
            if apart:
                self.failures.append(f"{self.clones[0].name} and {clone.name} differ in {apart[:5]}")
        for clone in self.clones:
            rebuilt = clone.vault.rebuild_views().files
            if rebuilt:
                self.failures.append(f"{clone.name}: views were not as from the memories: {rebuilt}")
            bad = [each for each in clone.vault.doctor().findings if each.severity != "info"]
            bad = [each for each in bad if each.check not in ("git-history", "mentions")]
            self.failures += [f"{clone.name}: doctor: {each.check} {each.path} {each.message}" for each in bad]
            if clone.git("log", "--all", "-p", f"-S{CANARY}", "--format=%H").stdout.strip():
                self.failures.append(f"{clone.name}: git holds the canary")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--merges", type=int, default=20)
    parser.add_argument("--clones", type=int, default=2)
    parser.add_argument("--keep", metavar="FOLDER", help="work there, say each step, and stop at the first failure")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vault-mem-git-") as scratch:
        campaign = Campaign(Path(options.keep or scratch).resolve(), options.seed, options.clones)
        campaign.talks = bool(options.keep)
        campaign.run(options.merges, most_failures=1 if options.keep else 20)
    print(dict(sorted(campaign.done.items())))
    for failure in campaign.failures[:30]:
        print(f"FAILED: {failure}")
    print(f"{len(campaign.failures)} failures (seed {options.seed})")
    return 1 if campaign.failures else 0


if __name__ == "__main__":
    sys.exit(main())
