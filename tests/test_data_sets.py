"""The makers of data sets, on small files of the form that their sources have."""

import json
from pathlib import Path

from benchmarks import data_sets


def test_a_conversation_becomes_a_memory_per_turn(tmp_path: Path, capsys) -> None:
    source = tmp_path / "locomo10.json"
    turns = [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I bought a kiln."},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "Show me!", "blip_caption": "a photo of a kiln"},
    ]
    talk = {"speaker_a": "Ann", "session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    asked = [
        {"question": "What did Ann buy?", "answer": "a kiln", "evidence": ["D1:1"], "category": 4},
        {"question": "What did Bo sell?", "evidence": ["D1:2"], "category": 5},
        {"question": "Who slept?", "evidence": ["D9:9"], "category": 1},
    ]
    sample = {"sample_id": "conv-26", "conversation": talk, "qa": asked}
    source.write_text(json.dumps([sample, sample | {"sample_id": "conv-50"}]))
    assert data_sets.main(["locomo", "--from", str(source)], tmp_path / "data") == 0
    assert "another version" in capsys.readouterr().out
    [made] = json.loads((tmp_path / "data/locomo-dev.json").read_text())
    assert made["memories"] == [
        {"key": "D1:1", "speaker": "Ann", "text": "Ann: I bought a kiln.", "created": "2023-05-08T13:56:00+00:00"},
        {
            "key": "D1:2",
            "speaker": "Bo",
            "text": "Bo: Show me! [image: a photo of a kiln]",
            "created": "2023-05-08T13:57:00+00:00",
        },
    ]
    assert made["questions"] == [{"question": "What did Ann buy?", "category": 4, "evidence": ["D1:1"]}]


def test_pairs_of_five_sources(tmp_path: Path) -> None:
    sick = "pair_ID\tsentence_A\tsentence_B\tentailment_judgment\trelatedness_score\n"
    rows = "1\tA dog runs\tA dog is running\tENTAILMENT\t4.9\n2\tA dog runs\tA dog sleeps\tCONTRADICTION\t3.6\n"
    rows += "3\tA dog runs\tA dog plays\tNEUTRAL\t4.1\n"
    (tmp_path / "SICK.txt").write_text(sick + rows)
    (tmp_path / "sts.csv").write_text("sentence1,sentence2,score\nA man eats,A plane lands,0.2\n")
    jglue = {"sentence_pair_id": "0", "sentence1": "犬が走る。", "sentence2": "犬が走っている。"}
    (tmp_path / "jsts.json").write_text(json.dumps(jglue | {"label": 5.0}) + "\n")
    (tmp_path / "jnli.json").write_text(json.dumps(jglue | {"label": "neutral"}) + "\n")
    files = [tmp_path / name for name in ("SICK.txt", "sts.csv", "jsts.json", "jnli.json")]
    assert [(each["source"], each["lang"], each["label"]) for each in data_sets.guard(files)] == [
        ("sick", "en", "duplicate"),
        ("sick", "en", "different"),
        ("sts", "en", "different"),
        ("jsts", "ja", "duplicate"),
    ]


def test_what_is_there_is_told_by_its_hash(tmp_path: Path, capsys) -> None:
    assert data_sets.main([], tmp_path) == 0
    listed = capsys.readouterr().out
    assert "missing" in listed and "as measured" not in listed and "not published" in listed
