"""Draw every picture of README and docs into docs/pictures/; with --check, say whether they are as they would be drawn.

Run it from the project's environment: `python docs/pictures.py [--check]`. The recording is what real commands say on
a copy of the sample vault, at a fixed time and with ids drawn from a fixed seed; figures are those of the committed
benchmark results. The same source gives the same bytes.
"""

from __future__ import annotations

import io
import json
import math
import os
import random
import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from vault_mem import Vault
from vault_mem.cli.console import Console
from vault_mem.cli.main import run
from vault_mem.messages.words import columns
from vault_mem.operations.upkeep.graph import GraphNode

PROJECT = Path(__file__).resolve().parents[1]
FOLDER = PROJECT / "docs" / "pictures"
RESULTS = PROJECT / "benchmarks" / "results"
MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Noto Sans Mono CJK JP','Noto Sans CJK JP',monospace"
SANS = "system-ui,-apple-system,'Segoe UI','Noto Sans','Noto Sans CJK JP',sans-serif"
INK, PALE, LINE, PAPER = "#24292f", "#57606a", "#d0d7de", "#ffffff"
PALER = ("#dfe2e6", "#9a9ea3", "#c0c4c9")
BLUE, GREEN, ORANGE, PURPLE = "#0969da", "#1a7f37", "#bc4c00", "#8250df"


# --- a folder with the sample vault, the same each time ------------------------------------------------------------


def sample(place: Path) -> tuple[Path, dict[str, str]]:
    """A copy of the sample vault, and an environment in which nothing else is seen."""
    root = place / "nagi"
    shutil.copytree(PROJECT / "sample_vault", root)
    env = {"HOME": str(place), "VAULT_MEM_INDEX_DIR": str(place / "index"), "VAULT_MEM_DAEMON": "off"}
    return root, env


def drawn_from(seed: int) -> Callable[[int], str]:
    """Ids as `secrets` gives them, but the same each time."""
    dice = random.Random(seed)
    return lambda size: dice.randbytes(size).hex()


# --- the recording ------------------------------------------------------------------------------------------------

WIDTH = 88
STEPS = (
    ("10:30:00", ["remember", "The standup is at 3pm in the small room.", "--kind", "fact"]),
    ("10:31:00", ["remember", "The standup takes place at 3pm, in the small room."]),
    (
        "10:32:00",
        [
            *("remember", "The standup is at 4pm in the small room.", "--kind", "fact"),
            *("--supersedes", "The standup is at 3pm in the small room", "--no-scaffold"),
        ],
    ),
    ("10:33:00", ["recall", "when do we meet for the standup?", "-n", "1"]),
    ("10:34:00", ["recall", "次の歯の検診はいつ", "-n", "1"]),
)
SCAFFOLD = re.compile(r"\n(?:\x1b\[2m)?---")
SGR = re.compile(r"\x1b\[(\d+)m")
CLASSES = {"1": "b", "2": "d", "31": "r", "32": "g", "33": "y", "36": "c"}


def recording(root: Path, env: dict[str, str]) -> str:
    """A terminal in which the commands are run one after the other."""
    screens = []
    for clock, arguments in STEPS:
        out = io.StringIO()
        at = env | {"VAULT_MEM_NOW": f"2026-11-17T{clock}+09:00"}
        console = Console(root, at, io.BytesIO(), out, out, width=WIDTH, terminal=True, colour=True)
        run(arguments, console)
        said = SCAFFOLD.split(out.getvalue())[0].rstrip()
        screens.append((_typed(arguments), said.splitlines()))
    return _terminal(screens)


def _typed(arguments: list[str]) -> str:
    return "vault-mem " + " ".join(f'"{each}"' if " " in each else each for each in arguments)


def _terminal(screens: list[tuple[str, list[str]]]) -> str:
    step, cell, top, left = 19, 8.4, 62, 24
    rows: list[str] = []
    y, shows = top, 0.6
    for command, lines in screens:
        folded = _folded(f"$ {command}", WIDTH)
        for number, line in enumerate(folded):
            rows.append(_row(line if number else f"\x1b[32m$\x1b[39m\x1b[1m{line[1:]}\x1b[22m", left, y, cell, shows))
            y += step
        shows += 1.2
        for line in lines:
            rows.append(_row(line, left, y, cell, shows))
            y += step
        shows += 2.4
        y += step // 2
    width, height = round(left * 2 + WIDTH * cell), y + 6
    style = (
        f"text{{font:14px {MONO};fill:#e6edf3;white-space:pre}}.b{{font-weight:600}}.d{{fill:#8b949e}}.r{{fill:#ff7b72}}"
        ".g{fill:#3fb950}.y{fill:#d29922}.c{fill:#79c0ff}@keyframes s{from{opacity:0}to{opacity:1}}"
        ".l{animation:s .01s both}@media (prefers-reduced-motion){.l{animation:none}}"
    )
    dots = "".join(
        f'<circle cx="{24 + 20 * place}" cy="22" r="6" fill="{colour}"/>'
        for place, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    head = f'<rect width="{width}" height="{height}" rx="10" fill="#0d1117"/>{dots}'
    told = (
        "A terminal: a fact is saved, its repetition refused, its change closes the old one; questions in two languages"
    )
    return _svg(width, height, told, f"<style>{style}</style>{head}" + "".join(rows))


def _folded(line: str, width: int) -> list[str]:
    """A command as one would type it over several lines."""
    lines, current = [], ""
    for word in line.split(" "):
        if current and columns(current) + columns(word) + 1 > width - 2:
            lines.append(current + " \\")
            current = "   "
        current = f"{current} {word}" if current else word
    return [*lines, current]


def _row(line: str, x: float, y: int, cell: float, shows: float) -> str:
    """A line of the terminal; each run of it in the columns that a terminal would give it."""
    parts, at, held = [], 0, set[str]()
    pieces = SGR.split(line)
    for number, piece in enumerate(pieces):
        if number % 2:
            held = _changed(held, piece)
            continue
        for run_ in re.findall(r"[\u1100-\uffef]+|[^\u1100-\uffef]+", piece):
            wide = columns(run_)
            kind = f' class="{" ".join(sorted(held))}"' if held else ""
            place = f'x="{x + at * cell:.1f}" textLength="{wide * cell:.1f}"'
            parts.append(f"<tspan {place}{kind}>{escape(run_)}</tspan>")
            at += wide
    return f'<text class="l" y="{y}" style="animation-delay:{shows:.1f}s">{"".join(parts)}</text>' if parts else ""


def _changed(held: set[str], sign: str) -> set[str]:
    if sign == "39":
        return held - {"r", "g", "y", "c"}
    if sign == "22":
        return held - {"b", "d"}
    return held | {CLASSES[sign]}


# --- how it fits together -----------------------------------------------------------------------------------------


def drawing() -> str:
    """Files, index, daemon and agents."""
    boxes = [
        _box(40, 60, 250, 74, "Your agent", "MCP tools, hooks, or the shell", PURPLE),
        _box(40, 160, 250, 74, "You", "vault-mem … in a terminal", PURPLE),
        _box(40, 260, 250, 74, "Your program", "from vault_mem import Vault", PURPLE),
        _box(370, 140, 220, 114, "The daemon", "keeps model and index ready", BLUE, "starts by itself, ends by itself"),
        _box(710, 40, 250, 130, "Markdown files", "one memory each: the truth", GREEN, "Obsidian, git and your editor", "work on the same files"),
        _box(710, 236, 250, 98, "The index", "LanceDB, in your cache folder", ORANGE, "made from the files alone"),
    ]  # fmt: skip
    arrows = [
        _arrow(290, 97, 370, 172),
        _arrow(290, 197, 370, 197),
        _arrow(290, 297, 370, 222),
        _arrow(590, 170, 710, 110, "writes, watches"),
        _arrow(590, 224, 710, 280, "searches"),
        _arrow(835, 170, 835, 236, "is rebuilt from", aside=True),
    ]
    foot = f'<text x="500" y="376" text-anchor="middle" fill="{PALE}" font-size="14">No network, no account, no GPU. Without a daemon every command does the same by itself.</text>'
    head = (
        '<defs><marker id="a" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 10 5 0 10z" fill="{PALE}"/></marker></defs>'
    )
    told = "Agents, people and programs ask the daemon; it writes Markdown files and searches an index that is made from them"
    style = f"<style>text{{font-family:{SANS}}}</style>"
    return _svg(1000, 400, told, style + head + _paper(1000, 400) + "".join(arrows) + "".join(boxes) + foot)


def _box(x: int, y: int, width: int, height: int, title: str, text: str, colour: str, *more: str) -> str:
    lines = [text, *more]
    first = y + height / 2 - 11 * len(lines) + 6
    said = f'<text x="{x + width / 2:g}" y="{first:g}" text-anchor="middle" font-size="17" font-weight="600" fill="{INK}">{escape(title)}</text>'
    said += "".join(
        f'<text x="{x + width / 2:g}" y="{first + 22 * number:g}" text-anchor="middle" font-size="14" fill="{PALE}">{escape(line)}</text>'
        for number, line in enumerate(lines, start=1)
    )
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{PAPER}" stroke="{colour}" stroke-width="2"/>{said}'


def _arrow(x1: int, y1: int, x2: int, y2: int, text: str = "", *, aside: bool = False) -> str:
    line = f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{PALE}" stroke-width="1.5" marker-end="url(#a)"/>'
    if not text:
        return line
    place = (
        f'x="{x1 + 10}" y="{(y1 + y2) / 2 + 5:g}"'
        if aside
        else f'x="{(x1 + x2) / 2:g}" y="{min(y1, y2) - 6:g}" text-anchor="middle"'
    )
    return f'{line}<text {place} font-size="13" fill="{PALE}">{escape(text)}</text>'


# --- a note, and the graph of the sample vault --------------------------------------------------------------------

NOTE = "memories/2026-08/"
ROUNDS = 300


def notes_and_graph(root: Path, env: dict[str, str]) -> str:
    """A note as it is on disk, and the graph of all."""
    vault = Vault(root, env=env | {"VAULT_MEM_NOW": "2026-11-17T10:00:00+09:00"})
    picture = vault.graph()
    note = vault.show(vault.recall("O-ring for the logger cap", 1)[0].memory)
    text = (root / note.memory.path).read_text(encoding="utf-8").rstrip()
    lines = [part for line in text.splitlines() for part in _cut(line, 50)][:24]
    shown = "".join(
        f'<text x="28" y="{66 + 19 * number}" font-family="{MONO}" font-size="12.5" fill="{INK}" xml:space="preserve">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    head = f'<text x="28" y="32" font-family="{MONO}" font-size="12.5" fill="{PALE}">{escape(Path(note.memory.path).name)}</text>'
    left = f'<rect x="12" y="12" width="436" height="536" rx="8" fill="{PAPER}" stroke="{LINE}"/>{head}<line x1="12" y1="44" x2="448" y2="44" stroke="{LINE}"/>{shown}'
    degree = {node.id: 0 for node in picture.nodes}
    pairs = [(arc.source, arc.target) for arc in picture.arcs]
    for pair in pairs:
        for id_ in pair:
            degree[id_] += 1
    largest = _largest([node.id for node in picture.nodes], pairs)
    pairs = [pair for pair in pairs if pair[0] in largest]
    linked = sorted((node for node in picture.nodes if node.id in largest), key=lambda node: node.id)
    places = _placed([node.id for node in linked], pairs)
    lines_ = "".join(
        f'<line x1="{places[a][0]:.0f}" y1="{places[a][1]:.0f}" x2="{places[b][0]:.0f}" y2="{places[b][1]:.0f}" stroke="{LINE}" stroke-width="1.5"/>'
        for a, b in pairs
    )
    dots = "".join(
        f'<circle cx="{places[node.id][0]:.0f}" cy="{places[node.id][1]:.0f}" r="{4 + 1.2 * math.sqrt(degree[node.id]):.1f}" '
        f'fill="{ORANGE if node.episode else BLUE if node.title.isascii() else GREEN}"/>'
        for node in linked
    )
    known: list[GraphNode] = []
    for node in sorted(linked, key=lambda node: (-degree[node.id], node.id)):
        x, y = places[node.id]
        if all(abs(y - places[other.id][1]) > 26 or abs(x - places[other.id][0]) > 190 for other in known):
            known.append(node)
    names = "".join(
        f'<text x="{places[node.id][0]:.0f}" y="{places[node.id][1] - 11:.0f}" text-anchor="middle" font-family="{SANS}" '
        f'font-size="11.5" fill="{INK}">{escape(_cut(node.title, 26)[0])}</text>'
        for node in known
    )
    right = (
        f'<rect x="460" y="12" width="528" height="536" rx="8" fill="{PAPER}" stroke="{LINE}"/>{lines_}{dots}{names}'
    )
    told = "On the left a memory as a Markdown file, on the right the links between the memories of the sample vault"
    return _svg(1000, 560, told, _paper(1000, 560) + left + right)


def _largest(ids: list[str], pairs: list[tuple[str, str]]) -> set[str]:
    """Those that hang together, of the largest cluster."""
    cluster = {id_: {id_} for id_ in ids}
    for a, b in pairs:
        joined = cluster[a] | cluster[b]
        for id_ in joined:
            cluster[id_] = joined
    return max((cluster[id_] for id_ in ids), key=len)


def _cut(line: str, width: int) -> list[str]:
    """A line in pieces of that many columns; at spaces where there are any."""
    pieces, current = [], ""
    for char in line:
        if columns(current + char) > width:
            head, sign, rest = current.rpartition(" ")
            keep = sign and columns(rest) < 16
            pieces.append(head if keep else current)
            current = rest if keep else ""
        current += char
    return [*pieces, current]


def _placed(ids: list[str], pairs: list[tuple[str, str]]) -> dict[str, tuple[float, float]]:
    """Nodes that push each other away and links that pull; rounded at each step, so that it is the same anywhere."""
    dice = random.Random(3)
    at = {id_: [dice.randint(-200, 200) * 1.0, dice.randint(-200, 200) * 1.0] for id_ in ids}
    for number in range(ROUNDS):
        heat = 12 * (1 - number / ROUNDS)
        moved = {id_: [-place[0] * 0.02, -place[1] * 0.02] for id_, place in at.items()}
        for a in ids:
            for b in ids:
                if a < b:
                    dx, dy = at[a][0] - at[b][0], at[a][1] - at[b][1]
                    push = 1600 / max(dx * dx + dy * dy, 25)
                    for id_, sign in ((a, 1), (b, -1)):
                        moved[id_][0] += sign * dx * push / 20
                        moved[id_][1] += sign * dy * push / 20
        for a, b in pairs:
            dx, dy = at[a][0] - at[b][0], at[a][1] - at[b][1]
            for id_, sign in ((a, -1), (b, 1)):
                moved[id_][0] += sign * dx * 0.05
                moved[id_][1] += sign * dy * 0.05
        for id_ in ids:
            for axis in (0, 1):
                at[id_][axis] = round(at[id_][axis] + max(-heat, min(heat, moved[id_][axis])), 3)
    spans = [(min(place[axis] for place in at.values()), max(place[axis] for place in at.values())) for axis in (0, 1)]
    room = ((560, 890), (60, 510))
    return {
        id_: (
            room[0][0] + (x - spans[0][0]) / (spans[0][1] - spans[0][0]) * (room[0][1] - room[0][0]),
            room[1][0] + (y - spans[1][0]) / (spans[1][1] - spans[1][0]) * (room[1][1] - room[1][0]),
        )
        for id_, (x, y) in at.items()
    }


# --- plots of the benchmarks --------------------------------------------------------------------------------------


def bars(title: str, note: str, groups: dict[str, dict[str, float]]) -> str:
    """Groups of bars between 0 and 1, with their figures."""
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    colours = {name: BLUE if name == names[0] else PALER[place % len(PALER)] for place, name in enumerate(names)}
    height = 96 + sum(26 + 20 * len(group) for group in groups.values())
    parts = [f'<text x="24" y="36" font-size="17" font-weight="600" fill="{INK}">{escape(title)}</text>']
    parts.append(f'<text x="24" y="58" font-size="13" fill="{PALE}">{escape(note)}</text>')
    y = 82
    for group, values in groups.items():
        parts.append(f'<text x="24" y="{y + 12}" font-size="14" fill="{INK}">{escape(group)}</text>')
        y += 20
        for name, value in values.items():
            length = max(2, round(560 * value))
            weight = ' font-weight="600"' if name == names[0] else ""
            parts.append(
                f'<text x="176" y="{y + 12}" font-size="13" text-anchor="end" fill="{PALE}"{weight}>{escape(name)}</text>'
            )
            parts.append(f'<rect x="186" y="{y}" width="{length}" height="15" rx="3" fill="{colours[name]}"/>')
            parts.append(
                f'<text x="{194 + length}" y="{y + 12}" font-size="13" fill="{INK}"{weight}>{value:.3f}</text>'
            )
            y += 20
        y += 6
    style = f"<style>text{{font-family:{SANS}}}</style>"
    return _svg(860, height, f"{title}. {note}", style + _paper(860, height) + "".join(parts))


def plots() -> Iterator[tuple[str, str]]:
    """A plot for each committed result that has one."""
    file = RESULTS / "unseen.json"
    if file.exists():
        yield "unseen.svg", _unseen(json.loads(file.read_text(encoding="utf-8")))
    file = RESULTS / "peers.json"
    if file.exists():
        yield "peers.svg", _peers(json.loads(file.read_text(encoding="utf-8")))


HELD_OUT = re.compile(r"unseen: (.+), held-out \((\d+)\), R@5(?: of (BM25|vectors) alone)?$")


def _unseen(results: dict[str, Any]) -> str:
    """The share of what answers that is among the first five, beside what is usually done."""
    groups: dict[str, dict[str, float]] = {}
    for each in results["figures"]:
        match = HELD_OUT.match(each["name"])
        if match is None:
            continue
        group = groups.setdefault(f"{match[1]} ({match[2]} questions)", {})
        if match[3]:
            group[f"{match[3]} alone"] = each["value"]
        else:
            group |= {"vault-mem": each["value"], "plain hybrid": each["reference"]}
    note = f"R@5, `python -m benchmarks unseen`, {results['at'][:10]}; texts that no weight was fitted to, half of the questions held out"
    return bars("How much of what answers is among the first five results", note, groups)


def _peers(results: dict[str, Any]) -> str:
    """R@5 of every program on every set."""
    groups = {
        f"{title} ({count} questions)": {name: each["quality"][title]["R@5"] for name, each in results["peers"].items()}
        for title, count in results["sets"].items()
    }
    note = f"R@5, `make peers`, {results['at']}; versions, models and what is not comparable: docs/peers.md"
    return bars("How much of what answers is among the first five results, beside others", note, groups)


# --- all of them --------------------------------------------------------------------------------------------------


def _paper(width: int, height: int) -> str:
    return f'<rect width="{width}" height="{height}" rx="10" fill="#f6f8fa"/>'


def _svg(width: int, height: int, told: str, inside: str) -> str:
    box = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img"><title>{escape(told)}</title>{inside}</svg>\n'


def pictures() -> dict[str, str]:
    """Every picture by the name of its file."""
    secrets.token_hex = drawn_from(20261117)  # type: ignore[assignment]
    os.environ["COLUMNS"] = str(WIDTH)
    with tempfile.TemporaryDirectory(prefix="vault-mem-pictures-") as place:
        root, env = sample(Path(place).resolve())
        made = {"how-it-fits.svg": drawing(), "notes-and-graph.svg": notes_and_graph(root, env)}
        made["recording.svg"] = recording(root, env)
    return made | dict(plots())


def main(arguments: list[str]) -> int:
    """Write the pictures, or compare them with those that are there."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: python docs/pictures.py [--check]\n")
        return 2
    made = pictures()
    if arguments:
        held = {name: (FOLDER / name).read_text(encoding="utf-8") for name in made if (FOLDER / name).exists()}
        other = sorted(name for name in made if held.get(name) != made[name])
        if other:
            sys.stderr.write(f"docs/pictures: {', '.join(other)} would be drawn otherwise: run make pictures\n")
        return int(bool(other))
    FOLDER.mkdir(exist_ok=True)
    for name, content in made.items():
        (FOLDER / name).write_text(content, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
