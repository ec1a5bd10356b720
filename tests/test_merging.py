"""Three texts become one: the laws of a merge, without git (SPEC V-11). tests/test_git.py has the clones."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vault_mem.merge_driver import main
from vault_mem.merging import merge
from vault_mem.merging.lines import merge_text
from vault_mem.merging.note import sides
from vault_mem.notes.checklist import Proposal, add, record_answer
from vault_mem.operations.vaults.obsidian import base_text
from vault_mem.vault.settings import Settings

NOTE = """---
id: mem_49b707a0883d
created: 2026-11-06T16:20:00  # when
importance: 3
links:
  - "[[ferry-651b9d29|Ferry · similar 0.93]]"
mine: {a: 1}
---
First.

Second.
"""
KEYS = ("memories/x.md", "history/2026-11.jsonl", "memory/2026-11-10.md", "MEMORY.md", "REVIEW.md", "SELF.md", "a.base")


def merged(key: str, base: str | None, ours: str, theirs: str) -> tuple[str, list[str]]:
    found = merge(key, None if base is None else base.encode(), ours.encode(), theirs.encode())
    return found.text, found.conflicts


def test_lines_merge_as_in_git(tmp_path: Path) -> None:
    # the same text where it is clean, a conflict where git has one
    rng = random.Random(7)

    def edited(lines: list[str]) -> list[str]:
        lines = list(lines)
        for _ in range(rng.randrange(4)):
            place = rng.randrange(len(lines) + 1)
            lines[place : place + rng.randrange(2)] = rng.choices(["x\n", "y\n", "z\n"], k=rng.randrange(3))
        return lines

    for _ in range(60):
        base = rng.choices("abcdefgh", k=rng.randrange(14))
        base = [f"{line}\n" for line in base]
        texts = ["".join(each) for each in (edited(base), base, edited(base))]
        for name, text in zip("abc", texts, strict=True):
            (tmp_path / name).write_text(text)
        git = subprocess.run(
            ["git", "merge-file", "-p", "a", "b", "c"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        found = merge_text(texts[1], texts[0], texts[2])
        assert bool(found.conflicts) == bool(git.returncode)
        if not found.conflicts:
            assert found.text == git.stdout


LINES = st.lists(
    st.sampled_from(
        [
            "---",
            "id: mem_00000000000a",
            "tags:",
            "  - a",
            "text",
            "",
            "- 10:00 x [id:mem_00000000000a]",
            "<!-- vault-mem:begin -->",
            "<!-- vault-mem:end -->",
            '{"id": "a", "at": "2026-11-01T00:00:00+00:00"}',
            "## Open",
            "- name: Nagi",
        ]
    ),
    max_size=8,
).map(lambda lines: "\n".join(lines) + "\n")


@settings(max_examples=60)
@given(st.sampled_from(KEYS), LINES, LINES)
def test_what_one_side_changed_is_that_side(key: str, base: str, other: str) -> None:
    # never a conflict, whatever the text is
    for ours, theirs in ((other, base), (base, other), (other, other)):
        assert merged(key, base, ours, theirs)[1] == []


@settings(max_examples=60)
@given(LINES, LINES, LINES)
def test_no_line_of_a_text_is_lost(base: str, ours: str, theirs: str) -> None:
    texts = [each.replace("---", "") for each in (base, ours, theirs)]
    text, _ = merged("memories/x.md", *texts)
    was, one, other = (set(each.split("\n")) for each in texts)
    assert (one | other) - was <= set(text.split("\n"))


def test_a_note_key_by_key() -> None:
    ours = NOTE.replace("importance: 3", "importance: 5\nlast_confirmed: 2026-11-08")
    ours = ours.replace('0.93]]"', '0.93]]"\n  - "[[harbour]]"')
    theirs = NOTE.replace("importance: 3", "importance: 4\nlast_confirmed: 2026-11-09T10:00:00\nprivate: true")
    theirs = theirs.replace('0.93]]"', '0.93]]"\n  - "[[quay]]"').replace("mine: {a: 1}", "mine: {a: 2}")
    text, conflicts = merged("memories/x.md", NOTE, ours, theirs)
    assert conflicts == []
    assert text == NOTE.replace(
        "importance: 3", "importance: 5\nlast_confirmed: 2026-11-09T10:00:00\nprivate: true"
    ).replace('0.93]]"', '0.93]]"\n  - "[[harbour]]"\n  - "[[quay]]"').replace("{a: 1}", "{a: 2}")


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "wanted"),
    [
        ("", "valid_to: 2026-11-02", "valid_to: 2026-11-01", "valid_to: 2026-11-01"),
        ("valid_to: 2026-11-02", "", "valid_to: 2026-11-03", "valid_to: 2026-11-03"),
        ("valid_to: 2026-11-02", "", "valid_to: 2026-11-02", ""),
        ("status: open", "status: done", "status: waiting", "status: done"),
        ("", "private: false", "private: true", "private: true"),
        ("tags: [a, b]", "tags: [a, b, c]", "tags: [b]", "tags:\n  - b\n  - c"),
        ("tags:\n  - a", "tags: []", "", ""),
        ('links:\n  - "[[a|A · similar 0.7]]"', 'links:\n  - "[[a|A · related]]"', "links: []", "links: []"),
    ],
)
def test_rules_of_keys(base: str, ours: str, theirs: str, wanted: str) -> None:
    notes = [
        f"---\nid: mem_00000000000a\n{each}\n---\nText.\n".replace("\n\n", "\n")
        for each in (base, ours, theirs, wanted)
    ]
    assert merged("memories/x.md", *notes[:3]) == (notes[3], [])


def test_both_gave_one_note_an_id_and_a_date() -> None:
    # adoption on two machines, whose files have different times
    ours, theirs = (f"---\nid: mem_00000000000a\ncreated: 2026-11-0{day}T10:00:00\n---\nText.\n" for day in (2, 1))
    assert merged("memories/x.md", "Text.\n", ours, theirs) == (theirs, [])
    assert merged("memories/x.md", "Text.\n", ours, "Text, edited.\n") == (ours.replace("Text", "Text, edited"), [])


def test_front_matter_that_nobody_can_take_apart() -> None:
    # its note can be read all the same: our front matter, theirs in the text
    base, ours, theirs = (f"---\n{{id: mem_00000000000a, kind: {kind}}}\n---\nText.\n" for kind in ("a", "b", "c"))
    text, conflicts = merged("memories/x.md", base, ours, theirs)
    assert conflicts and text.startswith(ours) and "kind: c" in text


def test_history_is_in_order_and_what_was_taken_out_stays_out() -> None:
    def line(id_: str, at: str) -> str:
        return f'{{"id": "{id_}", "at": "{at}"}}\n'

    first, hidden = line("a", "2026-11-01T10:00:00+00:00"), line("b", "2026-11-01T11:00:00+00:00")
    east, west = line("c", "2026-11-01T21:30:00+09:00"), line("d", "2026-11-01T12:00:00+00:00")
    text, conflicts = merged("history/2026-11.jsonl", first + hidden, first + east, first + hidden + west)
    assert (text, conflicts) == (first + west + east, [])


def test_ticks_stay() -> None:
    one, other = (Proposal("close", (f"mem_00000000000{n}",), f"close {n}", "01234567") for n in (1, 2))
    base = add(None, [one, other])
    ours = record_answer(base, one, "x", "2026-11-10")
    theirs = base.replace("- [ ] close 2", "- [x] close 2").replace("- [ ] close 1", "- [-] close 1") + "\nMy remark.\n"
    text, conflicts = merged("REVIEW.md", base, ours, theirs)
    assert conflicts == []
    assert "- [x] close 2" in text and "- [x] 2026-11-10 close 1" in text and "My remark." in text
    assert text.count(one.id) == text.count(other.id) == 1
    assert text == merged("REVIEW.md", base, theirs, ours)[0]


def test_a_self_with_questions_of_both() -> None:
    base = "# Self\n\n## Fields\n\n- name: Nagi\n- mood: calm\n\n## Questions\n\n- [ ] Who am I?\n"
    ours = base.replace("calm", "tired") + "- [ ] What next?\n"
    theirs = base.replace("- [ ] Who am I?", "- [x] Who am I? (Nagi)") + "- [ ] Why?\n"
    text, conflicts = merged("SELF.md", base, ours, theirs)
    assert conflicts == []
    assert text.endswith("- [x] Who am I? (Nagi)\n- [ ] What next?\n- [ ] Why?\n") and "mood: tired" in text
    assert merged("SELF.md", base, ours, base.replace("calm", "glad"))[1] == ["text"]


def test_the_sides_of_a_marked_text() -> None:
    # also in the style that shows the base, and with CRLF
    text = "a\n<<<<<<< HEAD\nb\n||||||| 1234\nc\n=======\nd\n>>>>>>> side\ne\n"
    assert sides(text) == ("a\nc\ne\n", "a\nb\ne\n", "a\nd\ne\n")
    assert sides(text.replace("||||||| 1234\nc\n", "").replace("\n", "\r\n")) == (
        "a\r\ne\r\n",
        "a\r\nb\r\ne\r\n",
        "a\r\nd\r\ne\r\n",
    )
    assert sides("a\n=======\n") is None


def test_a_large_note_takes_no_time() -> None:
    # 20,000 lines, all of them changed on one side
    base = "".join(f"line {n}\n" for n in range(20_000))
    assert merged("memories/x.md", base, base.replace("line", "row"), base + "end\n")[1] == ["text"]


def test_a_note_is_merged_without_importing_anything(tmp_path: Path) -> None:
    # V-11: at most 3 x a bare Python (benchmarks: start); what is not imported takes no time on any machine
    for name, text in (("o", NOTE), ("a", NOTE.replace("First", "1st")), ("b", NOTE.replace("Second", "2nd"))):
        (tmp_path / name).write_text(text)
    script = (
        "import sys; before = set(sys.modules); from vault_mem.merge_driver import main; "
        "code = main(['o', 'a', 'b', 'memories/x.md']); print(*sorted(set(sys.modules) - before)); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    modules = {"vault_mem", "vault_mem.merge_driver", *(f"vault_mem.merging{each}" for each in ("", ".note", ".lines"))}
    assert set(done.stdout.split()) <= modules | {"__future__"}
    assert (tmp_path / "a").read_text() == NOTE.replace("First", "1st").replace("Second", "2nd")


def test_both_sides_made_obsidians_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # what init writes counts as their common beginning
    made = base_text(Settings())
    ours, theirs = made.replace("limit: 100", "limit: 50"), made.replace("name: Closed", "name: Over")
    (tmp_path / "vault-mem.toml").write_text("")
    for name, text in (("o", ""), ("a", ours), ("b", theirs)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    assert main(["o", "a", "b", "memories.base"]) == 0
    assert (tmp_path / "a").read_text() == ours.replace("name: Closed", "name: Over") != made


def test_a_driver_that_fails_leaves_it_to_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # both texts are in the file, whatever was wrong
    for name, text in (("o", "a\n"), ("a", "b\n"), ("b", "c\n")):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("vault_mem.merge_driver.merge", lambda *_: 1 // 0)
    assert main(["o", "a", "b", "memories/x.md"]) == 5
    assert "b\n=======\nc\n" in (tmp_path / "a").read_text()
