"""Capture: how much of what the rules propose in 26 sessions is worth keeping, and how much worth keeping they find.

What is worth keeping stands between ⟦ and ⟧, marked by hand before the rules were run on it. Then a transcript of
500 MB: how long its hook takes, and how much time and memory the commands need that take it in.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from benchmarks.harness import Figure, Setting, Target
from vault_mem import Vault
from vault_mem.notes.worth import worth_keeping

SESSIONS = Path(__file__).parent / "data" / "sessions.json"
_MARKED = re.compile(r"⟦([^⟧]*)⟧")


def run(setting: Setting) -> Iterator[Figure]:
    """How good the rules are, and what a huge transcript takes."""
    yield from candidates(setting)
    yield from _huge(setting)


def candidates(setting: Setting) -> Iterator[Figure]:
    """Precision and recall of the proposed candidates over all sessions."""
    proposed = right = wanted = found = 0
    for session in json.loads(SESSIONS.read_text(encoding="utf-8")):
        for said in session["said"]:
            marked = _MARKED.findall(said)
            texts = [each.text for each in worth_keeping(re.sub("[⟦⟧]", "", said), at_work=session["work"])]
            proposed += len(texts)
            right += sum(any(_same(text, mark) for mark in marked) for text in texts)
            wanted += len(marked)
            found += sum(any(_same(text, mark) for text in texts) for mark in marked)
            for text in texts:
                if not any(_same(text, mark) for mark in marked):
                    setting.progress(f"not worth it: {text}")
            for mark in marked:
                if not any(_same(text, mark) for text in texts):
                    setting.progress(f"missed: {mark}")
    yield Figure("capture: proposed and worth keeping", right / max(proposed, 1), "", target=Target("≥", 0.6))
    yield Figure("capture: worth keeping and proposed", found / max(wanted, 1), "")


def _huge(setting: Setting) -> Iterator[Figure]:
    megabytes = 20 if setting.quick else 500
    path, root = setting.folder / "huge.jsonl", setting.folder / "vault"
    setting.progress(f"writing a transcript of {megabytes} MB")
    _write(path, megabytes)
    env = os.environ | {"VAULT_MEM_DAEMON": "off", "VAULT_MEM_INDEX_DIR": str(setting.folder / "index")}

    def run(*arguments: str | Path, told: str = "") -> tuple[float, float, float]:
        """Wall seconds, CPU seconds and peak megabytes of a command."""
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "vault_mem", *map(str, arguments)],
            cwd=root, env=env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        assert process.stdin
        process.stdin.write(told.encode())
        process.stdin.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise AssertionError(f"{arguments} ended with {process.returncode}")
        peak = used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
        return time.perf_counter() - started, used.ru_utime + used.ru_stime, peak

    Vault.init(root)
    run("remember", "The model and the index are there now.")
    _, plain_cpu, plain_peak = run("status")
    told = {"session_id": "huge", "transcript_path": str(path), "hook_event_name": "Stop", "cwd": "/app"}
    taken, _, _ = run("capture", "--agent", "claude-code", told=json.dumps(told))
    yield Figure(f"capture: hook, transcript of {megabytes} MB", taken, "s", target=Target("≤", 2))
    longest = cpu = peak = 0.0
    while any((root / ".vault-mem/inbox").iterdir()):
        _, used, most = run("status")
        longest, cpu, peak = max(longest, used - plain_cpu), cpu + used - plain_cpu, max(peak, most)
    yield Figure("capture: taken in, CPU time in all", cpu, "s")
    yield Figure("capture: of that in one command", longest, "s", target=Target("≤", 2))
    yield Figure("capture: peak memory of such a command", peak, "MB", plain_peak, "without it", Target("≤", 1.3, True))
    if "The last words." not in next(root.glob("sessions/*/*.md")).read_text():
        raise AssertionError("the transcript was not taken in to its end")
    run("sessions", "remove", "--all", "--yes")
    (root / ".vault-mem/sessions-removed.jsonl").unlink()
    _, cpu, peak = run("import", path, "--format", "claude-code")
    yield Figure(f"capture: import of {megabytes} MB, CPU time", cpu - plain_cpu, "s")
    yield Figure("capture: import, peak memory", peak, "MB", plain_peak, "status", Target("≤", 1.3, of_ratio=True))


def _write(path: Path, megabytes: int) -> None:
    """A transcript as Claude Code writes it: nearly all of it tool output, some of it in very long lines."""
    random = Random(3)
    words = ["error:", "return", "self.x", "/usr/lib", '"quoted"', "path\\to", "日本語", "ok\n"]
    logs = [" ".join(random.choices(words, k=4000)) for _ in range(10)]
    with path.open("w", encoding="utf-8") as file:
        file.write(_line("user", "Please look at the logs."))
        number = size = 0
        while size < megabytes * 1_000_000:
            number += 1
            output = "".join(random.choices(logs, k=int(random.lognormvariate(0.5, 1.5)) + 1))
            call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "cat log"}}
            size += file.write(_line("assistant", [{"type": "text", "text": f"Looking at part {number}."}, call]))
            size += file.write(_line("user", [{"tool_use_id": "t", "type": "tool_result", "content": output}]))
            if number % 20 == 0:
                size += file.write(_line("user", f"Go on, and remember that part {number} is odd."))
        file.write(_line("user", "The last words."))


def _line(role: str, content: object) -> str:
    record = {"type": role, "message": {"role": role, "content": content}, "timestamp": "2026-11-17T08:00:00Z"}
    return json.dumps(record | {"sessionId": "huge", "cwd": "/app"}, ensure_ascii=False, separators=(",", ":")) + "\n"


def _same(text: str, marked: str) -> bool:
    one, other = (re.sub(r"\W", "", each).casefold() for each in (text, marked))
    return one in other or other in one
