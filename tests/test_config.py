"""config: read and change settings; the comments of their files stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, one_line


def test_list(cli: Command, root: Path) -> None:
    answer = cli.json("config")
    assert answer["dedup_threshold"] == {"value": 0.05, "source": "default", "doc": answer["dedup_threshold"]["doc"]}
    assert answer["timezone"]["value"] == "Asia/Tokyo"
    assert answer["timezone"]["source"] == str(root / "vault-mem.toml")
    assert answer["index_dir"]["source"] == "VAULT_MEM_INDEX_DIR"
    assert all(each["doc"] for each in answer.values())
    assert cli.json("config", "list") == answer
    assert "dedup_threshold = 0.05\n" in cli.run("config").out


def test_get(cli: Command) -> None:
    assert cli.run("config", "get", "link_threshold").out == "0.3\n"
    assert cli.json("config", "get", "ignore")["ignore"]["value"] == ["README.md", "templates/**", "_templates/**"]


def test_set_keeps_the_rest_of_the_file(cli: Command, root: Path) -> None:
    # V-4
    file = root / "vault-mem.toml"
    file.write_bytes(b'# mine\r\ntimezone = "Asia/Tokyo"  # home\r\n\r\n# why\r\nmax_links = 3\r\n')
    assert cli.run("config", "set", "max_links", "4").code == 0
    assert file.read_bytes() == b'# mine\r\ntimezone = "Asia/Tokyo"  # home\r\n\r\n# why\r\nmax_links = 4\r\n'
    assert cli.run("config", "unset", "max_links").code == 0
    assert b"max_links" not in file.read_bytes()
    assert b'# mine\r\ntimezone = "Asia/Tokyo"  # home\r\n' in file.read_bytes()
    assert cli.run("config", "get", "max_links").out == "5\n"


def test_set_to_what_it_is_writes_nothing(cli: Command, root: Path) -> None:
    cli.run("config", "set", "scaffold", "no")
    before = (root / "vault-mem.toml").stat()
    cli.run("config", "set", "scaffold", "false")
    assert (root / "vault-mem.toml").stat() == before


def test_kinds_of_values(cli: Command) -> None:
    assert cli.json("config", "set", "include", "notes/**, journal/**")["value"] == ["notes/**", "journal/**"]
    assert cli.json("config", "set", "include", '["notes/**", "a, b/**"]')["value"] == ["notes/**", "a, b/**"]
    assert cli.run("config", "set", "include", '["notes/**"').code == 2
    assert cli.json("config", "set", "ignore", "")["value"] == []
    assert cli.json("config", "set", "quiet_seconds", "0")["value"] == 0
    assert cli.json("config", "set", "dedup_threshold", "1")["value"] == 1.0
    assert cli.json("config", "set", "scaffold", "No")["value"] is False


def test_the_users_own(cli: Command, root: Path, tmp_path: Path) -> None:
    before = contents(root)
    answer = cli.json("config", "set", "--user", "vault", str(root))
    file = Path(cli.env["HOME"]) / ".config/vault-mem/config.toml"
    assert answer["file"] == str(file)
    elsewhere = Command(tmp_path, cli.env)
    assert elsewhere.json("status")["vault"] == str(root)
    assert cli.run("config", "unset", "--user", "vault").code == 0
    assert elsewhere.run("status").code == 1
    assert contents(root) == before


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["set", "model", "x"], 2, "--user"),
        (["set", "dedup_treshold", "0.1"], 4, "did you mean dedup_threshold?"),
        (["get", "nothing"], 4, "vault-mem config lists all settings"),
        (["set", "max_links", "many"], 2, "max_links"),
        (["set", "scaffold", "perhaps"], 2, "scaffold"),
        (["set", "dedup_threshold", "2"], 2, "from 0.0 to 1.0"),
        (["set", "dedup_threshold", "nan"], 2, "dedup_threshold"),
        (["set", "adopt_ids", "sometimes"], 2, "quiet, never"),
        (["set", "timezone", "Mars/Base"], 2, "Mars/Base"),
        (["set", "memories_folder", "../elsewhere"], 2, "memories_folder"),
        (["set", "memories_folder", "private"], 2, "private"),
        (["set", "memories_folder", ""], 2, "memories_folder"),
        (["set", "max_links"], 2, "VALUE"),
        (["set", "--user", "index_dir", "index"], 2, "a full path"),
    ],
)
def test_bad_input(cli: Command, root: Path, arguments: list[str], code: int, says: str) -> None:
    # one clear line, the right exit code, nothing written; the vault works as before
    before = contents(root)
    answer = cli.run("config", *arguments)
    assert answer.code == code
    assert says in answer.err
    assert one_line(answer.err)
    assert contents(root) == before
    assert cli.run("list").code == 0


def test_outside_a_vault(tmp_path: Path, env: dict[str, str]) -> None:
    outside = Command(tmp_path, env)
    assert outside.run("config", "get", "max_links").out == "5\n"
    answer = outside.run("config", "set", "max_links", "1")
    assert answer.code == 2
    assert "--user" in answer.err
    assert outside.run("config", "--vault", str(tmp_path / "none")).code == 1


def test_a_read_only_settings_file(cli: Command, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    real = os.open

    def refuse(path, flags, *rest, **options):
        if "dir_fd" in options and flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(30, "Read-only file system")
        return real(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", refuse)
    before = contents(root)
    answer = cli.run("config", "set", "max_links", "1")
    assert answer.code == 1
    assert "Read-only" in answer.err
    assert contents(root) == before
