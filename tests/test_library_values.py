# ruff: noqa: DTZ901 - times that no zone can show are the point
"""B-2: results one can use; every wrong value an InvalidInput in Python's words; one rule for times, ids and paths."""

from __future__ import annotations

import json
import pickle
import re
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command

from vault_mem import Filters, Found, InvalidInput, Memory, ModelNotFound, NotFound, Vault, VaultMemError, VaultNotFound
from vault_mem.result import Result

NAIVE = datetime(2026, 12, 24, 18)  # noqa: DTZ001
AWARE = datetime(2026, 12, 24, 18, tzinfo=UTC)
SHELL = re.compile(r"(?<!\w)--?[a-z]|vault-mem \w")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    """A vault that wrong values cannot change."""
    folder = tmp_path_factory.mktemp("values")
    env = {"HOME": str(folder), "VAULT_MEM_INDEX_DIR": str(folder / "index"), "VAULT_MEM_DAEMON": "off"}
    Vault.init(folder / "vault", env=env, timezone="Asia/Tokyo")
    vault = Vault(folder / "vault", env=env)
    vault.remember("The standup moved to 3pm", tags=["work"])
    return vault


def one(vault: Vault) -> Memory:
    return vault.list()[0]


WRONG: dict[str, Callable[[Vault], object]] = {
    "recall(None)": lambda v: v.recall(None),
    "recall(bytes)": lambda v: v.recall(b"standup"),
    "n text": lambda v: v.recall("x", n="3"),
    "n float": lambda v: v.recall("x", n=2.5),
    "n bool": lambda v: v.recall("x", n=True),
    "n none": lambda v: v.recall("x", n=None),
    "n -1": lambda v: v.recall("x", n=-1),
    "list -1": lambda v: v.list(n=-1),
    "search -1": lambda v: v.search("x", n=-1),
    "operations -1": lambda v: v.operations(-1),
    "max_links -1": lambda v: v.remember("y", max_links=-1),
    "depth -1": lambda v: v.graph(one(v), depth=-1),
    "days -1": lambda v: v.emotion_trend(-1),
    "budget text": lambda v: v.recall("x", budget="100"),
    "budget small": lambda v: v.recall("x", budget=3),
    "min_relevance": lambda v: v.recall("x", min_relevance=2),
    "min_relevance nan": lambda v: v.recall("x", min_relevance=float("nan")),
    "filters dict": lambda v: v.recall("x", filters={"kind": "fact"}),
    "filters kind": lambda v: v.list(kind="thing"),
    "since text": lambda v: v.list(since="last week-ish"),
    "since number": lambda v: v.list(since=5),
    "since max": lambda v: v.list(since=datetime.max),
    "filters max": lambda v: v.list(Filters(since=datetime.max)),
    "private no": lambda v: v.list(private="no"),
    "filters metadata list": lambda v: v.list(metadata={"run": [1]}),
    "filters metadata none": lambda v: v.recall("x", metadata={"run": None}),
    "filters metadata number": lambda v: v.recall("x", metadata={"run": np.int64(7)}),
    "filters tags": lambda v: v.list(Filters(tags=5)),
    "note_used none": lambda v: v.note_used(None),
    "trusted": lambda v: v.trusted_ids("everybody"),
    "env": lambda v: Vault(v.root, env=5),
    "cwd": lambda v: Vault(v.root, cwd=5),
    "clock": lambda v: Vault(v.root, clock=5),
    "episode without memories": lambda v: v.create_episode([], "s"),
    "remember private no": lambda v: v.remember("y", private="no"),
    "remember private 1": lambda v: v.remember("y", private=1),
    "valence": lambda v: v.remember("y", valence=True),
    "valence text": lambda v: v.remember("y", valence="good"),
    "valence inf": lambda v: v.remember("y", valence=float("inf")),
    "importance text": lambda v: v.remember("y", importance="high"),
    "importance 9": lambda v: v.remember("y", importance=9),
    "importance 9 of a filter": lambda v: v.recall("y", importance=9),
    "importance 0 of a list": lambda v: v.list(importance=0),
    "valid_to max": lambda v: v.remember("y", valid_to=datetime.max),
    "created min": lambda v: v.remember("y", created=datetime.min),
    "valid_to before": lambda v: v.remember("y", valid_from=AWARE, valid_to=NAIVE),
    "tags numbers": lambda v: v.remember("y", tags=[1, 2]),
    "tags none": lambda v: v.remember("y", tags=None),
    "tags dict": lambda v: v.remember("y", tags={"a": 1}),
    "empty": lambda v: v.remember("  "),
    "number": lambda v: v.remember(3),
    "zero byte": lambda v: v.remember("a\0b"),
    "surrogate": lambda v: v.remember("a\ud800b"),
    "scope": lambda v: v.remember("y", scope="everything"),
    "metadata list": lambda v: v.remember("y", metadata=["a"]),
    "metadata nested": lambda v: v.remember("y", metadata={"a": {"b": 1}}),
    "metadata name": lambda v: v.remember("y", metadata={"a: b": 1}),
    "metadata nan": lambda v: v.remember("y", metadata={"a": float("nan")}),
    "many": lambda v: v.remember_many([3]),
    "many none": lambda v: v.remember_many(None),
    "many one text": lambda v: v.remember_many("abc"),
    "many field": lambda v: v.remember_many([{"content": "y", "colour": "red"}]),
    "show none": lambda v: v.show(None),
    "show number": lambda v: v.show(7),
    "forget list": lambda v: v.forget(["a"]),
    "close text": lambda v: v.close(one(v), at="soon"),
    "close max": lambda v: v.close(one(v), at=datetime.max),
    "edit fields": lambda v: v.edit(one(v), fields=[("kind", "fact")]),
    "edit number": lambda v: v.edit(one(v), 7),
    "edit private": lambda v: v.edit(one(v), fields={"private": True}),
    "tag number": lambda v: v.tag(one(v), add=3),
    "tag comma": lambda v: v.tag(one(v), add="a,b"),
    "episode none": lambda v: v.create_episode(None, "A day"),
    "episode empty": lambda v: v.create_episode([one(v)], ""),
    "import none": lambda v: v.import_(None),
    "export number": lambda v: v.export(3),
    "backup none": lambda v: v.backup(None),
    "reason": lambda v: v.forget(one(v), reason=3),
    "plan": lambda v: v.tidy_apply({"a": 1}),
    "progress": lambda v: v.consolidate(progress=3),
    "threshold": lambda v: v.consolidate(merge_threshold=7),
    "dedup": lambda v: v.remember("y", dedup_threshold=-1),
    "setting": lambda v: v.set_setting("colour", None if False else 3),
    "undo": lambda v: v.undo(3),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_is_an_invalid_input_in_pythons_words(kept: Vault, name: str) -> None:
    # B-2: some thirty raised raw errors, or spoke of -n and --private
    with pytest.raises(InvalidInput) as error:
        WRONG[name](kept)
    assert SHELL.search(f"{error.value.message} | {error.value.hint}") is None, (error.value.message, error.value.hint)
    assert len(kept.list()) == 1


def test_other_errors_speak_python_too(kept: Vault, tmp_path: Path, env: dict[str, str]) -> None:
    # B-2
    secret = "the key is ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    calls: list[Callable[[], object]] = [
        lambda: kept.show("mem_ffffffffffff"),
        lambda: kept.undo("999"),
        lambda: kept.restore("mem_ffffffffffff"),
        lambda: kept.episode("ep_ffffffffffff"),
        lambda: kept.remember(secret),
        lambda: kept.reopen(one(kept)),
        lambda: kept.done(one(kept)),
        lambda: kept.set_setting("modle", "x"),
        lambda: Vault(tmp_path / "nowhere", env=env),
        lambda: Vault(tmp_path, env=env),
    ]
    for call in calls:
        with pytest.raises(VaultMemError) as error:
            call()
        said = f"{error.value.message} | {error.value.hint}"
        assert SHELL.search(said) is None, said


def test_naive_times_are_in_the_vaults_zone_everywhere(vault: Vault) -> None:
    # B-2: `close` and filters took the host's zone
    memory = vault.remember("Open house", valid_from=date(2026, 12, 1), created=NAIVE).memory
    assert memory.created.isoformat() == "2026-12-24T18:00:00+09:00"
    assert memory.valid_from.isoformat() == "2026-12-01T00:00:00+09:00"
    assert vault.close(memory, at=NAIVE).memory.valid_to.isoformat() == "2026-12-24T18:00:00+09:00"
    hour = timedelta(hours=1)
    assert len(vault.list(closed=True, since=NAIVE, until=NAIVE + hour)) == 1
    assert len(vault.list(Filters(closed=True, since=NAIVE + hour))) == 0
    assert len(vault.list(closed=True, since=AWARE)) == 0  # nine hours later
    assert len(vault.list(as_of=NAIVE - hour, since="2026-12-24")) == 1
    assert len(vault.list(as_of=NAIVE)) == 0
    again = vault.remember("Two days", valid_from=NAIVE, valid_to=AWARE, force=True).memory  # mixed, and in order
    assert (again.valid_to - again.valid_from).total_seconds() == 9 * 3600


def test_a_memory_is_named_by_anything_that_tells_it(vault: Vault) -> None:
    # B-2
    memory = vault.remember("The harbour dues rise in May").memory
    found = vault.recall("harbour dues")[0]
    names = [memory, found, memory.id, memory.id[:9], memory.id[4:10], memory.title, memory.path, Path(memory.path)]
    for name in [*names, vault.root / memory.path]:
        assert vault.show(name).memory.id == memory.id
        assert vault.tag(name, add="dues").memory.id == memory.id
    vault.remember("The harbour dues rise in May", force=True)
    with pytest.raises(NotFound, match="More than one memory has the title"):
        vault.show(memory.title)
    with pytest.raises(NotFound):
        vault.show("a\ud800")
    episode = vault.create_episode([memory, found], "Dues").result.episode
    assert [each.memory.id for each in vault.recall("dues", episode=episode)] == [memory.id]


def test_a_memory_is_named_by_its_whole_text(cli: Command) -> None:
    # U-2: as recall shows it, with its full stop, and beyond what a title holds
    for text in (
        "Call the plumber.",
        "定例会議は15時から。",
        "The parcel " + "from the harbour office " * 5 + "is here. Fetch it!",
    ):
        saved = cli.json("remember", text, "--kind", "task")["memory"]["id"]
        assert cli.json("done", text)["memory"]["id"] == saved
    cli.run("remember", "Call the plumber.", "--force")
    assert cli.run("done", "Call the plumber.").code == 4


def test_a_recall_is_a_sequence(vault: Vault) -> None:
    # B-2
    vault.remember("The ferry leaves at nine")
    found = vault.recall("when does the ferry leave?")
    assert isinstance(found, Sequence)
    assert isinstance(found[0], Found)
    assert (len(found), found.stale, found.pending, found.answered) == (len(found.results), False, 0, True)
    assert [each.memory.content for each in found] == ["The ferry leaves at nine"]
    assert not vault.recall("ferry", kind="mood")
    assert vault.list()[:1] == vault.list().memories


def test_a_refused_save_is_falsy(vault: Vault) -> None:
    # B-2
    saved = vault.remember("The ferry leaves at nine")
    again = vault.remember("The ferry leaves at nine")
    assert saved
    assert saved.saved
    assert not again
    assert not again.saved
    memory, links, linked, duplicate_of = again
    assert (memory, links, linked, duplicate_of.memory.id) == (None, 0, [], saved.memory.id)
    assert pickle.loads(pickle.dumps(saved)) == saved


def shape(value: Any) -> Any:
    """The keys of a document, without what is for a reader at the prompt."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items() if key not in ("scaffold", "commands", "next")}
    return [shape(each) for each in value] if isinstance(value, list) else type(value).__name__


def test_every_result_is_json_in_the_shape_of_the_command(vault: Vault, root: Path, cli: Command) -> None:
    # B-2
    a = vault.remember("The ferry leaves at nine from pier four", kind="fact", tags=["ferry"]).memory
    b = vault.remember("The ferry leaves at ten from pier five", kind="fact", force=True).memory
    episode = vault.create_episode([a, b], "A day at the pier").result.episode.id
    backup = root.parent / "backup.tar.gz"
    pairs: list[tuple[Callable[[], object], tuple[str, ...]]] = [
        (lambda: vault.recall("ferry"), ("recall", "ferry")),
        (lambda: vault.recall("ferry", budget=200), ("recall", "ferry", "--budget", "400")),
        (lambda: vault.show(a), ("show", a.id)),
        (lambda: vault.list(), ("list",)),
        (lambda: vault.compare(a, b), ("compare", a.id, b.id)),
        (lambda: vault.why_not(a, "ferry"), ("why-not", a.id, "ferry")),
        (lambda: vault.graph(a), ("graph", a.id)),
        (lambda: vault.graph_overview(), ("graph",)),
        (lambda: vault.episode(episode), ("episode", "show", episode)),
        (lambda: vault.episodes(), ("episode", "list")),
        (lambda: vault.history(a), ("history", a.id)),
        (lambda: vault.status(), ("status",)),
        (lambda: vault.stats(), ("stats",)),
        (lambda: vault.doctor(), ("doctor",)),
        (lambda: vault.wake_up(), ("wake-up",)),
        (lambda: vault.introspect(), ("introspect",)),
        (lambda: vault.emotion_trend(), ("emotion-trend",)),
        (lambda: vault.show_self(), ("update-self",)),
        (lambda: vault.rebuild_views(), ("views", "rebuild")),
        (lambda: vault.reindex(), ("reindex",)),
        (lambda: vault.consolidate(), ("consolidate",)),
        (lambda: vault.tidy(dry_run=True), ("tidy", "--dry-run")),
        (lambda: vault.tidy_candidates(), ("tidy", "candidates")),
        (lambda: vault.tag(a, add="x"), ("tag", a.id, "+y")),
        (lambda: vault.edit(a, fields={"importance": 4}), ("edit", a.id, "--set", "importance=5")),
        (lambda: vault.link(a, b), ("link", b.id, a.id)),
        (lambda: vault.confirm(a), ("confirm", a.id)),
        (lambda: vault.close(b), ("close", a.id)),
        (lambda: vault.backup(backup), ("backup", str(backup.with_name("other.tar.gz")))),
        (lambda: vault.export(root.parent / "one.jsonl"), ("export", str(root.parent / "two.jsonl"))),
        (lambda: vault.forget(a), ("forget", b.id)),
        (lambda: vault.restore(a), ("restore", b.id)),
        (lambda: vault.undo(), ("undo",)),
    ]
    for call, words in pairs:
        result = call()
        assert isinstance(result, Result), words
        document = result.to_dict()
        json.dumps(document)
        told = cli.json(*words)
        assert set(shape(document)) == set(shape(told)), words
    assert vault.operations()[0].to_dict().keys() == cli.json("history")["operations"][0].keys()


def test_notices_are_in_the_result(root: Path, env: dict[str, str]) -> None:
    # B-2: they heaped up on the workspace
    source = Vault(root, env=env).remember("Between us: the code is 4711", private=True).memory
    vault = Vault(root, env=env)
    made = vault.remember("A summary of codes", kind="summary", sources=[source])
    assert made.notices == ["saved as private: it is made from a private memory"]
    assert vault.recall("codes").notices == []


def test_home_is_expanded_everywhere(env: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # B-2
    monkeypatch.setenv("HOME", str(tmp_path))
    env = env | {"HOME": str(tmp_path)}
    Vault.init("~/vault", env=env)
    vault = Vault("~/vault", env=env)
    vault.remember("One")
    assert Path(vault.export("~/out.jsonl").out) == tmp_path / "out.jsonl"
    assert len(vault.import_("~/out.jsonl").skipped) == 1
    assert vault.backup("~/b.tar.gz").file == tmp_path / "b.tar.gz"
    assert Vault.check_backup("~/b.tar.gz").wrong == []


def test_an_exception_in_a_callback_is_the_callers_own(root: Path, env: dict[str, str], tmp_path: Path) -> None:
    # B-2: a ValueError was taken for a damaged index
    for number in range(3):
        (root / "memories").mkdir(exist_ok=True)
        (root / "memories" / f"{number}.md").write_text(f"Note number {number}\n")

    def stop(done: int, total: int) -> None:
        raise ValueError("mine")

    vault = Vault(root, env=env, progress=stop)
    with pytest.raises(ValueError, match="mine"):
        vault.recall("note")
    other = Vault(root, env=env)
    out = tmp_path / "x.jsonl"
    other.export(out)
    Vault.init(tmp_path / "second", env=env)
    second = Vault(tmp_path / "second", env=env)
    with pytest.raises(ValueError, match="mine"):
        second.import_(out, progress=stop)
    with pytest.raises(ValueError, match="mine"):
        second.remember_many(["One", "Two"], progress=stop)
    assert len(second.list()) == 0  # whole, or not there
    assert second.doctor().healthy


def test_a_vault_that_was_moved_away_gets_no_new_folder(root: Path, env: dict[str, str]) -> None:
    # B-2
    vault = Vault(root, env=env)
    vault.remember("Before the move")
    root.rename(root.with_name("elsewhere"))
    for call in (lambda: vault.remember("After it"), lambda: vault.recall("move"), vault.settle):
        with pytest.raises(VaultNotFound, match="no longer a vault"):
            call()
    assert not root.exists()
    assert len(Vault(root.with_name("elsewhere"), env=env).list()) == 1


def test_a_model_without_a_number_is_refused(root: Path, env: dict[str, str], tmp_path: Path) -> None:
    # B-2
    from safetensors.numpy import load_file, save_file

    from vault_mem.embedding.embedder import BUILT_IN

    model = tmp_path / "model"
    shutil.copytree(BUILT_IN, model)
    tensors = load_file(model / "model.safetensors")
    empty = {
        name: np.full(each.shape, np.nan, np.float32) if each.ndim == 2 else each for name, each in tensors.items()
    }
    save_file(empty, model / "model.safetensors")
    with pytest.raises(ModelNotFound, match="no number"):
        Vault(root, env=env | {"VAULT_MEM_MODEL": str(model)}).remember("One")


def test_metadata_of_ones_own(vault: Vault) -> None:
    # B-4: flat keys of front matter, found by filters
    noted = {"run": 7, "score": 0.5, "who": "planner: [x]", "open": True, "day": "2026-11-17", "null": "null"}
    memory = vault.remember("The planner chose route B", metadata=noted).memory
    vault.remember("The planner chose route C", metadata={"run": 8}, force=True)
    assert "\nmeta_run: 7\n" in (vault.root / memory.path).read_text()
    assert vault.show(memory).memory.metadata == noted
    assert memory.to_dict()["metadata"] == noted
    for name, value in noted.items():
        assert [each.id for each in vault.list(metadata={name: value})] == [memory.id], name
    assert len(vault.list(metadata={"run": "7"})) == 0
    assert [each.memory.id for each in vault.recall("route", metadata={"run": 7, "open": True})] == [memory.id]
    vault.edit(memory, metadata={"run": 9, "who": None})
    now = vault.show(memory).memory.metadata
    assert (now["run"], "who" in now) == (9, False)
    vault.undo()
    vault.reindex()
    assert vault.show(memory).memory.metadata == noted
    assert vault.doctor().healthy
    again = vault.remember("A token", metadata={"note": "x"}, private=True).memory
    assert again.metadata == {"note": "x"}
    with pytest.raises(VaultMemError, match="metadata"):
        vault.remember("A public one", metadata={"key": "ghp_abcdefghijklmnopqrstuvwxyz0123456789"})


def test_metadata_survives_export_and_import(vault: Vault, tmp_path: Path, env: dict[str, str]) -> None:
    # B-4
    vault.remember("The planner chose route B", metadata={"run": 7})
    vault.export(tmp_path / "out.jsonl")
    Vault.init(tmp_path / "other", env=env)
    other = Vault(tmp_path / "other", env=env)
    other.import_(tmp_path / "out.jsonl")
    assert [each.metadata for each in other.list(metadata={"run": 7})] == [{"run": 7}]


def test_settings_trash_and_evaluate_have_their_methods(vault: Vault, tmp_path: Path) -> None:
    # B-4: eval and config had none
    assert {each.name: each.value for each in vault.settings()}["timezone"] == "Asia/Tokyo"
    vault.set_setting("max_links", "2")
    assert {each.name: each.value for each in vault.settings()}["max_links"] == 2
    memory = vault.remember("Soon gone").memory
    vault.forget(memory)
    assert [each.id for each in vault.trash()] == [memory.id]
    assert vault.tidy_log() == []
    data = tmp_path / "data.json"
    entry = {
        "name": "one",
        "memories": [{"key": "a", "text": "The ferry leaves at nine", "created": "2026-01-01", "speaker": ""}],
        "questions": [{"question": "When does the ferry leave?", "evidence": ["a"]}],
    }
    data.write_text(json.dumps([entry]))
    assert Vault.evaluate(data).as_json()["questions"] == 1


def test_lists_are_what_the_note_gives_back(vault: Vault) -> None:
    # B-2: the result said `#x y` and ` a `, the note x y and a
    saved = vault.remember("One", tags=["#x y", " a ", "a", "  "], people=[" Kaya ", "Kaya"], category=" work ").memory
    again = vault.show(saved).memory
    assert (saved.tags, saved.people, saved.category) == (["x y", "a"], ["Kaya"], "work")
    assert (again.tags, again.people, again.category) == (saved.tags, saved.people, saved.category)


def test_one_tag_in_filters(vault: Vault) -> None:
    # B-2: `Filters(tags="work")` looked for w, o, r and k
    vault.remember("The standup moved to 3pm", tags=["work"])
    assert len(vault.list(Filters(tags="work"))) == 1
    assert len(vault.recall("standup", filters=Filters(tags="work"))) == 1


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda v: v.episode("ep_nope"), "vault.episodes()"),
        (lambda v: v.restore("nope"), "vault.trash()"),
        (lambda v: Vault(v.root / "nope"), "Vault.init(FOLDER)"),
        (lambda v: v.evaluate("nope"), "help(Vault.evaluate)"),
    ],
)
def test_hints_name_methods(kept: Vault, wrong: Callable[[Vault], object], says: str) -> None:
    with pytest.raises(VaultMemError) as error:
        wrong(kept)
    assert says in error.value.hint
    assert not SHELL.search(error.value.hint)
