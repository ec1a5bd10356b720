"""compare: how two texts stand to each other, and what remember would do."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, memory

from vault_mem import Vault
from vault_mem.errors import InvalidInput, NotFound

A = "The orchard behind the school has forty apple trees"
B = "Quarterly tax forms are due on Friday"


def test_json_shape(cli: Command) -> None:
    # D-1: distance = 1 - similarity
    answer = cli.json("compare", A, B)
    assert set(answer) == {"verdict", "similarity", "distance", "differs", "remember"}
    assert answer["verdict"] == "different"
    assert answer["remember"] == "save"
    assert answer["distance"] == pytest.approx(1 - answer["similarity"], abs=1e-4)


def test_the_same_text(cli: Command) -> None:
    # D-2
    answer = cli.run("compare", A, f"  {A}\n")
    assert answer.code == 0
    assert answer.out == "duplicate (similarity: 1.00)\nremember would refuse the second as a repetition.\n"


def test_it_is_symmetric_and_writes_nothing(cli: Command, root: Path) -> None:
    # V-4
    before = contents(root)
    assert (
        cli.json("compare", A, "Forty apple trees")["similarity"]
        == cli.json("compare", "Forty apple trees", A)["similarity"]
    )
    assert contents(root) == before


def test_it_agrees_with_remember(vault: Vault) -> None:
    # D-1, D-4: the same similarity, and the same decision
    vault.remember(A)
    for text in (A, "The orchard behind the school has many apple trees", "Apple trees", B):
        compared = vault.compare(A, text)
        result = vault.remember(text)
        if compared.remember == "block":
            assert result.duplicate_of is not None
        else:
            assert result.memory is not None
            linked = {found.memory.content: found.similarity for found in result.linked}
            assert (A in linked) == (compared.remember == "link")
            if A in linked:
                assert linked[A] == pytest.approx(compared.similarity, abs=1e-3)
        if result.memory is not None:
            (vault.root / result.memory.path).unlink()


def test_settings_decide(cli: Command) -> None:
    # D-5
    cli.run("config", "set", "link_threshold", "1.0")
    assert cli.json("compare", A, "The orchard behind the old school")["remember"] == "link"


def test_ids_stand_for_their_text(cli: Command, root: Path) -> None:
    memory(root, "memories/a.md", "mem_00000000000a", A)
    memory(root, "memories/b.md", "mem_00000000000b", A)
    assert cli.json("compare", "mem_00000000000a", "mem_00000000000b")["verdict"] == "duplicate"
    assert cli.json("compare", "mem_00000000000a", A)["similarity"] == 1.0


def test_what_is_not_there(cli: Command, vault: Vault) -> None:
    assert cli.run("compare", "mem_00000000000a", A).code == 4
    assert cli.run("compare", "", A).code == 2
    assert cli.run("compare", A).code == 2
    with pytest.raises(NotFound):
        vault.compare("mem_00000000000a", A)
    with pytest.raises(InvalidInput):
        vault.compare(A, " ")


def test_text_without_words(cli: Command) -> None:
    assert cli.json("compare", "🜁🜂", "🜁🜂")["similarity"] == 1.0
    assert cli.json("compare", "🜁🜂", A)["verdict"] == "different"
