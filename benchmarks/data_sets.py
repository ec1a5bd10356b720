"""The data sets that benchmarks and training use and that are not part of the project.

python -m benchmarks.data_sets                                  # what is there, what is not, and where it comes from
python -m benchmarks.data_sets locomo --from locomo10.json      # make the set of files that you have fetched
python -m benchmarks.data_sets guard --from sts-train.csv SICK.txt jsick.tsv jsts-train.json jnli-train.json

They are looked for in `data/` of the clone, which git ignores, or in the folder that VAULT_MEM_DATA names. Nothing is
downloaded: the licences of most sets want you to do that yourself. Downloads, and so makers on whole files, were
not tried; they are tested on small files of the same form. A set whose hash is another one than that of our figures is
named as such.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.harness import DATA

_UNPUBLISHED = "written for this project and not published: its benchmarks are skipped"
_TURN_TIME = "%I:%M %p on %d %B, %Y"
_IN_DEVELOPMENT = ("conv-26", "conv-30", "conv-41", "conv-42", "conv-43")
_ADVERSARIAL = 5


@dataclass(frozen=True)
class DataSet:
    """One file: where it comes from, the hash of the version we measured, and how to make it, if that is possible."""

    name: str
    file: str
    source: str
    sha256: str
    make: Callable[[Sequence[Path]], Any] | None = None

    def state(self, folder: Path) -> str:
        """Whether the file is there, and is the version that was measured."""
        path = folder / self.file
        if not path.is_file():
            return "missing"
        return "as measured" if hashlib.sha256(path.read_bytes()).hexdigest() == self.sha256 else "another version"


def locomo(files: Sequence[Path]) -> list[dict[str, Any]]:
    """Conversations of LoCoMo, a memory per turn; from locomo10.json only those used for development."""
    samples = [sample for path in files for sample in json.loads(path.read_text(encoding="utf-8"))]
    return [_conversation(sample) for sample in samples if sample["sample_id"] in _IN_DEVELOPMENT]


def _conversation(sample: dict[str, Any]) -> dict[str, Any]:
    talk = sample["conversation"]
    sessions = sorted((name for name in talk if re.fullmatch(r"session_\d+", name)), key=lambda name: int(name[8:]))
    memories = [memory for name in sessions for memory in _turns(talk[name], talk[f"{name}_date_time"])]
    known = {memory["key"] for memory in memories}
    questions = []
    for each in sample["qa"]:
        evidence = [key for key in each.get("evidence", ()) if key in known]
        if evidence and each["category"] != _ADVERSARIAL:
            questions.append({"question": each["question"], "category": each["category"], "evidence": evidence})
    return {"name": sample["sample_id"], "memories": memories, "questions": questions}


def _turns(turns: Iterable[dict[str, Any]], began: str) -> Iterator[dict[str, str]]:
    """One turn a minute, since only the session has a time; captions of pictures follow the words."""
    start = datetime.strptime(began, _TURN_TIME).replace(tzinfo=UTC)
    for number, turn in enumerate(turns):
        picture = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
        yield {
            "key": turn["dia_id"],
            "speaker": turn["speaker"],
            "text": f"{turn['speaker']}: {turn['text']}{picture}",
            "created": (start + timedelta(minutes=number)).isoformat(),
        }


def guard(files: Sequence[Path]) -> list[dict[str, str]]:
    """Labelled pairs from SICK, JSICK, STS-B, JSTS and JNLI; each file is recognised by its columns."""
    return [pair for path in files for pair in _pairs(path)]


def _pairs(path: Path) -> Iterator[dict[str, str]]:
    for row in _rows(path):
        for maker in (_sick, _sts, _jglue):
            found = maker(row)
            if found:
                lang, source, one, two, label = found
                if label:
                    yield {"lang": lang, "source": source, "a": one, "b": two, "label": label}
                break
        else:
            raise SystemExit(f"{path}: neither SICK, JSICK, STS-B, JSTS nor JNLI: its columns are {', '.join(row)}")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as lines:
        if path.suffix in (".json", ".jsonl"):
            yield from (json.loads(line) for line in lines if line.strip())
        else:
            yield from csv.DictReader(lines, delimiter="," if path.suffix == ".csv" else "\t", quoting=csv.QUOTE_NONE)


Pair = tuple[str, str, str, str, str]


def _sick(row: dict[str, Any]) -> Pair | None:
    for lang, one, two, score, judgement in (
        ("en", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment"),
        ("ja", "sentence_A_Ja", "sentence_B_Ja", "relatedness_score_Ja", "entailment_label_Ja"),
    ):
        if one in row:
            label = _label(float(row[score]), str(row[judgement]).lower())
            return lang, "sick", row[one], row[two], label
    return None


def _sts(row: dict[str, Any]) -> Pair | None:
    if "score" not in row or "sentence1" not in row:
        return None
    return "en", "sts", row["sentence1"], row["sentence2"], _label(float(row["score"]))


def _jglue(row: dict[str, Any]) -> Pair | None:
    if "sentence_pair_id" not in row:
        return None
    one, two, label = row["sentence1"], row["sentence2"], row["label"]
    if isinstance(label, str):
        return "ja", "jnli", one, two, "different" if label == "contradiction" else ""
    return "ja", "jsts", one, two, _label(float(label))


def _label(score: float, judgement: str = "entailment") -> str:
    """Duplicate from 4.8 of 5 on if one follows from the other; different up to 3, or if they contradict; else none."""
    if judgement == "contradiction" or score <= 3:
        return "different"
    return "duplicate" if score >= 4.8 and judgement == "entailment" else ""


SETS = (
    DataSet(
        "locomo",
        "locomo-dev.json",
        "LoCoMo (snap-research/locomo, data/locomo10.json, CC BY-NC 4.0), with the evidence as the public audit "
        "(locomo-audit) corrects it",
        "f9ee4a2dd67bbcc5cf326acc03c13109c4f89ad82c82f794ec670d8414f8e9e9",
        locomo,
    ),
    DataSet(
        "guard",
        "guard-dev.json",
        "SICK, JSICK (verypluming/JSICK), STS-B, JSTS and JNLI (yahoojapan/JGLUE); CC BY-NC-SA and CC BY-SA",
        "44c38f9e3b63b2cad9e023e724b13d7352a27410b7916e2f6b9bbf14774b0d4d",
        guard,
    ),
    *(
        DataSet(file.removesuffix("-dev.json"), file, _UNPUBLISHED, sha256)
        for file, sha256 in (
            ("guard-agent-dev.json", "8c5f4154e3660ab9617178d374eebd166e5b7eb4554e8cf1227b7db861f51193"),
            ("updates-dev.json", "c1ccce550713e57fd2c44a5bea7841399454af6d684990e018965410c9709341"),
            ("kinds/agent-facts.json", "eb92257bbf35953bdceae27a2216eb67ce7bc22bf41ca629139ec8f8315531d2"),
        )
    ),
    *(
        DataSet(f"kinds/{name}", f"kinds/{name}.json", f"{source}; its maker is not published", sha256)
        for name, source, sha256 in (
            (
                "agent-chats",
                "BEAM (no licence stated)",
                "96c3ca08ec10465d4c80fe826ee274d3d34123d9b16cdb9a9e0faa051d808766",
            ),
            (
                "chat-real",
                "RealTalk (no licence stated)",
                "66a63922a84abdcc6cfb8da289e26d140bd1311d5bde504bfd2d2f5b3dffab09",
            ),
            ("child-talk-zh", "MADial-Bench (MIT)", "255f9adb40bf805ad120f2062ab9d2fec703449850281dadf5de1b76856ddf79"),
            (
                "life-log",
                "TimelineQA (CC BY-NC 4.0)",
                "74e32ca0700e2e79e5adf12530dd8c0018f4d67bb376ba34e3f287e006bb5a45",
            ),
            ("life-stream", "KnowMeBench", "5e68cd3116fc2156b5eb6d6cd34b3b94c9571adf2731f65a07507a42dfb1e82c"),
            ("long-notes", "QMSum (MIT)", "b8457aeb65bd5f62d7ee3c306ba5de5ea62af14c07908d35b982a116c80b8078"),
            ("manual-de", "Obsidian's help", "5153807f8ff28266008da5426b527b8b5dc9ad8f786543a6eea199ae7768bc9d"),
            ("manual-en", "Obsidian's help", "13f1ccdf9d81b6b38c1422a75f43cc7d72cd0a2f1b53fd1ec300069d9dadb7c3"),
            ("manual-ja", "Obsidian's help", "587cfa9e1db52bb1ec294fcb52bb910ad3bf030564d7f38e4aa0885bb2cce7a8"),
            ("phone-zh", "LifeBench (Apache-2.0)", "414a581317a56bae6421e980710640310d382e037869df2186bc4171af22d118"),
        )
    ),
)


def main(words: Sequence[str] | None = None, folder: Path = DATA) -> int:
    """Say what is there, or make a set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    makers = {each.name: each for each in SETS if each.make}
    parser.add_argument("set", nargs="?", choices=sorted(makers))
    parser.add_argument("--from", dest="files", nargs="+", type=Path, default=[], metavar="FILE")
    options = parser.parse_args(words)
    if options.set is None:
        for each in SETS:
            print(f"{each.file:<28} {each.state(folder):<16} {each.source}")
        return 0
    if not options.files:
        parser.error("give the files that you have fetched: --from FILE [FILE ...]")
    chosen = makers[options.set]
    assert chosen.make is not None
    (folder / chosen.file).parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(chosen.make(options.files), ensure_ascii=False)
    (folder / chosen.file).write_text(text, encoding="utf-8")
    state = chosen.state(folder)
    print(f"{folder / chosen.file}: {state}")
    if state != "as measured":
        print("Figures measured on it cannot be compared with those in docs/benchmarks.md.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
