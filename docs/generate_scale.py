"""Draw docs/scale.svg from the figures of `python -m benchmarks scale --json` in docs/scale.json: growth, both ways.

python docs/generate_scale.py [FIGURES.json ...]    # takes the figures of several runs over into docs/scale.json first
"""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NAME = re.compile(r"scale: ([\d,]+) with (\w+): (.+)")
PANELS = {
    "memory above an empty vault": "MB above an empty vault",
    "warm recall, p50": "warm recall, ms of CPU (p50)",
    "remember, p50": "remember, ms of CPU (p50)",
}
COLOURS = {"memory": "#b5542c", "lancedb": "#2c6fb5"}
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 300, 220, 46, 28, 34


def main() -> None:
    """Take figures over, and draw."""
    kept = HERE / "scale.json"
    if len(sys.argv) > 1:
        runs = [json.loads(Path(each).read_text(encoding="utf-8")) for each in sys.argv[1:]]
        kept.write_text(json.dumps(runs, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    runs = json.loads(kept.read_text(encoding="utf-8"))
    figures = [figure for run in runs for figure in run["figures"]]
    (HERE / "scale.svg").write_text(drawn(figures), encoding="utf-8")


def drawn(figures: list[dict[str, Any]]) -> str:
    """All panels side by side."""
    points: dict[str, dict[str, dict[int, float]]] = {what: {way: {} for way in COLOURS} for what in PANELS}
    for figure in figures:
        match = NAME.fullmatch(figure["name"])
        if match and match[3] in PANELS:
            value = figure["reference"] if figure["reference_name"] == "CPU" else figure["value"]
            points[match[3]][match[2]][int(match[1].replace(",", ""))] = value
    panels = [_panel(number * WIDTH, PANELS[what], ways) for number, (what, ways) in enumerate(points.items())]
    size = f'width="{WIDTH * len(panels)}" height="{HEIGHT}"'
    font = 'font-family="sans-serif" font-size="11"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>\n{"".join(panels)}</svg>\n'


def _panel(left: int, title: str, ways: dict[str, dict[int, float]]) -> str:
    sizes = sorted({size for values in ways.values() for size in values})
    most = max((value for values in ways.values() for value in values.values()), default=1.0)
    first, last = math.log10(min(sizes, default=1)), math.log10(max(sizes, default=10))

    def x(size: int) -> float:
        share = (math.log10(size) - first) / (last - first) if last > first else 0.5
        return left + LEFT + share * (WIDTH - LEFT - 40)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM)

    parts = [f'<text x="{left + LEFT}" y="16" font-weight="bold">{title}</text>\n']
    for value in (0, most / 2, most):
        parts.append(f'<text x="{left + LEFT - 6}" y="{y(value) + 4:.0f}" text-anchor="end">{value:,.0f}</text>\n')
        ends = f'x1="{left + LEFT}" x2="{left + WIDTH - 20}" y1="{y(value):.1f}" y2="{y(value):.1f}"'
        parts.append(f'<line {ends} stroke="#ddd"/>\n')
    parts += [f'<text x="{x(size):.0f}" y="{HEIGHT - 16}" text-anchor="middle">{size:,}</text>\n' for size in sizes]
    for number, (way, values) in enumerate(ways.items()):
        line = " ".join(f"{x(size):.1f},{y(values[size]):.1f}" for size in sorted(values))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{COLOURS[way]}" stroke-width="2"/>\n')
        parts += [f'<circle cx="{x(s):.1f}" cy="{y(v):.1f}" r="3" fill="{COLOURS[way]}"/>\n' for s, v in values.items()]
        parts.append(f'<text x="{left + LEFT + 6}" y="{TOP + 14 + 13 * number}" fill="{COLOURS[way]}">{way}</text>\n')
    return "".join(parts)


if __name__ == "__main__":
    main()
