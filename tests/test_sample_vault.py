"""The sample vault: sound, and found in English and Japanese."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import SAMPLE, Command
from helpers import states

from vault_mem import Vault


def paths(vault: Vault, query: str, n: int = 5) -> list[str]:
    return [Path(found.memory.path).stem for found in vault.recall(query, n).results]


def test_what_it_holds(sample: Vault) -> None:
    # issue 2: about 40 memories, episodes, closed facts, private notes; nothing broken, no link to nowhere
    status = sample.status()
    assert 38 <= status.memories - status.private <= 50
    assert status.private == 4
    assert status.closed >= 4
    assert status.episodes == 2
    assert status.problems == []
    assert {each.check for each in sample.doctor().findings} == {"origins"}  # it is older than that property


def test_using_it_changes_nothing(sample_cli: Command, sample_root: Path) -> None:
    # V-4
    before = states(sample_root)
    for command in (["recall", "眼鏡"], ["list"], ["status"], ["doctor"], ["reindex"], ["show", "mem_dbc36cce71cd"]):
        assert sample_cli.run(*command).code == 0
    assert states(sample_root) == before


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # words of two characters
        ("眼鏡", {"眼鏡の修理-e2af630d", "眼鏡なしで新聞-7011e30c"}),
        ("団子", {"団子の体重-12539938", "団子の冬眠-6f08e004"}),
        ("歯科", {"矢野デンタル-b36c5b57"}),
        ("欠測", {"三号筏の欠測-6642d423"}),
        ("冬眠", {"団子の冬眠-6f08e004", "団子の体重-12539938"}),
        ("手術", {"文江さんの白内障の手術-ba8b2196", "手術は18分-3cfc7cc4", "白内障手術の日-e6137aae"}),
        ("休み", {"何も頼まれなかった日-71a2c8f7"}),
        # katakana, full and half width
        ("マンホール", {"マンホール57枚-88cfee24"}),
        ("ﾏﾝﾎｰﾙ", {"マンホール57枚-88cfee24"}),
        ("コーヒー", {"コーヒーは15時まで-862b1ee8", "15時以降のコーヒー-ffac2482"}),
        ("ｺｰﾋｰ", {"コーヒーは15時まで-862b1ee8", "15時以降のコーヒー-ffac2482"}),
        ("リクガメ", {"団子の体重-12539938"}),
        # full and half width letters and digits
        ("ＢＸ－４４０７Ｖ", {"o-ring-bx-4407v-3c135e76"}),
        ("ＥＲ３４６１５", {"bergen-batch-flies-49b707a0"}),
        # mixed
        ("Marit との通話", {"定例会議は木曜-1e616082"}),
        ("one more bridge 伯方島", {"伯方島で引き返した-4571bbe1"}),
        ("Kaya の眼鏡", {"眼鏡の修理-e2af630d"}),
        # names and part numbers
        ("BX-4407V", {"o-ring-bx-4407v-3c135e76"}),
        ("bx-4407v", {"o-ring-bx-4407v-3c135e76"}),
        ("drain_ring_buffer", {"midnight-gap-two-calls-7c4a790b"}),
        ("2.9.0-rc2", {"first-night-2-9-0-rc2-211033e5"}),
        ("HS 9027.89", {"print-customs-papers-25aeec24"}),
        ("Stromness", {"ewan-cannot-swim-ddfff0e9"}),
        ("sextant", {"mem_6181ab31beea"}),
        # questions
        ("who taught Kaya to pot a circuit board?", {"ibe-san-and-kaya-d8da10e8"}),
        ("定例会議はいつ", {"定例会議は木曜-1e616082"}),
        ("文江さんの目の手術はどうだった", {"手術は18分-3cfc7cc4"}),
    ],
)
def test_found(sample: Vault, query: str, expected: set[str]) -> None:
    # among the first three (or as many as are expected)
    assert expected <= set(paths(sample, query, max(3, len(expected))))


def test_half_and_full_width_answer_alike(sample: Vault) -> None:
    #
    assert paths(sample, "ﾏﾝﾎｰﾙ", 3)[0] == paths(sample, "マンホール", 3)[0]
    assert paths(sample, "ｺｰﾋｰ", 2) == paths(sample, "コーヒー", 2)


def test_closed_facts_stay_away(sample: Vault, sample_cli: Command) -> None:
    #
    assert "定例会議は火曜-d7b6d5fc" not in paths(sample, "定例会議", 40)
    closed = [Path(each["path"]).stem for each in sample_cli.json("recall", "定例会議", "--closed")["results"]]
    assert "定例会議は火曜-d7b6d5fc" in closed
    then = [
        Path(each["path"]).stem for each in sample_cli.json("recall", "定例会議", "--as-of", "2026-07-01")["results"]
    ]
    assert "定例会議は火曜-d7b6d5fc" in then
    assert "定例会議は木曜-1e616082" not in then


def test_links_both_ways(sample: Vault) -> None:
    # V-3: every link of every memory, from both ends
    ids = [each.id for each in sample.list().memories]
    count = 0
    for id_ in ids:
        for link in sample.show(id_).links:
            count += 1
            if link.id.startswith("mem_"):
                assert id_ in [back.id for back in sample.show(link.id).links]
    assert count >= 30


def test_the_guard_stops_a_repetition(sample_cli: Command) -> None:
    # D-2
    text = "佳也は15時を過ぎるとコーヒーを飲まない。眠りが浅くなるので、午後の遅い時間はほうじ茶にしている。"
    assert sample_cli.run("remember", text).code == 3


def test_its_near_duplicates_are_near(sample: Vault) -> None:
    # D-8
    for a, b in [
        ("mem_9d89c14dd60e", "mem_5d1292533805"),
        ("mem_ba8b2196747e", "mem_e6137aae9ad0"),
        ("mem_ffac248249d4", "mem_862b1ee803df"),
    ]:
        assert sample.compare(a, b).similarity >= 0.9


def test_public_files_name_no_private_one() -> None:
    # P-3
    private = [path.stem for path in (SAMPLE / "private.sample").glob("*.md")]
    text = "\n".join(path.read_text() for path in SAMPLE.rglob("*.md") if "private.sample" not in path.parts)
    for id_ in private:
        assert id_ not in text
        assert id_[4:12] not in text


def test_names_carry_ids() -> None:
    # V-5
    for path in (SAMPLE / "memories").rglob("*.md"):
        id_ = re.search(r"^id: mem_([0-9a-f]{12})$", path.read_text(), re.MULTILINE).group(1)
        assert path.stem.endswith(id_[:8])


def test_git_keeps_no_private_folder() -> None:
    assert not (SAMPLE / "private").exists()
    assert (SAMPLE / ".gitignore").read_text().splitlines() == ["private/", ".vault-mem/"]


def test_it_ships_what_init_makes_for_obsidian(tmp_path: Path, env: dict[str, str]) -> None:
    # O-6: opened as it is, it has views with titles, templates and types of properties
    made = Vault.init(tmp_path / "new", env=env, obsidian=True)
    for key in made.created:
        if key.endswith((".base", "types.json")) or key.startswith("templates/"):
            assert (SAMPLE / key).read_bytes() == (tmp_path / "new" / key).read_bytes(), key
    for path in (SAMPLE / "memories").rglob("*.md"):
        assert "\naliases:\n" in path.read_text()
    for path in (SAMPLE / "memory").glob("2026-*.md"):
        assert all("|↗]] [id:mem_" in line for line in path.read_text().splitlines() if "[id:" in line)


def test_its_views_are_as_they_would_be_made(sample_root: Path, env: dict[str, str]) -> None:
    # W-1: but for logs of days that are left out
    assert {key for key in Vault(sample_root, env=env).rebuild_views().files if (SAMPLE / key).exists()} == set()
