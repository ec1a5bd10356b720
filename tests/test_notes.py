"""Notes: bytes to a memory and back. Editing in place is in test_edit.py."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime, timedelta
from pathlib import Path

import frontmatter
import pytest
import yaml
from hostile import hostile_notes
from hypothesis import example, given, settings
from hypothesis import strategies as st

from vault_mem.model import KINDS, LINK_TYPES, Link, Memory, from_record, to_record
from vault_mem.notes.parse import parse, title_of
from vault_mem.notes.write import file_name, note_text, slug
from vault_mem.notes.yamlish import Loader, NoteHandler

TOKYO = zoneinfo.ZoneInfo("Asia/Tokyo")
EXAMPLES = settings.get_profile(settings.get_current_profile_name()).max_examples


def read(raw: bytes | str, path: str = "memories/a.md", **options):
    raw = raw.encode() if isinstance(raw, str) else raw
    return parse(raw, path, **{"mtime": 1_794_000_000, "zone": TOKYO} | options)


def front(text: str):
    note = read(f"---\n{text}\n---\nBody\n")
    return note.memory, [problem.reason for problem in note.problems]


# ---- never raises (V-7)

FRAGMENTS = st.sampled_from(
    [
        b"---\n",
        b"---\r\n",
        b"id: mem_0123456789ab\n",
        b"tags:\n",
        b"  - a\n",
        b"links: [[x]]\n",
        b"\xef\xbb\xbf",
        b"\0",
        b"\xff",
        b"created: 2026-11-15\n",
        b"importance: ",
        b"9",
        b"private: yes\n",
        b"&a [*a]\n",
        b"*a",
        b"{",
        b"}",
        b"[",
        b"]",
        b"'",
        b'"',
        b"|\n",
        b"? ",
        b": ",
        b"!!pairs ",
        b"!!set ",
        b"!!binary ",
        b"!!timestamp ",
        b"# x\n",
        b"\t",
        b"[[a|b \xc2\xb7 similar 0.5]]",
        b"**",
        b"```\n",
        b"\r",
        b"\xe2\x80\xa8",
        b"\xc2\x85",
        b"\xe3\x81\x82",
        b"...\n",
        b"%YAML 1.1\n",
        b"<<: *a\n",
        b"about_time: \n",
        b"aliases: [a, 1, null]\n",
        b"valid_to: 0001-01-01\n",
        b"9999-12-31T23:59:59\n",
        b"title: x\n",
        b"1e999\n",
        b"-",
        b"\n",
    ]
)


@settings(max_examples=EXAMPLES * 4)
@given(st.one_of(st.binary(max_size=300), st.lists(FRAGMENTS, max_size=25).map(b"".join)))
def test_parse_never_raises(raw: bytes) -> None:
    # V-7
    note = read(raw)
    assert note.memory.title
    assert 1 <= note.memory.importance <= 5
    assert note.memory.kind in KINDS
    assert note.memory.created.tzinfo is not None
    assert all(problem.path == "memories/a.md" for problem in note.problems)
    assert all(
        problem.line is None or 1 <= problem.line <= raw.count(b"\n") + raw.count(b"\r") + 2
        for problem in note.problems
    )
    assert from_record(to_record(note.memory)) == note.memory


@settings(max_examples=EXAMPLES * 2)
@given(st.binary(max_size=200), st.lists(FRAGMENTS, max_size=12).map(b"".join))
def test_parse_never_raises_inside_front_matter(noise: bytes, fragments: bytes) -> None:
    # V-7
    read(b"---\nid: mem_0123456789ab\n" + fragments + noise + b"\n---\nBody\n")


def test_hostile_notes_are_told_sound_from_unsound() -> None:
    # V-7
    for each in hostile_notes():
        note = read(each.data, f"memories/{each.name}")
        assert (not note.problems) == each.sound, (each.name, note.problems)


# ---- what is written is what is read (V-1, V-2)

WORD = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029\x85"), min_size=1, max_size=30
).map(str.strip)
WORDS = st.lists(WORD.filter(lambda word: word.strip("#[] ,、/^") == word and word), max_size=4)
LINE = WORD.filter(bool)
MOMENT = st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1)).map(  # noqa: DTZ001
    lambda moment: moment.replace(microsecond=0, tzinfo=UTC).astimezone(TOKYO)
)
SHARE = st.one_of(st.none(), st.floats(0, 1), st.sampled_from([0.0, 1.0, 1e-9, 0.1]))
NAME = st.from_regex(r"[a-z0-9ぁ-ん-]{1,20}-[0-9a-f]{8}", fullmatch=True)
LINKS = st.lists(
    st.builds(
        Link,
        NAME,
        st.sampled_from(LINK_TYPES),
        st.one_of(st.none(), st.integers(0, 100).map(lambda n: n / 100)),
        st.from_regex(r"[\w.,!?()'’]+(?: [\w.,!?()'’]+)*", fullmatch=True),
    ),
    max_size=4,
    unique_by=lambda link: link.target.casefold(),
)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), min_size=1, max_size=300).filter(
    lambda text: text.strip() == text and text and "[[" not in text
)
MEMORIES = st.builds(
    Memory,
    id=st.integers(0, 16**12 - 1).map(lambda number: f"mem_{number:012x}"),
    content=TEXT,
    created=MOMENT,
    importance=st.integers(1, 5),
    private=st.booleans(),
    category=LINE,
    kind=st.sampled_from(KINDS),
    tags=WORDS,
    people=WORDS.map(
        lambda words: [word for word in words if not set(word) & set("#^") and word[-3:].lower() != ".md"]
    ),
    emotion=LINE,
    secondary=WORDS,
    intensity=SHARE,
    valence=SHARE,
    arousal=SHARE,
    body_state=st.one_of(st.none(), LINE),
    about_time=st.one_of(st.none(), LINE),
    valid_from=st.one_of(st.none(), MOMENT),
    valid_to=st.one_of(st.none(), MOMENT),
    status=st.one_of(st.none(), LINE),
    supersedes=st.lists(NAME, max_size=2),
    confidence=SHARE,
    salience=SHARE,
    last_confirmed=st.one_of(st.none(), MOMENT),
    source=st.one_of(st.none(), LINE),
    links=LINKS,
)


@given(MEMORIES)
def test_a_written_note_reads_as_the_same_memory(memory: Memory) -> None:
    # V-1, V-2
    memory.title = title_of(memory.content) or "a"
    memory.path = "memories/a.md"
    note = read(note_text(memory, TOKYO))
    assert note.problems == []
    assert note.memory == memory
    lines = note_text(memory, TOKYO).split("\n---\n", 1)[0].split("\n")[1:]
    assert all(line.startswith("  - ") or not line.startswith(" ") for line in lines)  # flat


@given(st.text(max_size=200))
def test_names_of_files(title: str) -> None:
    # V-5: the name ends in the id's first 8 hex, is short, and has no sign that a file system or a wikilink trips over
    name = file_name(Memory("mem_0123456789ab", "x", datetime.now(UTC), title=title))
    assert name.endswith("-01234567.md")
    assert len(name.encode()) <= 255
    assert not set(name) & set('/\\:*?"<>|#^[]\n\0') and not name.startswith((".", "-", "~"))
    assert (
        file_name(Memory("mem_0123456789ab", "x", datetime.now(UTC), title=title, private=True))
        == "mem_0123456789ab.md"
    )


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Blue envelope 14", "blue-envelope-14"),
        ("Café Zürich", "cafe-zurich"),
        ("がくせい ｶﾀｶﾅ", "がくせい-カタカナ"),
        ("../../etc/passwd", "etc-passwd"),
        ("***", "memory"),
        ("w " * 60, "w-" * 19 + "w"),
    ],
)
def test_slugs(title: str, name: str) -> None:
    assert slug(title) == name


# ---- one key at a time


@pytest.mark.parametrize(
    ("value", "private"),
    [
        *((value, True) for value in ("true", "True", "TRUE", "yes", "Yes", "1", '"true"', "'yes'", '"1"', "on", "y")),
        *(
            (value, False)
            for value in ("false", "False", "no", "0", '"false"', "'no'", '"0"', "off", "n", "", "~", '""')
        ),
    ],
)
def test_private_flags(value: str, private: bool) -> None:
    # P-1
    memory, problems = front(f"private: {value}")
    assert memory.private is private
    assert problems == []


def test_a_flag_nobody_understands_is_private() -> None:
    # P-2: in doubt it stays private
    memory, problems = front("private: sometimes")
    assert memory.private
    assert "private should be true or false" in problems[0]


def test_the_private_folder_wins() -> None:
    # P-2
    assert read("---\nprivate: false\n---\nx", "private/a.md", private=True).memory.private


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-11-15T23:25:00", "2026-11-15T23:25:00+09:00"),
        ("2026-11-15 23:25", "2026-11-15T23:25:00+09:00"),
        ("2026-11-15", "2026-11-15T00:00:00+09:00"),
        ("2026-11-15T14:25:00Z", "2026-11-15T23:25:00+09:00"),
        ("'2026-11-15T09:25:00-05:00'", "2026-11-15T23:25:00+09:00"),
    ],
)
def test_times(value: str, expected: str) -> None:
    # V-2
    memory, problems = front(f"created: {value}")
    assert problems == []
    assert memory.created.isoformat() == expected


def test_a_note_without_created() -> None:
    # V-6: a date in the name, else the file's
    assert read("x", "memories/2026-03-04 walk.md").memory.created.isoformat() == "2026-03-04T00:00:00+09:00"
    assert read("x", "memories/2026-13-45.md").memory.created.timestamp() == 1_794_000_000
    assert read("x").dated_by_file


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("tags: [a, b]", ["a", "b"]),
        ("tags: a, b、c", ["a", "b", "c"]),
        ("tags:\n- '#a'\n- b/c", ["a", "b/c"]),
        ("tags: 2024", ["2024"]),
        ("tags:", []),
        ("tags: [true, 2024, 1.5]", ["True", "2024", "1.5"]),
    ],
)
def test_tags(text: str, tags: list[str]) -> None:
    memory, problems = front(text)
    assert (memory.tags, problems) == (tags, [])


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("people: [Ann, Bo]", ["Ann", "Bo"]),
        ('people: ["[[Ann]]", "[[people/Bo.md#about|Bo]]"]', ["Ann", "Bo"]),
        ("people: [[Ann]]", ["Ann"]),
        ("people: Ann", ["Ann"]),
        ("people: ['Team #4', 'C^']", ["Team #4", "C^"]),
    ],
)
def test_people(text: str, people: list[str]) -> None:
    # V-2: names as they are written; a link to a person's note stands for the person
    memory, problems = front(text)
    assert ([name.rsplit("/", 1)[-1] for name in memory.people], problems) == (people, [])


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ('links: ["[[a-651b9d29|A · similar 0.93]]"]', Link("a-651b9d29", "similar", 0.93, "A")),
        ('links: ["[[a|A · B · caused_by 1.00]]"]', Link("a", "caused_by", 1.0, "A · B")),
        ('links: ["[[a|A · leads_to]]"]', Link("a", "leads_to", None, "A")),
        ('links: ["[[a]]"]', Link("a")),
        ("links: [[a]]", Link("a")),
        ("links:\n  - [[a]]", Link("a")),
        ("links: a", Link("a")),
        ('links: "[[x/a.md#h|Shown]]"', Link("x/a", "related", None, "Shown")),
        ('links: ["[[a|A · unknown 0.5]]"]', Link("a", "related", None, "A · unknown 0.5")),
    ],
)
def test_links(text: str, link: Link) -> None:
    # V-3
    memory, problems = front(text)
    assert (memory.links, problems) == ([link], [])


def test_unknown_keys_are_no_problem() -> None:
    # V-2
    note = read("---\ncssclasses: [wide]\nrating: 5\nnested: {a: [1]}\n---\nx")
    assert note.problems == []
    assert note.fields["rating"] == 5


def test_crlf_bom_and_missing_newline() -> None:
    # V-4's shapes read alike
    plain = read("---\nid: mem_0123456789ab\ntags: [a]\n---\nOne\nTwo\n").memory
    for raw in (
        b"---\r\nid: mem_0123456789ab\r\ntags: [a]\r\n---\r\nOne\r\nTwo\r\n",
        b"\xef\xbb\xbf---\nid: mem_0123456789ab\ntags: [a]\n---\nOne\nTwo",
        b"--- \nid: mem_0123456789ab\ntags: [a]\n---\t\nOne\nTwo\n\n",
        b"---\rid: mem_0123456789ab\rtags: [a]\r---\rOne\rTwo\r",
    ):
        assert read(raw).memory == plain


def test_the_sample_vault_is_sound() -> None:
    for path in sorted((Path(__file__).parent.parent / "sample_vault").rglob("*-????????.md")):
        note = read(path.read_bytes(), path.name)
        assert note.problems == []
        assert note.memory.id.startswith("mem_")


def test_ages_of_records() -> None:
    memory = Memory("mem_0123456789ab", "x", datetime.now(TOKYO), valid_to=datetime.now(TOKYO))
    assert memory.closed_at(datetime.now(UTC) + timedelta(seconds=1))
    assert not memory.closed_at(datetime.now(UTC) - timedelta(days=1))


def test_python_frontmatter_reads_a_note_with_our_handler() -> None:
    text = "---\r\nid: mem_651b9d29aaaa\r\nat: 12:30\r\n---\r\nBody\r\n---\r\n"
    fields, _ = frontmatter.parse(text, handler=NoteHandler())
    assert fields == {"id": "mem_651b9d29aaaa", "at": "12:30"}
    assert NoteHandler().split(text)[1] == "Body\r\n---\r\n"
    assert not NoteHandler().detect("---\nid: mem_651b9d29aaaa\n")


HEADS = st.sampled_from(["a:", "b_2:", "c:", "on:", "  -", "-", ""])
VALUES = st.sampled_from(
    [
        " []",
        " true",
        " yes",
        " -0",
        " 1.50",
        " 007",
        " 2026-11-15T08:00:00",
        " 2026-13-01T08:00:00",
        " word",
        " 遥さん",
        " two words.",
        ' "quoted: #"',
        ' "',
        " #",
        " - ",
        "\r",
        "\x85",
    ]
)
LINES = st.tuples(HEADS, st.lists(VALUES, max_size=2).map("".join)).map("".join)


@settings(max_examples=EXAMPLES * 4)
@given(st.lists(LINES, min_size=1, max_size=4).map(lambda lines: "\n".join([*lines, ""])))
@example("a: [] word\n")
def test_front_matter_that_is_read_without_a_parser_says_what_the_parser_says(text: str) -> None:
    handler = NoteHandler()

    def loaded(**options: object) -> object:
        try:
            return repr(handler.load(text, **options))
        except (yaml.YAMLError, ValueError) as error:
            return type(error)

    assert loaded() == loaded(Loader=Loader)
