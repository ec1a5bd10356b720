"""The library: the same thing without the shell."""

from __future__ import annotations

import contextlib
import dataclasses
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import vault_mem
from vault_mem import Link, Memory, Vault, VaultMemError
from vault_mem.errors import InvalidInput, NotFound, VaultNotFound
from vault_mem.operations.memory.filters import Filters


def test_the_public_names() -> None:
    assert {"AsyncVault", "Filters", "InvalidInput", "Kind", "Link", "LinkType", "Memory", "Vault"} < set(
        vault_mem.__all__
    )
    assert set(vault_mem.__all__) <= set(dir(vault_mem))
    for name in vault_mem.__all__:
        assert getattr(vault_mem, name)
    assert [name for names in vault_mem._MODULE_OF.values() for name in names if name not in vault_mem.__all__] == []
    with pytest.raises(AttributeError):
        vault_mem.nothing  # noqa: B018


def test_importing_it_is_light() -> None:
    # the entry point imports nothing heavy
    code = (
        "import sys, vault_mem, vault_mem.cli.main\n"
        "heavy = {'lancedb', 'model2vec', 'numpy', 'pyarrow', 'yaml', 'tokenizers'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_search_loads_no_client_for_remote_tables(tmp_path: Path, env: dict[str, str]) -> None:
    # importing LanceDB takes long; whoever wants the rest of it in the same process still gets it
    Vault.init(tmp_path, env=env)
    code = (
        "import gc, sys, vault_mem\n"
        f"vault_mem.Vault({str(tmp_path)!r}).recall('anything')\n"
        "name = 'lance_namespace_urllib3_client'\n"
        "assert 'lancedb' in sys.modules and f'{name}.api' not in sys.modules and gc.isenabled()\n"
        "assert f'{name}.models.list_tables_response' not in sys.modules\n"
        "import lancedb.db, lance_namespace, overrides\n"
        "made = lancedb.db.ListTablesResponse(tables=['a'])\n"
        "assert made.tables == ['a'] and isinstance(made, lancedb.db.ListTablesResponse)\n"
        "assert type(made) is lance_namespace.ListTablesResponse and overrides.final\n"
        "assert not hasattr(lance_namespace, 'no_such_thing')\n"
        "import lance_namespace_urllib3_client as client\n"
        "assert client.ApiClient and client.models.QueryTableRequest and f'{name}.api' in sys.modules\n"
        "assert client.ListTablesResponse is type(made)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, env=env)


def test_a_day_with_it(tmp_path: Path, env: dict[str, str]) -> None:
    # issue 2: Vault(path).remember(...), .recall(...), .compare(a, b); results are dataclasses
    made = Vault.init(tmp_path / "v", env=env)
    vault = Vault(tmp_path / "v", env=env)
    saved = vault.remember("The standup moved to 3pm", tags=["work"], importance=4, emotion="calm")
    found = vault.recall("standup", 3)
    compared = vault.compare("The standup moved to 3pm", saved.memory.id)
    results = [
        made,
        saved,
        found,
        found.results[0],
        compared,
        vault.show(saved.memory.id),
        vault.list(),
        vault.status(),
    ]
    results += [vault.doctor(), vault.reindex(), saved.memory]
    assert all(dataclasses.is_dataclass(each) for each in results)
    assert isinstance(saved.memory, Memory)
    assert found.results[0].memory == saved.memory
    assert (compared.verdict, compared.distance) == ("duplicate", 0.0)
    assert vault.root == (tmp_path / "v").resolve()


def test_times_have_an_offset(vault: Vault) -> None:
    # V-2
    memory = vault.remember("Now").memory
    assert memory.created.utcoffset() == timedelta(hours=9)


def test_a_clock_of_ones_own(root: Path, env: dict[str, str]) -> None:
    vault = Vault(root, env=env, clock=lambda: datetime(2030, 1, 1, tzinfo=UTC))
    assert vault.remember("Then").memory.created.isoformat() == "2030-01-01T09:00:00+09:00"
    assert vault.list(Filters(until=datetime(2030, 1, 1, tzinfo=UTC))).total == 0


def test_a_current_folder_that_is_gone(root: Path, env: dict[str, str], tmp_path: Path) -> None:
    # B-2: an agent's sandbox was cleaned up under it
    gone = tmp_path / "gone"
    gone.mkdir()
    with contextlib.chdir(gone):
        gone.rmdir()
        tool = next(each for each in Vault(root, env=env).as_tools("core") if each.__name__ == "remember")
        assert tool("The ladder goes back to Jonas.").startswith("Saved")
        with pytest.raises(VaultNotFound):
            Vault(env=env)


def test_errors_are_one_family(vault: Vault, tmp_path: Path, env: dict[str, str]) -> None:
    # each with what happened, and what to do
    with pytest.raises(VaultNotFound) as missing:
        Vault(tmp_path / "nowhere", env=env)
    assert missing.value.hint
    with pytest.raises(InvalidInput):
        vault.remember("")
    with pytest.raises(InvalidInput):
        vault.remember("x", importance=9)
    with pytest.raises(InvalidInput):
        vault.recall("")
    with pytest.raises(NotFound) as error:
        vault.show("mem_ffffffffffff")
    assert isinstance(error.value, VaultMemError)
    assert error.value.message == str(error.value) == "Memory not found: mem_ffffffffffff"


@pytest.mark.parametrize(
    "fields",
    [
        {"importance": "high"},
        {"importance": 2.5},
        {"importance": True},
        {"tags": [2024]},
        {"tags": "work"},
        {"tags": None},
        {"intensity": "strong"},
        {"valid_from": "2026-11-15"},
        {"category": None},
        {"kind": None},
        {"private": "yes"},
        {"supersedes": "mem_ffffffffffff"},
    ],
)
def test_values_of_a_wrong_type(vault: Vault, fields: dict) -> None:
    # refused with an error of ours, or taken for what was meant; never half-written
    try:
        memory = vault.remember("A text", **fields).memory
    except VaultMemError:
        assert list((vault.root / "memories").rglob("*.md")) == []
        assert list((vault.root / "private").rglob("*.md")) == []
        return
    assert vault.doctor().healthy
    if "tags" in fields:
        assert memory.tags in (["2024"], ["work"], [])
    if "private" in fields:
        assert memory.private is True


def test_naive_times_are_in_the_vaults_zone(vault: Vault) -> None:
    # V-2
    memory = vault.remember("Open house", valid_to=datetime(2026, 12, 24, 18)).memory  # noqa: DTZ001
    assert memory.valid_to.isoformat() == "2026-12-24T18:00:00+09:00"


def test_an_unknown_field_is_a_type_error(vault: Vault) -> None:
    with pytest.raises(TypeError):
        vault.remember("x", colour="red")


def test_filters(vault: Vault) -> None:
    #
    vault.remember("One about tea", tags=["tea"], people=["Ann"])
    vault.remember("Secret about tea", private=True, force=True)
    assert [each.memory.content for each in vault.recall("tea", filters=Filters(tags=["tea"])).results] == [
        "One about tea"
    ]
    assert [each.memory.private for each in vault.recall("tea", filters=Filters(private=True)).results] == [True]
    assert vault.list(Filters(people=["Ann"])).total == 1


def test_links_of_a_memory(vault: Vault) -> None:
    # V-3
    first = vault.remember("The harbour dues rise").memory
    second = vault.remember("The harbour dues rise in May", force=True, link_threshold=1).memory
    assert isinstance(second.links[0], Link)
    assert second.links[0].target == Path(first.path).stem
    assert first.links == []


def test_text_with_lone_carriage_returns(vault: Vault) -> None:
    # V-1: what remember returns is what the file says
    memory = vault.remember("one\rtwo\r\nthree").memory
    assert vault.show(memory.id).memory == memory
    assert memory.content == "one\ntwo\nthree"


def test_an_answer_writes_nothing_and_settling_does(root: Path, env: dict[str, str]) -> None:
    # V-4: what waits for quiet runs in `settle`, or when the block ends
    settings = root / "vault-mem.toml"
    settings.write_text(settings.read_text() + "quiet_seconds = 0\n")
    note = root / "memories" / "by-hand.md"
    note.parent.mkdir(exist_ok=True)
    note.write_text("The gate code is in the blue notebook\n")
    vault = Vault(root, env=env)
    assert vault.recall("gate code").results[0].memory.path == "memories/by-hand.md"
    vault.status()
    assert note.read_text() == "The gate code is in the blue notebook\n"
    vault.settle()
    assert note.read_text().startswith("---\nid: mem_")
    note.write_text("The gate code is in the green notebook\n")
    with Vault(root, env=env) as again:
        again.list()
        assert "id:" not in note.read_text()
    assert note.read_text().startswith("---\nid: mem_")
