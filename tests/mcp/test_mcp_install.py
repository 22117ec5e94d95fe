"""The client configuration, and the token file."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from mcp_sessions import done, run
from typer.testing import CliRunner

from graphmem.cli.app import app
from graphmem.errors import BrokenFile, InvalidSettings
from graphmem.mcp import clients
from graphmem.mcp.tokens import SHORTEST, token_for


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GRAPHMEM_HOME", str(tmp_path / "memory"))
    monkeypatch.delenv("GRAPHMEM_MCP_TOKEN", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "key"), [("claude", "mcpServers"), ("cursor", "mcpServers"), ("vscode", "servers")]
)
def test_the_configuration_is_printed(home: Path, name: str, key: str) -> None:
    result = CliRunner().invoke(app, ["--reader", "tv", "mcp", "--install", name])
    assert result.exit_code == 0
    server = json.loads(result.stdout)[key]["graphmem"]
    assert server["command"] == sys.executable
    assert server["args"][-3:] == ["--reader", "tv", "mcp"]
    assert str(home / "memory") in server["args"]
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("name", ["claude", "cursor", "vscode"])
def test_it_is_merged_and_what_was_there_is_kept(home: Path, name: str) -> None:
    chosen = clients.client(name)
    file = chosen.file()
    assert file.is_relative_to(home)
    file.parent.mkdir(parents=True)
    before = json.dumps(
        {"theme": "黑", chosen.key: {"other": {"command": "x"}}}, ensure_ascii=False
    )
    file.write_text(before, "utf-8")

    for _ in range(2):
        result = CliRunner().invoke(app, ["mcp", "--install", name, "--write"])
        assert result.exit_code == 0, result.output
    after = json.loads(file.read_text("utf-8"))
    assert after["theme"] == "黑"
    assert after[chosen.key]["other"] == {"command": "x"}
    assert after[chosen.key]["graphmem"]["args"][-1] == "mcp"
    first, second = sorted(one for one in file.parent.iterdir() if one != file)
    assert first.read_text("utf-8") == before
    assert json.loads(second.read_text("utf-8")) == after


def test_a_new_file_is_made_and_a_link_stays_a_link(home: Path) -> None:
    real = home / "dotfiles.json"
    real.write_text("{}")
    link = home / "linked.json"
    link.symlink_to(real)
    for file in (home / "new" / "mcp.json", link):
        result = CliRunner().invoke(
            app, ["mcp", "--install", "cursor", "--write", "--file", str(file)]
        )
        assert result.exit_code == 0, result.output
        assert "graphmem" in json.loads(file.read_text("utf-8"))["mcpServers"]
    assert link.is_symlink()


@pytest.mark.parametrize(
    "content", ['{"a": 1 // comment\n}', "[]", '{"mcpServers": []}', "\x00", '{"a": ']
)
def test_a_file_that_is_not_understood_is_left_alone(home: Path, content: str) -> None:
    file = home / "mcp.json"
    file.write_text(content)
    with pytest.raises(BrokenFile):
        clients.merge(clients.client("cursor"), clients.entry(home), file)
    assert file.read_text() == content
    assert list(home.iterdir()) == [file]


def test_an_unknown_client_is_refused(home: Path) -> None:
    result = CliRunner().invoke(app, ["mcp", "--install", "emacs"])
    assert isinstance(result.exception, InvalidSettings)
    assert "claude, cursor, vscode" in str(result.exception)


def test_the_written_configuration_starts_a_server(home: Path) -> None:
    from mcp import Client, StdioServerParameters
    from mcp_sessions import environment

    file = home / "mcp.json"
    clients.merge(clients.client("cursor"), clients.entry(home / "memory"), file)
    server = json.loads(file.read_text())["mcpServers"]["graphmem"]

    async def session() -> None:
        parameters = StdioServerParameters(
            command=server["command"], args=server["args"], env=environment(home)
        )
        async with Client(parameters, read_timeout_seconds=60) as client:
            assert (await done(client, "conflicts"))["conflicts"] == []

    run(session)


def test_a_token_is_made_once_and_is_the_owners_alone(home: Path) -> None:
    file = home / "conf" / "mcp-token"
    token, where = token_for(file)
    assert len(token) >= SHORTEST
    assert where == str(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert token_for(file)[0] == token
    file.chmod(0o644)
    with pytest.raises(InvalidSettings, match="chmod 600"):
        token_for(file)


@pytest.mark.parametrize("content", ["", "short", "with a space in the middle", "ключ" * 9])
def test_a_poor_token_is_refused(home: Path, content: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = home / "token"
    file.touch(0o600)
    file.write_text(content, "utf-8")
    with pytest.raises(InvalidSettings, match="cannot be used"):
        token_for(file)
    if content:
        monkeypatch.setitem(os.environ, "GRAPHMEM_MCP_TOKEN", content)
        with pytest.raises(InvalidSettings, match="GRAPHMEM_MCP_TOKEN"):
            token_for(file)
