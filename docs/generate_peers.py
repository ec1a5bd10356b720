"""Write the tables of docs/peers.md from benchmarks/results/peers.json; with --check, say whether they still match.

Run it from the project's environment: `python docs/generate_peers.py [--check]`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("peers.md")
RESULTS = Path(__file__).parents[1] / "benchmarks" / "results" / "peers.json"
TABLES = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- end of figures -->)", re.DOTALL)
CLOCK = "Times are seconds of processor time, with wall time in brackets."
SCORES = "R@5 is the share of a question's evidence in the first five results; MRR is one over the rank of the first."
TIMES = ("search from the shell", "warm search", "index", "nothing changed", "edit to found")


def tables(results: dict[str, Any]) -> str:
    """Versions, times and quality of every peer, and what could not be run."""
    peers = results["peers"]
    lines = [
        "",
        f"{results['at']}, {results['system']}, {results['notes']} generated notes. {_load(results)}{CLOCK}",
        "",
        _row(["", *peers]),
        _row(["---", *("---:" for _ in peers)]),
        _row(["version", *(each["version"] for each in peers.values())]),
        _row(["model", *(each["model"] for each in peers.values())]),
        *(_row([name, *(_time(each["figures"], name) for each in peers.values())]) for name in TIMES),
        _row(["peak memory", *(f"{each['figures']['peak memory, MB']:.0f} MB" for each in peers.values())]),
        "",
        SCORES,
        "",
        _row(["set (questions)", *peers]),
        _row(["---", *("---:" for _ in peers)]),
        *(
            _row([f"{title} ({count})", *(_quality(each["quality"][title]) for each in peers.values())])
            for title, count in results["sets"].items()
        ),
        "",
        *(f"Not run: {name}: {reason}" for name, reason in results["failed"].items()),
    ]
    return "\n".join(lines).rstrip() + "\n\n"


def _load(results: dict[str, Any]) -> str:
    before, after = results.get("load", (0.0, 0.0))
    return f"Load average {before} at the beginning and {after} at the end. " if before or after else ""


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _time(figures: dict[str, float], name: str) -> str:
    if name not in figures:
        return "–"
    return f"{_seconds(figures[f'{name}, CPU'])} ({_seconds(figures[name])})"


def _seconds(value: float) -> str:
    return f"{value:.3f}" if value < 1 else f"{value:.1f}"


def _quality(scores: dict[str, float]) -> str:
    return f"{scores['R@5']:.3f}, {scores['MRR']:.3f}"


def main(arguments: list[str]) -> int:
    """Write the page, or compare it with what is there."""
    page = PAGE.read_text(encoding="utf-8")
    made = TABLES.sub(lambda _: tables(json.loads(RESULTS.read_text(encoding="utf-8"))), page)
    if "--check" in arguments:
        if made != page:
            sys.stderr.write("docs/peers.md does not match benchmarks/results/peers.json: run docs/generate_peers.py\n")
        return int(made != page)
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
