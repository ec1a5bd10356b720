"""What recall knows of the kinds of vaults: each finding by a vault that shows it, through the real command."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from helpers import memory, note


def first(cli: Command, query: str) -> str:
    """The id of the first result."""
    found: str = cli.json("recall", query)["results"][0]["id"]
    return found


def dated(root: Path, key: str, id_: str, created: str, text: str) -> None:
    """A memory of some moment."""
    note(root, key, f"---\nid: {id_}\ncreated: {created}\n---\n{text}\n")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("acountant reciepts deadline", "mem_000000000001"),  # left out, exchanged
        ("thryoid tablets", "mem_000000000002"),
        ("wifi pasword workshp", "mem_000000000003"),
        ("categorization of the invoices", "mem_000000000004"),
    ],
)
def test_misspelt_words_are_found(cli: Command, root: Path, query: str, found: str) -> None:
    #
    for number, text in enumerate(
        [
            "The tram to the harbour is late on Mondays.",
            "Our accountant Mr. Brandl wants all receipts by the 10th.",
            "Milo the cat takes thyroid tablets twice a day.",
            "The password of the workshop network is on the fuse box.",
            "The categorisation of what we pay is done by Ruth.",
        ]
    ):
        memory(root, f"memories/{number}.md", f"mem_{number:012x}", text)
    assert first(cli, query) == found


def test_a_word_that_is_right_is_not_corrected(cli: Command, root: Path) -> None:
    memory(root, "memories/a.md", "mem_00000000000a", "The house by the lake has a new roof.")
    memory(root, "memories/b.md", "mem_00000000000b", "The pony is in the stable and eats hay.")
    assert first(cli, "Where is the horse?") == "mem_00000000000b"


def test_words_of_asking_do_not_drown_what_is_asked(cli: Command, root: Path) -> None:
    talk = "We discussed, and the discussion went on; to summarize the discussion: nothing was decided. "
    memory(root, "memories/a.md", "mem_00000000000a", talk * 4)
    memory(root, "memories/b.md", "mem_00000000000b", "Solar panels pay for themselves in nine years. " * 4)
    assert first(cli, "Summarize the discussion about solar panels") == "mem_00000000000b"


def test_the_first_speaker_of_a_transcript_is_not_whose_note_it_is(cli: Command, root: Path) -> None:
    # a transcript in which many speak
    filler = "We went through the agenda and had coffee. " * 40
    memory(root, "memories/a.md", "mem_00000000000a", f"Marketing: Welcome, all of you.\n{filler}")
    told = "Marketing: I would make the case of rubber, yellow, and small enough for a child."
    memory(root, "memories/b.md", "mem_00000000000b", f"Manager: Let us begin.\n{filler}\n{told}\n{filler}")
    assert first(cli, "What did Marketing say about the rubber case?") == "mem_00000000000b"


def test_words_across_a_long_note_count_together(cli: Command, root: Path) -> None:
    # no passage has more than one of them
    filler = "Nothing else of interest came up in this part of the meeting. " * 18
    parts = ["The turbine is noisy.", "Its gearbox leaks.", "The blades were inspected.", "A crane is hired."]
    memory(root, "memories/a.md", "mem_00000000000a", "\n\n".join(f"{part} {filler}" for part in parts))
    other = ["The turbine is noisy.", "Lunch was late.", "The minutes are signed.", "Rain."]
    memory(root, "memories/b.md", "mem_00000000000b", "\n\n".join(f"{part} {filler}" for part in other))
    for number in range(4):
        memory(root, f"memories/{number}.md", f"mem_{number:012x}", f"{filler} Part {number}.")
    assert first(cli, "What of the turbine, its gearbox, the blades and the crane?") == "mem_00000000000a"


def test_a_name_that_all_memories_bear_is_worth_nothing(cli: Command, root: Path) -> None:
    # the owner's
    for number, text in enumerate(["The dentist is on Friday.", "The bicycle has a flat tyre.", "Soup with leek."]):
        memory(root, f"memories/{number}.md", f"mem_{number:012x}", text, "people: [Kai]")
    answer = cli.json("recall", "Kai bicycle", "--explain")["results"]
    assert answer[0]["id"] == "mem_000000000001"
    assert "names" not in answer[0]["explain"]


def test_a_message_that_states_a_fact_and_asks_is_not_buried(cli: Command, root: Path) -> None:
    # the right message, not the one that stands next to it
    told = (
        "My first sprint ends on March 29 and the backlog has 42 stories about the expense tracker with its login, "
        "the monthly report and the import of bank statements, which I would like to have in before the review with "
        "the whole team. Can you help me to plan the rest of the sprint?"
    )
    reply = "Of course! Let us plan your sprint: list the stories, estimate them, and leave some room for surprises. "
    dated(root, "memories/a.md", "mem_00000000000a", "2026-03-01T10:00:00Z", f"User: {told}")
    dated(root, "memories/b.md", "mem_00000000000b", "2026-03-01T10:01:00Z", f"Assistant: {reply * 6}")
    assert first(cli, "When does my first sprint end?") == "mem_00000000000a"


@pytest.mark.parametrize(
    "query", ["What did I eat on 19.01.2024?", "What did I eat on 19/01/2024?", "2024年1月19日に何を食べた？"]
)
def test_a_named_day_dominates(cli: Command, root: Path, query: str) -> None:
    for day in range(14, 25):
        told = "I ate rice and eggs, and what I ate was good." if day != 19 else "I ate noodles with spinach."
        dated(root, f"memories/{day}.md", f"mem_0000000000{day}", f"2024-01-{day}T12:00:00Z", told)
    assert first(cli, query) == "mem_000000000019"


def test_a_named_month_wins_over_recently(cli: Command, root: Path) -> None:
    dated(root, "memories/a.md", "mem_00000000000a", "2025-02-10T12:00:00Z", "和杨帆聊了感情生活。")
    dated(root, "memories/b.md", "mem_00000000000b", "2025-11-10T12:00:00Z", "和杨帆聊了感情生活的问题。")
    assert first(cli, "2025年2月最近和杨帆聊了什么？") == "mem_00000000000a"


def test_the_month_of_a_folder_is_no_word(cli: Command, root: Path) -> None:
    # a year that the time has used does not count again as the name of a folder
    art = "Kate: Abstract art is a fine choice. Have you been to an exhibition?"
    dated(root, "memories/2023-12/a.md", "mem_00000000000a", "2023-12-30T12:00:00Z", art)
    told = "Kate: Where I was last night? At the river, with the fireworks."
    dated(root, "memories/2024-01/b.md", "mem_00000000000b", "2024-01-01T09:00:00Z", told)
    assert first(cli, "Where was Kate on 31 Dec 2023?") == "mem_00000000000b"
