"""Every writing command is one operation: one entry in history, and one undo that gives back bytes, times and modes."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from conftest import Command
from helpers import memory, note

from vault_mem import Vault
from vault_mem.errors import WriteFailed
from vault_mem.operations.upkeep.review import Suggestion, propose

A, B, C, TASK, CLOSED, SECRET, GONE = (f"mem_{number:012x}" for number in range(1, 8))
PLAN = json.dumps(
    {
        "state_updates": [
            {"op": "upsert", "kind": "fact", "body_text": "The quay has a crane", "reason": "it was seen"},
            {"op": "close", "state_id": C, "reason": "it is over"},
        ]
    }
)

COMMANDS = {
    "remember": "remember|Marit rang about the cartons|--importance|5",
    "remember, linked": "remember|The ferry leaves the harbour at eight in the mornings|--force|--link-threshold|0.9",
    "remember, a changed fact": "remember|The harbour dues are 40 euros a month|--kind|fact",
    "remember, superseding": f"remember|The ferry leaves at noon|--supersedes|{A}|--category|introspection",
    "remember --private": "remember|-|--private|--force",
    "remember --update": f"remember|The ferry leaves at ten|--update|{A}|--replace-all",
    "remember, a summary": f"remember|Ferries and dues|--kind|summary|--scope|tag:x|--of|{A}|--of|{B}",
    "edit": f"edit|{A}|--content|The ferry leaves at eleven",
    "tag": f"tag|{A}|+sea|+north",
    "rename": f"rename|{A}|the boat",
    "link": f"link|{A}|{TASK}",
    "unlink": f"unlink|{B}|{A}",
    "merge": f"merge|{A}|{B}",
    "forget": f"forget|{A}",
    "restore": f"restore|{GONE}",
    "private": f"private|{A}",
    "private --scrub": f"private|{A}|--scrub",
    "publish": f"publish|{SECRET}",
    "done": f"done|{TASK}",
    "close": f"close|{A}",
    "reopen": f"reopen|{CLOSED}",
    "confirm": f"confirm|{A}",
    "episode create": f"episode|create|--memory|{A}|--memory|{B}|--summary|A day",
    "episode add": f"episode|add|ep_000000000001|{C}",
    "episode remove": f"episode|remove|ep_000000000001|{B}",
    "consolidate": "consolidate|--window|9",
    "tidy": "tidy",
    "tidy apply": "tidy|apply|-",
    "review accept": "review|accept|1",
    "review reject": "review|reject|1",
    "views rebuild": "views|rebuild",
    "update-self": "update-self|--set|name=Nagi|--ask|Is it care?",
    "config set": "config|set|adopt_ids|never",
    "config unset": "config|unset|quiet_seconds",
    "doctor --fix": "doctor|--fix",
    "import": "import|{import}",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault with something for every command to do; every test gives it back as it was."""
    place = tmp_path_factory.mktemp("one-operation")
    root = place / "vault"
    Vault.init(root, env=_env(place), timezone="Asia/Tokyo")
    subprocess.run(["git", "init", "-q", "--template=", root], check=True)
    memory(root, "memories/ferry.md", A, "The ferry leaves at eight")
    memory(root, "memories/dues.md", B, "The harbour dues are 30 euros a month", "kind: fact", 'links: ["[[ferry]]"]')
    memory(root, "memories/berth.md", C, "Our berth is at pier nine, see [[ferry]]", "kind: fact")
    memory(root, "memories/rope.md", TASK, "Call the chandler about the rope", "kind: task", "status: open")
    memory(root, "memories/old.md", CLOSED, "The old ferry left at nine", "valid_to: 2026-11-02T08:00:00")
    for number in (8, 9):
        memory(root, f"memories/l{number:08x}.md", f"mem_{number:012x}", "Forty lamps stand on the quay", "kind: fact")
    memory(root, f"private/{SECRET}.md", SECRET, "I was proud of the winch", "private: true")
    memory(root, "memories/gone.md", GONE, "A forgettable walk along the pier")
    memory(root, "episodes/ep_000000000001.md", "ep_000000000001", "A week", f'members: ["[[{A}]]", "[[{B}]]"]')
    (root / "private").chmod(0o700)
    cli = _cli(place)
    assert cli.run("views", "rebuild").code == cli.run("config", "set", "quiet_seconds", "0").code == 0
    assert cli.run("forget", GONE).code == 0
    note(root, "MEMORY.md", "Mine.\n")
    log = root / "memory" / "2026-11-01.md"
    lines = [line for line in reversed(log.read_text().splitlines()) if C not in line]  # one is missing
    log.write_text("\n".join(["Mine too.", *lines]))
    for number in (2, 3):  # for doctor --fix
        shutil.copy(root / "memories" / "rope.md", root / "memories" / f"rope (conflicted copy {number}).md")
    (root / ".gitignore").write_text("*.pyc\n")
    items = [
        {"id": f"mem_0000000000{number:02x}", "created": "2026-11-01T08:00:00+00:00", "content": text}
        for number, text in enumerate(["Salt came in sacks", "Tea came in tins", "Tar came in barrels"], start=32)
    ]
    (place / "import.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    with Vault(root, env=cli.env) as vault:
        vault.status()
        propose(vault.workspace, [Suggestion("link", (C, TASK), "both want repair")])
    return place


def _env(place: Path) -> dict[str, str]:
    return {"HOME": str(place), "VAULT_MEM_INDEX_DIR": str(place / "index"), "VAULT_MEM_DEBUG": "raise"} | {
        "VAULT_MEM_DAEMON": "off",
        "PATH": "/usr/bin:/bin:/usr/local/bin",
    }


def _cli(place: Path) -> Command:
    return Command(place / "vault", _env(place))


def _picture(root: Path) -> dict[str, tuple[bytes, int, int]]:
    """All that a person has, the trash included. Revisions are a log, which an undo does not take back."""
    found = {}
    for path in sorted(root.rglob("*")):
        key = str(path.relative_to(root))
        ours = key.startswith(".vault-mem/") and not key.startswith(".vault-mem/trash/")
        if path.is_file() and not ours and "history/" not in key and not key.startswith(".git/"):
            state = path.stat()
            found[key] = (path.read_bytes(), 0 if "/trash/" in key else state.st_mtime_ns, stat.S_IMODE(state.st_mode))
    return found


def _asked(cli: Command) -> list[str]:
    return [each["op"] for each in cli.json("history", "-n", "9999")["operations"] if not each["undone"]]


@pytest.mark.parametrize("name", COMMANDS)
def test_one_command_one_undo(made: Path, name: str) -> None:
    # S-7
    cli, root = _cli(made), made / "vault"
    cli.run("status")  # what is done unasked is done before
    words = COMMANDS[name].replace("{import}", str(made / "import.jsonl")).split("|")
    before, known = _picture(root), _asked(cli)
    answer = cli.run(*words, stdin=PLAN if name == "tidy apply" else "I dread the deep basin")
    assert answer.code in (0, 1) if name.startswith("doctor") else answer.code == 0, answer.err
    assert _picture(root) != before
    (new,) = [op for op in _asked(cli) if op not in known]
    undone = cli.json("undo")
    assert undone["undone"] == new
    assert _picture(root) == before


def test_a_purge_is_one_operation(made: Path) -> None:
    # S-7, F-2: one entry stays, without a word of it; what cannot be undone says so
    cli, root = _cli(made), made / "vault"
    copy = made / "copy"
    shutil.copytree(root, copy)
    there = Command(copy, cli.env | {"VAULT_MEM_INDEX_DIR": str(made / "other-index")})
    there.run("status")
    known = _asked(there)
    assert there.run("forget", A, "--purge").code == 0
    (new,) = [op for op in _asked(there) if op not in known]
    (entry,) = [path for path in (copy / ".vault-mem" / "journal").iterdir() if path.name.startswith(new)]
    record = json.loads(entry.read_text())
    assert (record["steps"], record["ids"], record["reason"]) == ([], [], "")
    answer = there.run("undo", new)
    assert answer.code == 5
    assert "cannot be undone" in answer.err
    assert A not in "".join(path.read_text(errors="replace") for path in (copy / ".vault-mem" / "journal").iterdir())


def test_undo_of_proposals_leaves_what_others_wrote(made: Path) -> None:
    # S-7, S-8: the checklist changed since; what the command proposed goes, a person's words and other proposals stay
    cli, review = _cli(made), made / "vault" / "REVIEW.md"
    cli.run("status")
    before = review.read_bytes()
    assert cli.json("remember", "The harbour dues are 50 euros a month", "--kind", "fact")["may_replace"] is not None
    assert review.read_bytes() != before
    review.write_bytes(review.read_bytes() + b"Mine.\n")
    assert cli.run("undo").code == 0
    assert review.read_bytes() == before + b"Mine.\n"
    review.write_bytes(before)


def test_a_failure_after_the_commit_is_no_failure(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # S-3: the links are written; that the activity log cannot be is said, and no more
    cli = _cli(made)
    cli.run("status")
    monkeypatch.setattr("vault_mem.vault.activity._append", _fail)
    answer = cli.run("consolidate", "--window", "9")
    assert answer.code == 0, answer.err
    assert "Consolidation complete" in answer.out
    assert "activity log" in answer.err
    assert cli.json("undo")["command"] == "consolidate"


def _fail(*_: object) -> None:
    raise WriteFailed("no space left")
