"""Run campaigns one after the other on one stage, each in a forked child, so that all is loaded and built only once.

Every line of input is the command line of a campaign, as JSON; the answer is its exit code and its output.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import shutil
import sys
import tempfile
import traceback
from pathlib import Path

from . import stage as staging


def _run(words: list[str], output: int) -> None:
    """Become the campaign, in the forked child."""
    name, *options = words
    for handle in (1, 2):
        os.dup2(output, handle)
    code = 1
    try:
        sys.argv = [f"tests.campaigns.{name}", *options]
        code = importlib.import_module(f"tests.campaigns.{name}").main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def main() -> None:
    with staging.staged("campaigns") as stage, tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / "made"  # the stage as it was built: campaigns change it for their needs
        shutil.copytree(stage.folder / "kept", made, symlinks=True)
        staging.shared = stage
        for line in sys.stdin:
            shutil.rmtree(stage.folder / "kept")
            shutil.copytree(made, stage.folder / "kept", symlinks=True)
            stage.start_over()
            with tempfile.TemporaryFile() as output:
                child = os.fork()
                if child == 0:
                    _run(json.loads(line), output.fileno())
                _, status = os.waitpid(child, 0)
                output.seek(0)
                said = output.read().decode(errors="replace")
            print(json.dumps([os.waitstatus_to_exitcode(status), said]), flush=True)


if __name__ == "__main__":
    main()
