"""`python -m benchmarks [NAME ...]`: run benchmarks and print a row for every figure.

Each benchmark is a module `bench_NAME.py` with a function `run(setting)` that yields figures. `NEEDS` names files that
it needs and that are not part of the project, and `PACKAGES` names packages. It runs in its own process, folder and
environment, so nothing of the user's is touched and peak memory is its own. Exits with 1 if a target was missed or a
benchmark failed.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import sys
import time
from dataclasses import asdict
from pathlib import Path

from benchmarks.harness import DATA, PROJECT, Figure
from benchmarks.isolated import figures_of

_PREFIX = "bench_"
_ROW = "{:<44} {:>11}  {:<34} {:>8}  {:<9} {}"


def main() -> int:
    """Parse the command line, run, print, and return the exit code."""
    available = sorted(path.stem.removeprefix(_PREFIX) for path in Path(__file__).parent.glob(f"{_PREFIX}*.py"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure vault-mem.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ones, default all: {', '.join(available)}")
    parser.add_argument("--quick", action="store_true", help="smaller vaults: minutes instead of a quarter of an hour")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE as well")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in available]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are: {', '.join(available)}")

    print(_ROW.format("figure", "value", "reference (same run)", "ratio", "target", "").rstrip())
    figures: list[Figure] = []
    skipped: dict[str, str] = {}
    failed: list[str] = []
    for name in options.names or available:
        missing = _missing(name)
        if missing:
            skipped[name] = missing
            print(f"{name}: skipped, {skipped[name]}", flush=True)
            continue
        try:
            for figure in figures_of(f"{_PREFIX}{name}", options.quick):
                figures.append(figure)
                print(_row(figure), flush=True)
        except RuntimeError as error:
            failed.append(name)
            print(f"{name}: failed\n{error}", flush=True)

    missed = [figure.name for figure in figures if figure.met is False]
    print(_summary(figures, missed, skipped, failed))
    if options.json:
        _write_json(options.json, figures, skipped, failed, options.quick)
    return 1 if missed or failed else 0


def _missing(name: str) -> str:
    """The first data file or package that a benchmark needs and that is missing; empty if there is none."""
    try:
        module = importlib.import_module(f"benchmarks.{_PREFIX}{name}")
    except ModuleNotFoundError as error:
        return f"{error.name} is not installed"
    files = [DATA / file for file in getattr(module, "NEEDS", ()) if not (DATA / file).is_file()]
    packages = [each for each in getattr(module, "PACKAGES", ()) if importlib.util.find_spec(each) is None]
    return next((f"{os.path.relpath(file, PROJECT)} is not here" for file in files), "") or next(
        (f"{each} is not installed" for each in packages), ""
    )


def _row(figure: Figure) -> str:
    reference = ""
    if figure.reference is not None:
        reference = f"{_amount(figure.reference, figure.unit)} {figure.reference_name}"
    return _ROW.format(
        figure.name,
        _amount(figure.value, figure.unit),
        reference,
        "" if figure.ratio is None else f"{figure.ratio:.2f} ×",
        str(figure.target or ""),
        {True: "ok", False: "MISSED", None: ""}[figure.met],
    ).rstrip()


def _amount(value: float, unit: str) -> str:
    digits = 0 if value >= 1000 else 1 if value >= 10 else 3 if value < 1 else 2
    return f"{value:,.{digits}f} {unit}".strip()


def _summary(figures: list[Figure], missed: list[str], skipped: dict[str, str], failed: list[str]) -> str:
    with_target = sum(figure.target is not None for figure in figures)
    lines = [f"\n{with_target - len(missed)} of {with_target} targets met."]
    lines += [f"missed: {name}" for name in missed]
    lines += [f"skipped: {name} ({reason})" for name, reason in skipped.items()]
    lines += [f"failed: {name}" for name in failed]
    return "\n".join(lines)


def _write_json(path: Path, figures: list[Figure], skipped: dict[str, str], failed: list[str], quick: bool) -> None:
    packages = ("vault-mem", "lancedb", "model2vec", "numpy")
    record = {
        "at": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "versions": {name: importlib.metadata.version(name) for name in packages},
        "quick": quick,
        "figures": [
            asdict(figure) | {"ratio": figure.ratio, "target": str(figure.target or ""), "met": figure.met}
            for figure in figures
        ],
        "skipped": skipped,
        "failed": failed,
    }
    path.write_text(json.dumps(record, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
