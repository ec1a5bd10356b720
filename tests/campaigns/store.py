"""Machines with checkouts of one repository share a store, while processes are killed and connections cut.

python -m tests.campaigns.store --seed 1 --seconds 60

Each machine is a process that saves, edits, deletes, hides, purges, commits and pulls. In the end each must answer like
a local index of the same files. All the time, all objects are searched: a text that was private from the start must
never be in the store, nor one that a command said it had taken out. One that it said it could not take out must be gone
once nothing is owed any more.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from store.servers import REGION, Proxy, Server

IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
WORDS = re.findall(r"\w+", "harbour lantern gravel orchard copper willow thunder pocket saddle ribbon velvet anchor")
FIRST = 130  # enough notes for a machine to ask the store
PRIVATE = "privatefromthestart"
COULD_NOT = "could NOT"
SETTLED_SECONDS = 300  # a killed machine keeps the lease for two minutes, and a busy computer may need several tries
DEEDS = [*["kill"] * 3, *["cut", "cut after"] * 2, *["heal"] * 7, *["nothing"] * 8]


def git(root: Path, *arguments: str) -> int:
    command = ["git", *IDENTITY, "-C", str(root), *arguments]
    return subprocess.run(command, capture_output=True, check=False).returncode


def call(root: Path, env: dict[str, str], *arguments: str) -> tuple[int, str, str]:
    """Run a command, and what follows its answer, in this process."""
    from vault_mem.cli.console import Console
    from vault_mem.cli.main import run, settle

    out, err = io.StringIO(), io.StringIO()
    console = Console(root, env, io.BytesIO(), out, err)
    code = run(list(arguments), console)
    settle(console, arguments)
    return code, out.getvalue(), err.getvalue()


class Worker:
    """What one machine does until it is killed."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.root, self.gone, self.owed = folder / "vault", folder / "gone.log", folder / "owed.log"
        self.env = json.loads((folder / "env.json").read_text())
        self.random = random.Random(seed)
        self.name = folder.name
        self.steps = 0

    def run(self) -> None:
        actions = [self.save] * 6 + [self.edit] * 3 + [self.hide] * 2 + [self.purge] * 2 + [self.pull] * 3
        actions += [self.delete, self.private, self.lose_index]
        while True:
            self.steps += 1
            # twenty minutes for each step, so that lists are written and the store is tidied now and then
            now = datetime.now(UTC) + timedelta(minutes=20 * self.steps)
            self.env["VAULT_MEM_NOW"] = now.isoformat()
            self.random.choice(actions)()

    def _notes(self) -> list[Path]:
        return sorted((self.root / "memories").rglob("*.md"))

    def _word(self) -> str:
        return f"{self.random.choice(WORDS)}{self.random.getrandbits(40):010x}"

    def save(self) -> None:
        call(
            self.root,
            self.env,
            "remember",
            f"The {self._word()} was seen near the {self.random.choice(WORDS)}.",
            "--force",
        )

    def private(self) -> None:
        text = f"{PRIVATE} {self._word()} {self.random.choice(WORDS)} is for nobody else."
        call(self.root, self.env, "remember", text, "--private", "--force")

    def edit(self) -> None:
        path = self.random.choice(self._notes())
        path.write_text(path.read_text() + f"\nAlso {self.random.choice(WORDS)}.\n")
        call(self.root, self.env, "recall", self.random.choice(WORDS))

    def delete(self) -> None:
        self.random.choice(self._notes()).unlink()
        call(self.root, self.env, "status")

    def hide(self) -> None:
        self._take_out("private")

    def purge(self) -> None:
        self._take_out("forget", "--purge", "--yes")

    def _take_out(self, command: str, *options: str) -> None:
        path = self.random.choice(self._notes())
        text = path.read_text()
        id_ = next((line[4:].strip() for line in text.splitlines() if line.startswith("id: ")), "")
        word = next(iter(re.findall(r"\b[a-z]{6,8}[0-9a-f]{10}\b", text.partition("\n---\n")[2])), "")
        if not id_ or not word:
            return
        code, _, err = call(self.root, self.env, command, id_, *options)
        if code == 0:
            with (self.owed if COULD_NOT in err else self.gone).open("a") as log:
                log.write(f"{word}\n")

    def pull(self) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", "work")
        if git(self.root, "pull", "-q", "--no-rebase", "--no-edit", "-X", "ours"):
            git(self.root, "merge", "--abort")
        else:
            git(self.root, "push", "-q")
        call(self.root, self.env, "recall", self.random.choice(WORDS))

    def lose_index(self) -> None:
        """Become a new container without an index. What is owed is recorded in the index, so it must be paid first."""
        _, out, _ = call(self.root, self.env, "status", "--json")
        if not (json.loads(out).get("store") or {}).get("to_remove"):
            shutil.rmtree(Path(self.env["HOME"]) / ".cache", ignore_errors=True)


class Campaign:
    """The machines, the server, and the code that kills and cuts them off."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = random.Random(seed)
        self.folder = folder
        self.server = Server()
        self.proxy = Proxy(self.server.port)
        self.bucket = self.server.bucket()
        self.counts: Counter[str] = Counter()
        self.machines = [folder / name for name in ("one", "two", "three")]
        self.workers: dict[Path, subprocess.Popen[bytes]] = {}

    def set_up(self) -> None:
        from vault_mem import Vault

        first = self.machines[0] / "vault"
        first.parent.mkdir()
        git(self.folder, "init", "-q", "--bare", "origin.git")
        git(self.folder, "clone", "-q", "origin.git", str(first))
        self._env(self.machines[0])
        env = json.loads((first.parent / "env.json").read_text())
        Vault.init(first, env=env, timezone="UTC")
        with Vault(first, env=env) as vault:
            texts = [
                f"The {WORDS[n % 12]}{n:010x} stood by the {WORDS[n % 7]} in year {1800 + n}." for n in range(FIRST)
            ]
            vault.remember_many([{"content": text} for text in texts])
        git(first, "add", "-A")
        git(first, "commit", "-qm", "begun")
        git(first, "push", "-q", "-u", "origin", "HEAD")
        for machine in self.machines[1:]:
            machine.mkdir()
            git(self.folder, "clone", "-q", "origin.git", str(machine / "vault"))
            self._env(machine)

    def _env(self, machine: Path) -> None:
        env = {
            "HOME": str(machine),
            "PATH": os.environ["PATH"],
            "VAULT_MEM_DAEMON": "off",
            "VAULT_MEM_INDEX_DIR": f"s3://{self.bucket}/shared",
            "AWS_ACCESS_KEY_ID": "a",
            "AWS_SECRET_ACCESS_KEY": "b",
            "AWS_REGION": REGION,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.proxy.port}",
            "AWS_ALLOW_HTTP": "true",
        }
        (machine / "env.json").write_text(json.dumps(env))

    def run(self, seconds: float) -> list[str]:
        """Run it all; returns what went wrong."""
        try:
            self.set_up()
            found = self._work(time.monotonic() + seconds)
            return found or self._end()
        finally:
            for worker in self.workers.values():
                worker.kill()
                worker.wait()
            self.proxy.stop()
            self.server.stop()

    def _work(self, until: float) -> list[str]:
        while time.monotonic() < until:
            for machine in self.machines:
                worker = self.workers.get(machine)
                if worker is None or worker.poll() is not None:
                    if worker is not None and worker.returncode != -signal.SIGKILL:
                        return [
                            f"{machine.name}: its process ended by itself: {(machine / 'err.log').read_text()[-2000:]}"
                        ]
                    self.workers[machine] = self._start(machine)
            time.sleep(self.random.uniform(0.5, 2.0))
            deed = self.random.choice(DEEDS)
            self.counts[deed] += 1
            if deed == "kill":
                self.random.choice(list(self.workers.values())).kill()
            elif deed == "cut":
                self.proxy.mode = "cut"
            elif deed == "cut after":
                self.proxy.cut_after(self.random.randrange(12))
            elif deed == "heal":
                self.proxy.heal()
            if wrong := self._traces():
                return wrong
        return []

    def _start(self, machine: Path) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.campaigns.store", "--worker", str(machine)]
        with (machine / "err.log").open("ab") as log:
            return subprocess.Popen([*command, "--seed", str(self.random.getrandbits(30))], stdout=log, stderr=log)

    def _traces(self, *, settled: bool = False) -> list[str]:
        """What is in the store and must not be; `settled`: nothing is owed any more."""
        gone = self._logged("gone.log")
        self.counts["taken out"] = len(gone)
        if settled:
            late = self._logged("owed.log")
            self.counts["taken out later"] = len(late)
            gone |= late
        found = []
        for name, raw in self.server.objects(self.bucket).items():
            text = raw.decode(errors="replace")
            found += [
                f"{name}: {word} in …{text[max(0, text.find(word) - 200) : text.find(word) + 100]}…"
                for word in (*gone, PRIVATE)
                if word in text
            ]
            self.counts["objects looked at"] += 1
        return found

    def _logged(self, name: str) -> set[str]:
        logs = [machine / name for machine in self.machines]
        return {word for log in logs if log.exists() for word in log.read_text().split()}

    def _settled(self, root: Path, env: dict[str, str]) -> dict[str, object]:
        """What is left to do with the store after a machine has had long enough; empty once nothing is."""
        until = time.monotonic() + SETTLED_SECONDS
        while True:
            call(root, env, "doctor", "--fix")
            store: dict[str, object] = json.loads(call(root, env, "status", "--json")[1])["store"]
            left = store["trouble"] or store["to_remove"] or store["to_add"]
            if not left or time.monotonic() > until:
                return store if left else {}
            time.sleep(1)

    def _end(self) -> list[str]:
        """Check each machine: it pays what it owes, and answers like a local index of the same files."""
        for worker in self.workers.values():
            worker.kill()
            worker.wait()
        self.proxy.heal()
        wrong = []
        for machine in self.machines:
            root, env = machine / "vault", json.loads((machine / "env.json").read_text())
            env["VAULT_MEM_NOW"] = (datetime.now(UTC) + timedelta(days=900)).isoformat()
            last = Worker(machine, self.random.getrandbits(30))
            last.env = env
            last.hide()
            last.purge()
            env["VAULT_MEM_NOW"] = (datetime.now(UTC) + timedelta(days=902)).isoformat()
            if left := self._settled(root, env):
                wrong.append(f"{machine.name}: {left}")
            local = {**env, "VAULT_MEM_INDEX_DIR": str(machine / "local")}
            fresh = {**env, "HOME": str(machine / "container")}
            for asked in (("list", "--all"), ("graph",), *(("recall", word) for word in WORDS)):
                answers = [call(root, each, *asked, "--json")[1] for each in (env, local, fresh)]
                self.counts["answers compared"] += 1
                if len(set(answers)) != 1:
                    wrong.append(f"{machine.name}: {asked} is answered otherwise by a local or a fresh index")
        return wrong + self._traces(settled=True)


def run(seed: int, seconds: float) -> tuple[Counter[str], list[str]]:
    """Run one campaign; returns what was done, and what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(seed, Path(folder))
        wrong = campaign.run(seconds)
        return campaign.counts, wrong


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--worker", type=Path)
    given = parser.parse_args()
    if given.worker:
        Worker(given.worker, given.seed).run()
    counts, wrong = run(given.seed, given.seconds)
    print(dict(counts), *wrong, sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
