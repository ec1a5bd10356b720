"""What happens to files while a daemon watches them: the next recall knows."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from daemons import Served, served, wait_for
from helpers import memory, note, states


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("watch")) as command:
        memory(command.root, "memories/2026-11/basil-aaaa1111.md", "mem_aaaa11110000", "The basil died of cold.")
        assert command.spawn("recall", "basil").code == 0
        yield command


def test_a_new_file(one: Served) -> None:
    #
    (one.root / "memories/lighthouse.md").write_text("The lighthouse keeper plays the oboe.\n")
    assert one.found("oboe lighthouse")[0] == "memories/lighthouse.md"


def test_an_edit_in_place(one: Served) -> None:
    #
    path = one.root / "memories/edited.md"
    path.write_text("Yesterday there was marzipan.\n")
    assert one.found("marzipan")[0] == "memories/edited.md"
    with path.open("r+") as file:
        file.write("Yesterday there was nougat!!\n")
    assert one.ask_json("recall", "nougat")["results"][0]["content"].startswith("Yesterday there was nougat")
    with path.open("a") as file:
        file.write("And a zither.\n")
    assert one.found("zither")[0] == "memories/edited.md"


def test_an_atomic_save_as_obsidian_does(one: Served) -> None:
    #
    path = note(one.root, "memories/atomic.md", "A first version about turnips.\n")
    one.found("turnips")
    temporary = one.root / "memories/.atomic.md.tmp"
    temporary.write_text("A second version about rutabagas.\n")
    temporary.replace(path)
    assert one.found("rutabagas")[0] == "memories/atomic.md"


def test_a_save_as_vim_does(one: Served) -> None:
    # the old file becomes a backup, the text is written to a new one, the backup goes
    path = note(one.root, "memories/vim.md", "A line about gannets.\n")
    one.found("gannets")
    (one.root / "memories/4913").write_text("")
    (one.root / "memories/4913").unlink()
    path.rename(one.root / "memories/vim.md~")
    path.write_text("A line about cormorants.\n")
    (one.root / "memories/vim.md~").unlink()
    assert one.found("cormorants")[0] == "memories/vim.md"


def test_renames_and_moves(one: Served) -> None:
    # V-5, R-7
    memory(one.root, "memories/before-bbbb2222.md", "mem_bbbb22220000", "The quince jam set too hard.")
    assert one.found("quince jam")[0] == "memories/before-bbbb2222.md"
    (one.root / "memories/before-bbbb2222.md").rename(one.root / "memories/after.md")
    assert one.ask_json("recall", "quince jam")["results"][0]["path"] == "memories/after.md"
    (one.root / "memories/deep/er").mkdir(parents=True)
    (one.root / "memories/after.md").rename(one.root / "memories/deep/er/after.md")
    assert one.found("quince jam")[0] == "memories/deep/er/after.md"
    (one.root / "memories/deep").rename(one.root / "memories/other")
    assert one.found("quince jam")[0] == "memories/other/er/after.md"
    with (one.root / "memories/other/er/after.md").open("a") as file:  # the renamed folder is watched on
        file.write("So we made quince cheese: membrillo.\n")
    assert one.found("membrillo")[0] == "memories/other/er/after.md"
    assert one.ask_json("show", "mem_bbbb22220000")["path"] == "memories/other/er/after.md"


def test_what_is_moved_out_or_deleted_is_gone(one: Served, tmp_path: Path) -> None:
    #
    memory(one.root, "memories/leaving.md", "mem_cccc33330000", "The cellist moved to Bergen.")
    memory(one.root, "memories/folder/inside.md", "mem_dddd44440000", "The bassoonist moved to Turku.")
    memory(one.root, "memories/deleted.md", "mem_eeee55550000", "The harpist moved to Gdansk.")
    assert len(one.found("moved to", 20)) >= 3
    (one.root / "memories/leaving.md").rename(tmp_path / "leaving.md")
    assert "memories/leaving.md" not in one.found("cellist Bergen", 20)
    (one.root / "memories/folder").rename(tmp_path / "folder")
    assert "memories/folder/inside.md" not in one.found("bassoonist Turku", 20)
    (one.root / "memories/deleted.md").unlink()
    assert "memories/deleted.md" not in one.found("harpist Gdansk", 20)


def test_a_folder_that_comes_with_its_notes(one: Served, tmp_path: Path) -> None:
    #
    made = tmp_path / "arrived" / "below"
    made.mkdir(parents=True)
    (made / "deep.md").write_text("A postcard from Ushuaia.\n")
    shutil.move(tmp_path / "arrived", one.root / "memories/arrived")
    assert one.found("postcard Ushuaia")[0] == "memories/arrived/below/deep.md"
    (one.root / "memories/arrived/below/second.md").write_text("A telegram from Valparaiso.\n")
    assert one.found("telegram Valparaiso")[0] == "memories/arrived/below/second.md"


def test_what_is_no_note_is_none_while_watched(one: Served) -> None:
    # V-9
    for key in ("memories/.hidden.md", "memories/.trash/old.md", "memories/README.md", "memories/#draft.md"):
        note(one.root, key, "Nobody should find the wolverine.\n")
    note(one.root, "memories/folded/folded.md", "A folder note about the wolverine.\n")
    assert not [path for path in one.found("wolverine", 20) if "READ" in path or "/." in path or "folded" in path]


def test_settings_that_change_what_a_note_is(one: Served) -> None:
    # the next answer is by the new settings, without a restart
    note(one.root, "notes/outside.md", "An included note about the theremin.\n")
    assert "notes/outside.md" not in one.found("theremin")
    assert one.run("config", "set", "include", "notes/**").code == 0
    assert one.found("theremin")[0] == "notes/outside.md"
    (one.root / "notes/later.md").write_text("Another one about the ondes martenot.\n")
    assert one.found("ondes martenot")[0] == "notes/later.md"
    assert one.run("config", "unset", "include").code == 0
    assert "notes/outside.md" not in one.found("theremin")


def test_a_folder_that_becomes_a_vault(one: Served) -> None:
    # P-3, R-7: what is private there is not known here, so its notes leave at once, and come back with it
    note(one.root, "projects/x/private/oud.md", "A secret about the oud.\n")
    assert one.run("config", "set", "include", "projects/**").code == 0
    assert one.found("secret oud")[0] == "projects/x/private/oud.md"
    mark = note(one.root, "projects/x/vault-mem.toml", "")
    assert "projects/x/private/oud.md" not in one.found("secret oud")
    (one.root / "projects/x/private/later.md").write_text("Another secret about the oud.\n")
    assert not [path for path in one.found("secret oud", 20) if "projects" in path]
    mark.unlink()
    assert {"projects/x/private/oud.md", "projects/x/private/later.md"} <= set(one.found("secret oud", 20))
    assert one.run("config", "unset", "include").code == 0


def test_settings_that_change_what_a_file_says(one: Served) -> None:
    # V-2, P-2, R-7: the time zone of a time without one, and which folder is private
    memory(one.root, "hidden/sitar.md", "mem_aaaa11110001", "A note about the sitar.")

    def sitar() -> tuple[str, bool]:
        found = one.ask_json("recall", "sitar", "-n", "1")["results"][0]
        assert found["path"] == "hidden/sitar.md"
        return found["created"], found["private"]

    for name, value in (("include", "hidden/**"), ("timezone", "UTC"), ("private_folder", "hidden")):
        assert one.run("config", "set", name, value).code == 0
        if name == "include":
            assert sitar() == ("2026-11-01T08:00:00+09:00", False)
    assert sitar() == ("2026-11-01T08:00:00+00:00", True)
    assert [one.run("config", "unset", name).code for name in ("include", "private_folder")] == [0, 0]
    assert one.run("config", "set", "timezone", "Asia/Tokyo").code == 0
    assert "hidden/sitar.md" not in one.found("sitar")


def test_a_clock_that_was_set_back(one: Served) -> None:
    # a file from the future, edited by a clock that is right again
    path = one.root / "memories/future.md"
    path.write_text("Written tomorrow about sextants.\n")
    ahead = time.time() + 86_400
    os.utime(path, (ahead, ahead))
    assert one.found("sextants")[0] == "memories/future.md"
    path.write_text("Written today about astrolabes.\n")
    assert one.found("astrolabes")[0] == "memories/future.md"
    (one.root / "memories/past.md").write_text("Written long ago about abacuses.\n")
    os.utime(one.root / "memories/past.md", (1, 1))
    assert one.found("abacuses")[0] == "memories/past.md"


def test_watching_writes_nothing(one: Served) -> None:
    # V-4
    before = states(one.root)
    for query in ("basil", "oboe"):
        one.found(query)
    one.ask("status")
    one.ask("doctor")
    assert states(one.root) == before


def test_an_id_once_the_file_is_quiet(tmp_path: Path) -> None:
    # V-6: the daemon adopts by itself, without another command
    with served(tmp_path) as command:
        assert command.run("config", "set", "quiet_seconds", "1").code == 0
        assert command.spawn("recall", "anything").code == 0
        path = command.root / "memories/dropped.md"
        path.write_text("Dropped in by a person.\n")
        wait_for(lambda: path.read_text().startswith("---\nid: mem_"))
        assert path.read_text().endswith("Dropped in by a person.\n")
        assert command.found("dropped person")[0] == "memories/dropped.md"


def test_many_files_at_once(tmp_path: Path, soak: bool) -> None:
    # as by a git checkout; an answer is right, or says how much is missing
    count = 20_000 if soak else 700
    with served(tmp_path) as command:
        assert command.spawn("recall", "anything").code == 0
        for number in range(count):
            folder = command.root / f"memories/part-{number % 20}"
            folder.mkdir(exist_ok=True)
            (folder / f"note-{number}.md").write_text(f"Specimen {number} was found near kilometre {number * 7}.\n")
        answer = command.ask_json("recall", f"Specimen {count - 1}")
        assert answer["stale"] or any(f"Specimen {count - 1} " in each["content"] for each in answer["results"])
        assert bool(answer["pending"]) == answer["stale"]
        wait_for(lambda: not command.ask_json("status")["stale"], 1800)
        assert command.ask_json("status")["memories"] == count
        assert f"memories/part-{(count - 1) % 20}/note-{count - 1}.md" in command.found(f"Specimen {count - 1}")


def test_without_events_every_command_looks(tmp_path: Path) -> None:
    # as on a network file system
    with served(tmp_path) as command:
        command.env["VAULT_MEM_WATCH"] = "scan"
        assert command.spawn("recall", "anything").code == 0
        (command.root / "memories/unseen.md").write_text("Nobody announced the axolotl.\n")
        assert command.found("axolotl")[0] == "memories/unseen.md"
        assert command.run("daemon", "status", "--json").json["watching"] == "scans"


def test_the_machines_own_folder_is_its_owners(root: Path, env: dict[str, str], monkeypatch) -> None:
    # S-8: where watchdog's own observer watches, the cookies made .vault-mem with a mode for everybody
    from vault_mem import Vault
    from vault_mem.daemon import watcher

    monkeypatch.setattr(watcher, "_source", watcher._Observed)
    shutil.rmtree(root / ".vault-mem", ignore_errors=True)
    vault = Vault(root, env=env, watch=True)
    vault.settings()
    assert (root / ".vault-mem").stat().st_mode & 0o777 == 0o700
    vault.close_files()
