"""Text that looks like a credential is refused by name and never echoed; words about passwords are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import SAMPLE, Command
from helpers import contents

from vault_mem import Vault
from vault_mem.errors import VaultMemError
from vault_mem.notes.secrets import find_secret, masked

# Put together here, so that no scanner takes this file for a leak.
SECRETS = {
    "an Anthropic API key": "sk-ant-" + "api03-" + "aB3x" * 12,
    "an OpenAI API key": "sk-" + "proj-" + "Ab1_" * 12,
    "an AWS access key": "AKIA" + "Z7QF2J4MX9K3T5RW",
    "a GitHub token": "ghp_" + "a1B2" * 9,
    "a GitLab token": "glpat-" + "xY9z" * 5,
    "a Slack token": "xoxb-" + "123456789012-abcdefABCDEF",
    "a Google API key": "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
    "a Stripe key": "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "a JSON web token": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N",
    "a private key": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeL\n",
    "a bearer token": "Authorization: Bearer abcDEF123456ghiJKL789",
    "an address with a password in it": "postgres://app:S3cretWord@db.internal:5432/orders",
    "a password or key": "password = hunter2",
}
OTHER_PASSWORDS = [
    "DB_PASSWORD: s3cr3tPa55!",
    "export API_KEY='9f8a7b6c5d4e3f2a1b0c'",
    "パスワードは hunter2abc です",
    "パスワード：Abcd1234",
    "Wi-Fi password: sunflower2024",
    "the password is Tr0ub4dor&3",
    '{"token": "abcd1234efgh5678"}',
    "Wi-Fi password: kaffee99",
    "The admin password was changed to Xk9!mmQ2",
    "pw is tr0ub4dor&3",
    "pwは tr0ub4dor3",
    "Wi-Fiのパスワードは kaffee99",
    "合言葉は tanuki88",
    "トークンはghp_" + "a1B2" * 9 + "です",
]
WORDS = [
    "the password policy changed",
    "パスワードを変更した",
    "パスワードは8文字以上にする",
    "Password: changed on 2026-11-15",
    "The token is mem_651b9d294720",
    "The API key is in the safe, ask Kaya",
    "password = <your password>",
    "password=${DB_PASSWORD}",
    "token: v2.9.0-rc2",
    "the secret is out",
    "The password was changed to a longer one",
    "The password is stored in 1Password",
    "Password: must be changed every 90 days",
    "Secret: butter in the dough",
    "パスワードは1Passwordに保存している",
    "パスワード：毎月変えること",
    "合言葉は変わらない",
    "scikit-learn, also known as sk-learn-contrib-something-long",
    "The bearer of this letter arrived on Monday",
    "-----BEGIN PRIVATE KEY----- is how such a file begins",
    "ssh://git@host:22/x",
    "monkey = banana42split",
    "compass: north45east",
    "The passport number: AB1234567",
]


@pytest.mark.parametrize(("kind", "text"), SECRETS.items())
def test_refused_with_its_kind_and_never_echoed(cli: Command, root: Path, kind: str, text: str) -> None:
    # P-4 and the issue: exit 6, the kind named, nothing written, nothing kept, nothing shown
    before = contents(root, own=True)
    telling = text.splitlines()[-1].split()[-1]
    answer = cli.run("remember", f"Use this: {text}", "-vv")
    assert answer.code == 6
    assert kind in answer.err
    assert "--private" in answer.err
    assert "--allow-secret" in answer.err
    assert telling not in answer.err + answer.out
    assert not (root / ".vault-mem/blocked").exists()
    assert {name: data for name, data in contents(root, own=True).items() if "lock" not in name} == before
    assert telling not in cli.run("remember", text, "--json", "-v").out


def test_what_else_is_and_what_is_not() -> None:
    for text in OTHER_PASSWORDS:
        assert find_secret(text), text
    for text in WORDS:
        assert find_secret(text) is None, text
    for path in [*SAMPLE.rglob("*.md"), SAMPLE.parent / "README.md", SAMPLE.parent / "docs/private.md"]:
        assert find_secret(path.read_text()) is None, path


def test_masked() -> None:
    for text in [*SECRETS.values(), *OTHER_PASSWORDS]:
        covered = masked(f"before {text} after")
        assert find_secret(covered) is None
        assert covered.startswith("before ")
        assert covered.endswith(" after")
    assert masked("nothing here") == "nothing here"


def test_in_other_fields_and_updates(cli: Command) -> None:
    key = SECRETS["a GitHub token"]
    for option in ("--tag", "--person", "--source", "--body-state"):
        answer = cli.run("remember", "Deploy on Monday", option, key)
        assert (answer.code, key in answer.err) == (6, False)
    made = cli.json("remember", "Deploy on Monday")["memory"]
    answer = cli.run("remember", f"Deploy with {key}", "--update", made["id"])
    assert (answer.code, key in answer.err) == (6, False)
    assert cli.json("show", made["id"])["content"] == "Deploy on Monday"


def test_allowed_where_it_is_meant(cli: Command, root: Path) -> None:
    key = SECRETS["a GitHub token"]
    private = cli.json("remember", "-", "--private", stdin=f"The deploy key is {key}")["memory"]
    assert key in (root / private["path"]).read_text()
    assert cli.run("remember", f"An invalid one: {key}", "--allow-secret", "--force").code == 0
    made = cli.json("remember", "Another thing altogether")["memory"]
    assert cli.run("remember", f"Replaced {key}", "--update", made["id"], "--allow-secret").code == 0
    assert cli.run("remember", f"Newer {key}", "--update", private["id"]).code == 0
    # what was kept private is not published by mistake either
    answer = cli.run("publish", private["id"])
    assert (answer.code, key in answer.err) == (6, False)
    assert cli.json("publish", private["id"], "--allow-secret")["status"] == "public"


def test_an_import_refuses_them_one_by_one(cli: Command, root: Path, tmp_path: Path) -> None:
    key = SECRETS["a GitHub token"]
    source = tmp_path / "notes"
    source.mkdir()
    (source / "a.md").write_text("The harbour dues rise in May\n")
    (source / "b.md").write_text(f"Deploy with {key}\n")
    answer = cli.run("import", str(source))
    assert answer.code == 0
    assert "a GitHub token" in answer.out
    assert key not in answer.out + answer.err
    assert [each["content"] for each in cli.json("list")["memories"]] == ["The harbour dues rise in May"]
    assert not any(key.encode() in data for data in contents(root, own=True).values())


GIVEN_IN_WORDS = [
    "Wifi password: hunter2",
    "the pw is hunter2",
    "PW: Tr0ub4dor&3",
    "The password for the router is: hunter2",
    "root password -> toor1234",
    "secret = Open&Sesame",
    "My bank PIN is 4821.",
    "The alarm code is 7731#",
    "金庫の番号は4821",
    "passcode: 482913",
    "パスワードはhunter2です",
    "パスワード：hunter2",
    "パスワードは「hunter2」だよ",
    "パスワードをhunter2に変えた",
    "暗証番号は4821です",
]


@pytest.mark.parametrize("text", GIVEN_IN_WORDS)
def test_a_password_told_with_a_colon_or_in_a_sentence(vault: Vault, text: str) -> None:
    # issue 15: colon forms are refused like `password =`
    with pytest.raises(VaultMemError):
        vault.remember(text)


ABOUT_PASSWORDS = [
    "The password is written on the fridge",
    "Password: see the vault in 1Password",
    "The password is longer than 12 characters",
    "password: required",
    "The token is sha256-based",
    "The PIN has four digits",
    "The door code is on the fridge",
    "The error code is 5040",
    "The pin is 2 mm long",
    "The password for the meeting room is with Ana since 2024",
    "The API key is stored in ~/.config/app.toml",
    "Tokens: 8192 per request",
    "パスワードは12文字以上にする",
    "パスワードは1Passwordに保存している",
    "パスワードはOAuth2に置き換えた",
]


@pytest.mark.parametrize("text", ABOUT_PASSWORDS)
def test_words_about_passwords_are_saved(vault: Vault, text: str) -> None:
    # issue 15: ordinary sentences about passwords are no secrets
    assert vault.remember(text, force=True).memory is not None
