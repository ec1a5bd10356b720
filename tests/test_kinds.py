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
        ("Acountant deadline", "mem_000000000001"),
        ("Wo ist der Steuerbescheit?", "mem_000000000005"),
        ("Besancon", "mem_000000000005"),  # typed without a cedilla
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
            "The Steuerbescheid is in the house in Besançon.",
        ]
    ):
        memory(root, f"memories/{number}.md", f"mem_{number:012x}", text)
    assert first(cli, query) == found


@pytest.mark.parametrize(("written", "query"), [("64 GB", "64GB"), ("64GB", "64 GB"), ("64GB", "64gb")])
def test_a_unit_is_found_with_a_space_or_without_one(cli: Command, root: Path, written: str, query: str) -> None:
    #
    memory(root, "memories/a.md", "mem_00000000000a", f"The laptop has {written} of memory.")
    memory(root, "memories/b.md", "mem_00000000000b", "The tram to the harbour is late on Mondays.")
    answer = cli.json("recall", query)
    assert answer["answered"]
    assert [each["id"] for each in answer["results"]] == ["mem_00000000000a"]


def test_a_word_that_is_right_is_not_corrected(cli: Command, root: Path) -> None:
    memory(root, "memories/a.md", "mem_00000000000a", "The house by the lake has a new roof.")
    memory(root, "memories/b.md", "mem_00000000000b", "The pony is in the stable and eats hay.")
    assert first(cli, "Where is the horse?") == "mem_00000000000b"


def test_a_short_note_is_found_by_the_name_of_its_file(cli: Command, root: Path) -> None:
    # what somebody calls a note is what it is about; a name that the tool made is the text once more
    memory(root, "memories/Wanjiru Okafor.md", "mem_00000000000a", "Prefers calls before noon.")
    text = "Asked around whether somebody has seen Wanjiru Okafor this week."
    memory(root, "memories/wanjiru-okafor-00000000.md", "mem_00000000000b", text)
    assert first(cli, "Wanjiru Okafor") == "mem_00000000000a"


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


def test_what_a_long_note_is_about_counts_more_than_what_another_says_in_passing(cli: Command, root: Path) -> None:
    # the note around a passage is what the talk is around a turn
    filler = "Nothing else of interest came up in this part of the meeting. " * 11
    about = [f"{'The boot fails' if n % 2 else 'The loader waits'}, part {n}. {filler}" for n in range(8)]
    memory(root, "memories/a.md", "mem_00000000000a", "\n\n".join(about))
    other = [f"Other things, part {n}. {filler}" for n in range(8)]
    other[3] = f"The boot of the loader was full of rain. {filler}"
    memory(root, "memories/b.md", "mem_00000000000b", "\n\n".join(other))
    for number in range(4):
        memory(root, f"memories/{number}.md", f"mem_{number:012x}", f"{filler} Item {number}.")
    assert first(cli, "boot loader") == "mem_00000000000a"


def test_words_of_two_passages_on_end_are_nearer_than_of_two_far_apart(cli: Command, root: Path) -> None:
    # a long note is cut where it is cut; what is said goes on
    filler = "Nothing else of interest came up in this part of the meeting. " * 12
    for name, apart in (("a", 20), ("b", 1)):
        parts = [f"Item {number}. {filler}" for number in range(34)]
        parts[10] = f"The turbine is noisy. {filler}"
        parts[10 + apart] = f"The gearbox leaks. {filler}"
        memory(root, f"memories/{name}.md", f"mem_00000000000{name}", "\n\n".join(parts))
    assert first(cli, "What about the turbine and its gearbox?") == "mem_00000000000b"


def test_a_request_is_not_taken_for_keywords(cli: Command, root: Path) -> None:
    # who types two words wants memories that have them; who asks for a summary wants what it is about
    memory(root, "memories/a.md", "mem_00000000000a", "The harbour tram is late on Mondays.")
    memory(root, "memories/b.md", "mem_00000000000b", "Milo the cat takes thyroid tablets twice a day.")
    typed, asked = (
        cli.json("recall", query, "--explain")["results"][0]["explain"]["words"]
        for query in ("harbour tram", "Describe the harbour tram")
    )
    assert typed > asked + 1


def test_the_passage_of_a_long_note_whose_words_come_nearest_counts(cli: Command, root: Path) -> None:
    # the passage with the word itself is not the one that is about it
    filler = "On Mondays the tram to the harbour is late, and nobody has ever found out for what reason it is. " * 9
    said = f"The garage is closed today. {filler}\n\n{filler}\n\n"
    memory(root, "memories/a.md", "mem_00000000000a", said + filler)
    memory(root, "memories/b.md", "mem_00000000000b", f"{said}A mechanic fixed the motor of the automobile. {filler}")
    found = cli.json("recall", "Who repaired the car's engine in the garage?", "--min-relevance", "0", "--explain")
    tokens = {each["id"]: each["explain"]["tokens"] for each in found["results"]}
    assert tokens["mem_00000000000b"] > tokens["mem_00000000000a"] + 0.1


def test_a_turn_that_only_asks_stands_after_one_that_tells(cli: Command, root: Path) -> None:
    # people leave the question mark out
    turns = ["Nico: whats your favorite food", "Nebra: hmm hard to say", "Nico: my favorite food is lentil soup"]
    for number, text in enumerate([*turns, *(f"Nebra: it is late, part {each}" for each in range(3))]):
        created = f"2026-03-01T10:0{number}:00Z"
        dated(root, f"memories/{number}.md", f"mem_{number:012x}", created, text)
    found = [each["id"] for each in cli.json("recall", "What is Nico's favorite food?")["results"]]
    assert found.index("mem_000000000002") < found.index("mem_000000000000")


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


@pytest.fixture
def odds_and_ends(root: Path) -> None:
    """Memories that queries without an ordinary word may mean."""
    for number, text in enumerate(
        [
            "The well behind the barn ran dry in August.",
            "The party was a success 🎉 and nobody went home before two.",
            "母は京都に住んでいる。",
            "The file src/app/main.py calls getUserName before it logs in.",
            "The form is at https://example.com/forms/a?b=1 and has nine pages.",
            "Ruth waters the tomatoes on Sundays.",
        ]
    ):
        memory(root, f"memories/{number}.md", f"mem_{number:012x}", text)


@pytest.mark.usefixtures("odds_and_ends")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("well", 0),  # a stop word, which the index does not hold
        ("🎉", 1),
        ("母", 2),
        ("getUserName", 3),
        ("src/app/main.py", 3),
        ("https://example.com/forms/a?b=1", 4),
    ],
)
def test_a_query_without_an_ordinary_word_is_answered(cli: Command, query: str, found: int) -> None:
    answer = cli.json("recall", query)
    assert answer["answered"]
    assert answer["results"][0]["id"] == f"mem_{found:012x}"


@pytest.mark.usefixtures("odds_and_ends")
def test_what_a_query_of_500_words_asks_is_found(cli: Command) -> None:
    assert (
        first(cli, "We talked about the garden for a while. " * 60 + "Who waters the tomatoes?") == "mem_000000000005"
    )


@pytest.mark.usefixtures("odds_and_ends")
@pytest.mark.parametrize("query", ["what was it about?", "😀", "?!", "…"])
def test_stop_words_and_signs_that_nobody_wrote_answer_nothing(cli: Command, query: str) -> None:
    assert not cli.json("recall", query)["answered"]


@pytest.mark.usefixtures("odds_and_ends")
@pytest.mark.parametrize(("query", "found"), [("well", 0), ("🎉", 1)])
def test_search_finds_stop_words_and_signs_as_written(cli: Command, query: str, found: int) -> None:
    assert [each["id"] for each in cli.json("search", query)["results"]] == [f"mem_{found:012x}"]


def test_who_says_a_query_is_whom_it_is_about(cli: Command, root: Path) -> None:
    # the last turns of a talk serve as a query
    for number in range(6):
        memory(
            root, f"memories/{number}.md", f"mem_{number:012x}", f"{'Bart' if number % 2 else 'Lisa'}上了第{number}课。"
        )
    memory(root, "memories/a.md", "mem_00000000000a", "Lisa在绘画课上画了一幅画，大家都觉得很好看。")
    memory(root, "memories/b.md", "mem_00000000000b", "Bart参加了学校的绘画比赛，老师表扬了他。")
    assert first(cli, "Bart: 我想画一幅特别的画，大家都说我画得很好看！绘画真有意思。") == "mem_00000000000b"


def test_who_is_asked_about_says_i(cli: Command, root: Path) -> None:
    # two talk, and what Elise says to Kate of Kate is not about Elise
    told = "Elise: Your pottery and your garden sound like hobbies that you enjoy!"
    dated(root, "memories/a.md", "mem_00000000000a", "2026-05-01T09:00:00Z", told)
    told = "Elise: My pottery and my garden are hobbies that I enjoy!"
    dated(root, "memories/b.md", "mem_00000000000b", "2026-06-01T09:00:00Z", told)
    for number in range(6):
        day, said = f"2026-04-{number + 10}T09:00:00Z", "Kate: The tram was late."
        dated(root, f"memories/{number}.md", f"mem_{number:012x}", day, said)
    found = cli.json("recall", "What hobbies does Elise enjoy?", "--explain")["results"]
    names = {each["id"]: each["explain"].get("names", 0.0) for each in found}
    assert names["mem_00000000000b"] > names["mem_00000000000a"] + 0.5
    assert found[0]["id"] == "mem_00000000000b"


def test_the_pieces_of_a_name_are_no_words_of_the_query(cli: Command, root: Path) -> None:
    # the model spells Wanjirukamau in pieces; whoever bears the name says nothing of films by that
    for number in range(6):
        who = "Wanjirukamau" if number % 2 else "Nicolas"
        day = f"2026-04-{number + 10}T09:00:00Z"
        dated(root, f"memories/{number}.md", f"mem_{number:012x}", day, f"{who}: The tram was late.")
    found = cli.json(
        "recall", "What films do Nicolas and Wanjirukamau discuss?", "-n", "6", "--min-relevance", "0", "--explain"
    )["results"]
    assert len(found) == 6 and len({each["explain"].get("tokens", 0.0) for each in found}) == 1


def test_no_memory_stands_among_the_first_of_every_question(cli: Command, root: Path) -> None:
    # hubs
    things = ["自行车", "牙医", "番茄", "屋顶", "钥匙", "邮局", "蜡烛", "雨伞", "手套", "地图"]
    for number, thing in enumerate(things):
        memory(root, f"memories/{number}.md", f"mem_{number:012x}", f"昨天处理了{thing}的事情。")
    memory(root, "memories/hub.md", "mem_0000000000ff", "嗯，是的，好的，我们一起做吧，感觉很开心。")
    firsts = [
        {each["id"] for each in cli.json("recall", f"昨天{thing}的事情怎么样了？")["results"][:5]} for thing in things
    ]
    assert sum("mem_0000000000ff" in found for found in firsts) <= 2
    assert all(f"mem_{number:012x}" in found for number, found in enumerate(firsts))


def test_a_rare_word_weighs_as_much_in_a_long_question(cli: Command, root: Path) -> None:
    common = (
        "We walked along the river, talked about the weather and the garden, and went home for dinner with friends."
    )
    for number in range(8):
        memory(root, f"memories/{number}.md", f"mem_{number:012x}", f"{common} Day {number}.")
    memory(root, "memories/a.md", "mem_00000000000a", "Alcandre is the name of the magician in the play.")
    rest = "that we talked about on the walk along the river with friends before we went home for dinner in the garden"
    answers = [
        cli.json("recall", query, "--explain")["results"] for query in ("Who is Alcandre?", f"Who is Alcandre {rest}?")
    ]
    short, long = (
        next(each["explain"]["words"] for each in found if each["id"] == "mem_00000000000a") for found in answers
    )
    assert long >= 0.9 * short


def test_association_is_silent_for_a_long_note(cli: Command, root: Path) -> None:
    # a long note is like many others; what is like a short memory is called up
    told = "Bakes sourdough bread every Sunday."
    more = "\n\n".join(
        f"Loaf {number} was in the oven for an hour and came out with a crust. " * 9 for number in range(60)
    )
    memory(root, "memories/b.md", "mem_00000000000b", "The oven runs cold: the loaves come out with a pale crust.")
    for number in range(10, 30):
        day, text = f"2026-07-{number}T09:00:00Z", f"What the office needs for bill {number}: a stamp."
        dated(root, f"memories/{number}.md", f"mem_0000000000{number}", day, text)

    def called(text: str) -> float:
        memory(root, "memories/a.md", "mem_00000000000a", text, "people: [Emeka]")
        found = cli.json("recall", "What does Emeka need?", "-n", "30", "--min-relevance", "0", "--explain")["results"]
        return max(each["explain"].get("association", 0.0) for each in found)

    assert called(told) > 0.5
    assert called(f"{told}\n\n{more}") < 0.2


@pytest.mark.parametrize(
    ("query", "answered"),
    [
        ("What colour is the new sofa?", False),
        ("What fabric is the new sofa made of?", False),
        ("Which sofa is new?", True),
    ],
)
def test_who_asks_for_a_colour_or_a_material_is_not_answered_without_one(
    cli: Command, root: Path, query: str, answered: bool
) -> None:
    #
    memory(root, "memories/a.md", "mem_00000000000a", "The new sofa comes from Lund and seats four.")
    for number, text in enumerate(
        ["The tram is late on Mondays.", "Soup with leek.", "A flat tyre.", "The roof leaks."]
    ):
        memory(root, f"memories/{number}.md", f"mem_{number:012x}", text)
    assert cli.json("recall", query)["answered"] is answered
