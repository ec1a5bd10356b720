"""Several vaults answer as one; each result says which, and private memories stay with their vault (SPEC K-5)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command
from helpers import contents, git

from vault_mem import Vault, client
from vault_mem.mcp.server import Offer, Server


@pytest.fixture
def both(tmp_path: Path, env: dict[str, str]) -> Command:
    """A personal vault and a project's; the command runs in the project."""
    home = Path(env["HOME"])
    for root in (home / "me", tmp_path / "project"):
        Vault.init(root, env=env)
    facts = [{"content": "Kaya is allergic to shellfish.", "kind": "fact", "importance": 5}]
    facts.append({"content": "Kaya is seeing a doctor about her shellfish allergy.", "private": True})
    walks = [f"Walk number {n} went along the river to the mill." for n in range(4)]
    Vault(home / "me", env=env).remember_many([*facts, *walks])
    builds = [f"Build number {n} of the harbour app was slow." for n in range(4)]
    port = {"content": "The harbour app listens on port 8090.", "kind": "fact"}
    Vault(tmp_path / "project", env=env).remember_many([port, *builds])
    settings = home / ".config/vault-mem/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('vaults = ["~/me", "."]\nsave_to = ["kind:mood=~/me", "person:Kaya=~/me"]\n')
    return Command(tmp_path / "project", env)


def test_recall_and_search(both: Command) -> None:
    # K-5: by relevance, which means the same in all; private ones are asked of their own vault alone
    found = both.json("recall", "What is Kaya allergic to?")
    assert found["results"][0]["content"] == "Kaya is allergic to shellfish." and found["results"][0]["vault"] == "~/me"
    assert "vault: ~/me" in both.run("recall", "What is Kaya allergic to?").out
    assert both.json("recall", "On which port does the harbour app listen?")["results"][0]["vault"].endswith("project")
    assert "doctor" not in both.run("recall", "Kaya doctor shellfish allergy", "-n", "10").out
    assert "doctor" in both.run("recall", "Kaya doctor shellfish allergy", "--vault", "~/me").out
    assert both.json("search", "shellfish")["results"][0]["vault"] == "~/me"
    assert both.json("recall", "zebra crossing")["answered"] is False


def test_named(both: Command, env: dict[str, str], tmp_path: Path) -> None:
    # K-5: --vault A --vault B says the same for once
    Path(env["HOME"], ".config/vault-mem/config.toml").unlink()
    assert both.json("recall", "What is Kaya allergic to?").get("answered") is False
    nowhere = Command(tmp_path, env)
    named = ("--vault", str(both.cwd), "--vault", "~/me")
    assert nowhere.json("recall", "What is Kaya allergic to?", *named)["results"][0]["vault"] == "~/me"
    assert nowhere.run("recall", "Kaya", "--vault", str(both.cwd), "--vault", "~/nowhere").code != 0


def test_named_before_the_command(both: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    # a server, or what asks at the terminal, runs here and not in the daemon, however many vaults are named before it
    monkeypatch.chdir(both.cwd)
    monkeypatch.delenv("VAULT_MEM_VAULT", raising=False)
    for words in (("--vault", ".", "--vault", "../me"), ("--vault=.", "--vault", "../me"), ("--vault", ".")):
        assert client._vault_for([*words, "mcp"]) == ""
        assert client._vault_for([*words, "recall", "harbour"]) == str(both.cwd)


def test_saving(both: Command) -> None:
    # K-5: to the nearest, unless --to or the settings say otherwise; the guard looks in all
    me = Path(both.env["HOME"], "me")
    refused = both.run("remember", "Kaya is allergic to shellfish.")
    assert refused.code == 3 and "vault: ~/me" in refused.out
    before = contents(me)
    assert both.run("remember", "The harbour app needs Redis 7.").code == 0
    assert contents(me) == before
    assert both.run("remember", "The mill closes on Mondays.", "--to", "~/me").code == 0
    assert both.run("remember", "Kaya moved to Otaru.", "--person", "Kaya").code == 0
    texts = b"".join(contents(me).values()).decode()
    assert "The mill closes on Mondays." in texts and "Kaya moved to Otaru." in texts
    assert "Kaya" not in b"".join(contents(both.cwd).values()).decode()


def test_a_refused_text_is_kept(both: Command) -> None:
    # D-2: whichever vault has what it repeats, and what is offered then works
    refused = both.run("remember", "Kaya is allergic to shellfish.", "--tag", "food")
    assert "--last-blocked --force" in refused.err and "--update" not in refused.err
    assert both.run("remember", "--last-blocked", "--force").code == 0
    assert both.json("list", "--tag", "food")["memories"][0]["content"] == "Kaya is allergic to shellfish."


def test_a_fact_that_changes_in_another_vault(both: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    # K-5, D-6: it is named where it is, and can be closed there, by a person and by a model
    me = Command(Path(both.env["HOME"], "me"), both.env)
    old = me.json("remember", "The gym closes at 21:00.", "--kind", "fact")["memory"]["id"]
    saved = both.json("remember", "The gym closes at 22:00.", "--kind", "fact")
    assert (saved["changed"]["id"], saved["changed"]["vault"]) == (old, "~/me")
    said = both.run("remember", "The gym closes at 23:00.", "--kind", "fact", "--force").out
    assert "~/me" not in said  # who insists is not asked
    said = both.run("remember", "The gym closes at 20:00.", "--kind", "fact").out
    assert f"Differs from {old}" not in said  # the nearest vault has its own by now
    for name, value in both.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(both.cwd)
    sent: list[bytes] = []
    tools = Server(Offer(), sent.append)
    pool = me.json("remember", "The pool opens at 7:00.", "--kind", "fact")["memory"]["id"]
    answer = call(tools, sent, "remember", content="The pool opens at 8:00.", kind="fact")
    way = f"update_memory with memory_id {pool} and close"
    assert way in answer["content"][0]["text"] and way in answer["structuredContent"]["hint"]
    assert not call(tools, sent, "update_memory", memory_id=pool, close=True)["isError"]
    assert me.json("show", pool)["valid_to"]
    private = me.json("list", "--private")["memories"][0]["id"]
    assert call(tools, sent, "update_memory", memory_id=private, close=True)["isError"]


def test_wake_up(both: Command) -> None:
    woke = both.json("wake-up")
    assert [each["vault"] for each in woke["others"]] == ["~/me"]
    out = both.run("wake-up").out
    assert "In ~/me:" in out and "allergic to shellfish" in out and "doctor" not in out


def test_hint(both: Command) -> None:
    # K-4, K-5: a prompt in a project gets what the personal vault knows, and nothing private of it
    told = {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "What is Kaya allergic to?"}
    answer = both.run("hint", "--hook", "claude-code", "--include-private", stdin=json.dumps(told))
    assert "Kaya is allergic to shellfish." in answer.out and "vault: ~/me" in answer.out
    assert "doctor" not in answer.out and not answer.err
    assert both.run("hint", "--hook", "claude-code", stdin=json.dumps(told)).out == ""  # never twice
    told["prompt"] = "On which port does the harbour app listen?"
    assert "8090" in both.run("hint", "--hook", "claude-code", stdin=json.dumps(told)).out


def test_show(both: Command) -> None:
    # K-5: an id of an answer can be shown, whichever vault it is of; a private one only in its own
    id_ = both.json("recall", "What is Kaya allergic to?")["results"][0]["id"]
    shown = both.json("show", id_)
    assert (shown["content"], shown["vault"]) == ("Kaya is allergic to shellfish.", "~/me")
    assert "~/me" in both.run("show", id_).out
    own = both.json("list")["memories"][0]["id"]
    assert both.json("show", own)["vault"].endswith("project")
    private = Command(Path(both.env["HOME"], "me"), both.env).json("list", "--private")["memories"][0]["id"]
    assert both.run("show", private).code == 4 and "~/me" not in both.run("done", private).err
    changed = both.run("close", id_)
    assert changed.code == 4 and "it is in ~/me" in changed.err


def call(tools: Server, sent: list[bytes], name: str, **arguments: object) -> dict:
    params = {"name": name, "arguments": arguments}
    tools.take(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode())
    tools.wait(None)
    return json.loads(sent.pop())["result"]


def test_tools(both: Command, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # K-5: `mcp --vault A --vault B`: tools ask both, and save into the first, or into the one that `to` names
    Vault.init(tmp_path / "third", env=env)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    sent: list[bytes] = []
    tools = Server(Offer((str(both.cwd), "~/me")), sent.append)
    found = call(tools, sent, "recall", query="What is Kaya allergic to?")["structuredContent"]["results"]
    assert (found[0]["text"], found[0]["vault"]) == ("Kaya is allergic to shellfish.", "~/me")
    assert "shellfish" in call(tools, sent, "show_memory", memory_id=found[0]["id"])["content"][0]["text"]
    assert "~/me" in json.dumps(call(tools, sent, "search_memories", query="shellfish")["structuredContent"])
    assert "allergic to shellfish" in call(tools, sent, "wake_up")["content"][0]["text"]
    assert not call(tools, sent, "remember", content="The harbour app needs Redis 7.")["isError"]
    assert not call(tools, sent, "remember", content="The mill closes on Mondays.", to="~/me")["isError"]
    tagged = call(tools, sent, "update_memory", memory_id=found[0]["id"], fields={"tags": ["health"]})
    assert not tagged["isError"]
    assert "health" in json.dumps(call(tools, sent, "show_memory", memory_id=found[0]["id"])["structuredContent"])
    kept = call(tools, sent, "forget", memory_id=found[0]["id"])["content"][0]["text"]
    assert "it is in ~/me" in kept and "--vault" not in kept  # a model has no options
    refused = call(tools, sent, "remember", content="A word for strangers.", to=str(tmp_path / "third"))
    assert refused["isError"] and "~/me" in refused["content"][0]["text"]
    mine = b"".join(contents(Path(env["HOME"], "me")).values())
    assert b"mill closes" in mine and b"Redis" not in mine and b"Redis" in b"".join(contents(both.cwd).values())


def test_one_in_trouble(both: Command) -> None:
    # K-5, L-4: what is wrong with one is said, and the other answers
    Path(both.env["HOME"], "me/vault-mem.toml").write_text("dedup_threshold = 'x'\n")
    answer = both.run("recall", "On which port does the harbour app listen?")
    assert "8090" in answer.out and "dedup_threshold" in answer.err


def test_one_that_is_not_there(both: Command) -> None:
    # K-5: a disk that is not mounted must not look like a memory that is empty
    Path(both.env["HOME"], "me").rename(both.cwd.parent / "elsewhere")
    answer = both.run("recall", "On which port does the harbour app listen?")
    assert "8090" in answer.out and "~/me did not answer" in answer.err and "does not exist" in answer.err


def test_worktrees(cli: Command, root: Path, tmp_path: Path, env: dict[str, str]) -> None:
    # K-5: in a git worktree the vault of the main checkout is found, whether git has its files or not
    git(root, "init", "-q")
    cli.run("remember", "The harbour app listens on port 8090.")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    git(root, "worktree", "add", "-q", str(tmp_path / "tree"))
    there = Command(tmp_path / "tree", env)
    assert (tmp_path / "tree/vault-mem.toml").exists()
    assert there.json("status")["vault"] == str(root)
    assert json.loads(there.spawn("status", "--json").out)["vault"] == str(root)
    (tmp_path / "tree/vault-mem.toml").unlink()
    (tmp_path / "tree/sub").mkdir()
    assert Command(tmp_path / "tree/sub", env).json("status")["vault"] == str(root)
