"""A seeded sample of each campaign; `make soak` and `make fuzz` run them whole (docs/reliability.md)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from campaigns import preload

REPOSITORY = Path(__file__).parent.parent
NOT_HERE = 77


ENVIRONMENT = {**os.environ, "TOKENIZERS_PARALLELISM": "false"}
Campaign = Callable[..., None]


def campaign_alone(name: str, *options: str, seconds: int = 36_000) -> None:
    """Run a campaign as anybody would; what it found is in the output of a failing test."""
    done = subprocess.run(
        [sys.executable, "-m", f"tests.campaigns.{name}", *options],
        cwd=REPOSITORY,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    print(done.stdout[-20_000:], done.stderr[-2000:])
    if done.returncode == NOT_HERE:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0


@pytest.fixture(scope="module")
def campaign() -> Iterator[Campaign]:
    """Runs campaigns on one stage: building it, with all that must be loaded, takes longer than most samples."""
    stage = subprocess.Popen(
        [sys.executable, "-m", "tests.campaigns"],
        cwd=REPOSITORY,
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def run(*words: str) -> None:
        stage.stdin.write(json.dumps(words) + "\n")
        stage.stdin.flush()
        code, said = json.loads(stage.stdout.readline())
        print(said[-20_000:])
        assert code == 0

    with stage:
        yield run


needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="the stage looks at processes in /proc")


@pytest.mark.skipif(bool(preload.missing()), reason=preload.missing() or "calls can be failed")
@pytest.mark.parametrize("part", [1, 2])
def test_every_disk_call_fails_once(soak: bool, part: int) -> None:
    # S-3: whole or not there, told truly, undone rightly
    size = ("--cases", "3000") if soak else ("--operations", "2", "--cases", "16")
    campaign_alone("errno", "--seed", str(part), *size)


@needs_proc
def test_odd_files_at_every_path(campaign: Campaign, fuzz: bool) -> None:
    # S-1, S-2: nothing hangs, nothing outside is read or changed, nothing is done away with
    campaign("paths", "--seed", "1", "--cases", "6000" if fuzz else "40")


@needs_proc
@pytest.mark.parametrize("what", ["lines", "tools", "notes"])
def test_fuzzed(campaign: Campaign, fuzz: bool, what: str) -> None:
    whole = {"lines": 5000, "tools": 2000, "notes": 4000}[what]
    sample = {"lines": 60, "tools": 30, "notes": 30}[what]
    campaign("fuzz", what, "--cases", str(whole if fuzz else sample))


@needs_proc
def test_late_editors(campaign: Campaign, soak: bool) -> None:
    # S-4: words of a program that still had the file open
    campaign("late", *(["--all"] if soak else []))


@needs_proc
@pytest.mark.parametrize("served", [False, True])
def test_racing_editors(campaign: Campaign, soak: bool, served: bool) -> None:
    # V-8, S-4: nothing an editor saved is lost or hidden
    campaign("race", "--seconds", "600" if soak else "3", *(["--served"] if served else []))


@needs_proc
@pytest.mark.parametrize(("what", "sample", "whole"), [("threads", 120, 4000), ("calls", 90, 5000), ("undo", 25, 200)])
def test_the_library(campaign: Campaign, soak: bool, what: str, sample: int, whole: int) -> None:
    # B-3, S-7: threads, leaks, and undo with modification times
    campaign("library", what, "--cases", str(whole if soak else sample))


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
@pytest.mark.parametrize("clones", [2, 3])
def test_clones_merge(campaign: Campaign, soak: bool, clones: int) -> None:
    # V-11: no conflict but the ones named, the same bytes everywhere, nothing lost, nothing private told
    campaign("git", "--seed", str(clones), "--clones", str(clones), "--merges", "150" if soak else "2")


LEAK = """
import threading
from tests.campaigns.library import _rested, grown, held

warm = held() | {"LanceDB's threads": 30}
stop = threading.Event()
thread = threading.Thread(target=stop.wait)
thread.start()
assert [each.split(":")[0] for each in grown(warm, held())] == ["our threads"], (warm, held())
stop.set()
thread.join()
assert grown(warm, _rested(warm)) == [], (warm, held())
"""


@needs_proc
def test_a_leak_is_seen() -> None:
    # one thread more than when it was warm, however many LanceDB's pool has let go of meanwhile
    # in a process of its own: threads of other tests may end at any time
    subprocess.run([sys.executable, "-c", LEAK], cwd=REPOSITORY, check=True)
