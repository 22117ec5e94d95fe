"""Real servers in processes of their own, by the official client: stdio and streamable HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import psutil
import pytest
from mcp_sessions import (
    TOKEN,
    command,
    done,
    environment,
    failed,
    http_server,
    over_http,
    over_stdio,
    run,
    text_of,
)
from typer.testing import CliRunner

from graphmem.cli.app import app
from graphmem.errors import InvalidSettings
from graphmem.mcp import serving

PATIENCE = 30  # seconds


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with http_server(tmp_path_factory.mktemp("http")) as (address, _):
        yield address


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_whole_session_over_stdio(tmp_path: Path, mode: str) -> None:
    async def session() -> None:
        async with over_stdio(tmp_path, mode=mode) as client:
            assert len((await client.list_tools()).tools) == 11
            await done(client, "remember", text="I live in London.")
            moved = await done(client, "remember", text="I moved to Paris last month.")
            await done(
                client,
                "resolve",
                conflict_id=moved["conflicts"][0]["conflict_id"],
                decision="mark_older_as_past",
            )
            assert "Paris" in (await done(client, "recall", question="where do I live?"))["context"]
            assert "met: " in await failed(client, "remember", text="")
            content = (
                await client.read_resource("graphmem://context/where%20do%20I%20live")
            ).contents
            assert "Paris" in content[0].text
        async with over_stdio(
            tmp_path, mode=mode
        ) as client:  # what was told is there after a restart
            stages = (await done(client, "history", entity="user", topic="home"))["stages"]
            assert {one["fact"]["object"]: one["fact"]["state"] for one in stages} == {
                "London": "historical",
                "Paris": "current",
            }

    run(session)
    assert not processes_in(tmp_path)


def test_standard_output_is_protocol_and_nothing_else(tmp_path: Path) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    call = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "remember", "arguments": {"text": "I own two cats."}},
    }
    lines = [
        json.dumps(hello),
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        "this is no JSON",
        '{"jsonrpc": "2.0"}',
        "[]",
        json.dumps(call),
    ]
    with subprocess.Popen(
        command(tmp_path),
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        answers = []
        while not any(one.get("id") == 2 for one in answers):
            answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()  # the client has gone
        rest = process.stdout.read()
        assert process.wait(PATIENCE) == 0
    assert all(one["jsonrpc"] == "2.0" for one in answers)
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    assert answers[-1]["result"]["structuredContent"]["status"] == "learnt"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stdio_server_ends_when_told_to(tmp_path: Path, number: signal.Signals) -> None:
    with subprocess.Popen(
        command(tmp_path),
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        ask = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}}
        process.stdin.write(json.dumps(ask) + "\n")
        process.stdin.flush()
        process.stdout.readline()  # it is up
        process.send_signal(number)
        assert process.wait(PATIENCE) == (0 if number == signal.SIGTERM else 130)
    assert not processes_in(tmp_path)


def test_a_server_whose_client_was_killed_ends(tmp_path: Path) -> None:
    script = tmp_path / "client.py"
    script.write_text(
        "import subprocess, sys, time\n"
        f"server = subprocess.Popen({command(tmp_path)!r}, stdin=subprocess.PIPE)\n"
        "print(server.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen(
        [command(tmp_path)[0], str(script)],
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
    ) as client:
        assert client.stdout is not None
        server = psutil.Process(int(client.stdout.readline()))
        time.sleep(2)
        client.kill()
        gone, alive = psutil.wait_procs([server], timeout=PATIENCE)
    assert gone
    assert not alive


def test_two_servers_and_the_command_line_on_one_memory(tmp_path: Path) -> None:
    def told(text: str) -> None:
        graphmem = [
            command(tmp_path)[0],
            "-m",
            "graphmem.cli",
            "--memory",
            str(tmp_path / "memory"),
        ]
        subprocess.run(
            [*graphmem, "add", text], env=environment(tmp_path), check=True, capture_output=True
        )

    async def session() -> None:
        async with over_stdio(tmp_path) as one, over_stdio(tmp_path) as other:
            await done(one, "remember", text="I live in London.")
            moved = await done(other, "remember", text="I moved to Paris.")
            assert len(moved["conflicts"]) == 1
            assert len((await done(one, "conflicts"))["conflicts"]) == 1
            await anyio.to_thread.run_sync(told, "My dog is called Rex.")
            for client in (one, other):
                found = await done(client, "recall", question="What is my dog called?")
                assert "Rex" in found["context"]
            async with anyio.create_task_group() as group:
                for number in range(5):
                    for client, name in ((one, "Ana"), (other, "Bo")):
                        group.start_soon(
                            client.call_tool,
                            "remember",
                            {"text": f"My code is {number}-{name}.", "speaker": name},
                        )
            content = (await one.read_resource("graphmem://status")).contents[0]
            assert json.loads(content.text)["snapshots"] == 13

    run(session)


def test_two_clients_at_once_over_http(served: str) -> None:
    async def one(name: str, mode: str) -> None:
        async with over_http(served, mode=mode) as client:
            for number in range(4):
                written = await done(
                    client,
                    "remember",
                    text=f"{name}'s phone number is 555-010{number}.",
                    speaker=name,
                )
                assert written["message_id"]
            found = await done(client, "recall", question=f"{name}'s phone number")
            assert name in found["context"]

    async def session() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(one, "Ana", "auto")
            group.start_soon(one, "Bo", "legacy")

    run(session)


def test_errors_over_http_are_answers(served: str) -> None:
    async def session() -> None:
        async with over_http(served) as client:
            assert "expected: some words" in await failed(client, "remember", text="")
            assert "no fact" in await failed(client, "update", fact_id="f_none", text="I sail.")
            big = await client.call_tool("remember", {"text": "Rivers are long. " * 6000})
            assert not big.is_error, text_of(big)

    run(session)


ASK: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "OPTIONS"])
@pytest.mark.parametrize(
    "headers",
    [{}, {"authorization": "Bearer wrong"}, {"authorization": TOKEN}, {"authorization": "Basic x"}],
    ids=["none", "wrong", "bare", "basic"],
)
def test_without_the_token_nothing_is_told(
    served: str, method: str, headers: dict[str, str]
) -> None:
    for address in (served, served.replace("/mcp", "/"), served.replace("/mcp", "/nothing")):
        answer = httpx.request(method, address, headers={**ACCEPT, **headers}, json=ASK)
        assert answer.status_code == 401
        assert "graphmem" not in answer.text


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("host", "evil.example", 421),
        ("host", "evil.example:8765", 421),
        ("host", "127.0.0.1:1", 421),
        ("host", "127.0.0.1.evil.example:8765", 421),
        ("origin", "http://evil.example", 403),
        ("origin", "null", 403),
        ("origin", "https://localhost.evil.example", 403),
    ],
)
def test_a_page_of_somewhere_else_gets_nothing(
    served: str, method: str, header: str, value: str, status: int
) -> None:
    headers = {**ACCEPT, "authorization": f"Bearer {TOKEN}", header: value}
    answer = httpx.request(method, served, headers=headers, json=ASK)
    assert answer.status_code == status


def test_too_large_a_request_is_refused(served: str) -> None:
    headers = {**ACCEPT, "authorization": f"Bearer {TOKEN}"}
    answer = httpx.post(served, headers=headers, content=b"x" * (5 * 1024 * 1024))
    assert answer.status_code == 413


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.com", ""])  # noqa: S104
def test_it_is_never_served_to_other_machines(tmp_path: Path, host: str) -> None:
    place = tmp_path / "memory"
    result = CliRunner().invoke(app, ["--memory", str(place), "mcp", "--http", "--host", host])
    assert isinstance(result.exception, InvalidSettings)
    assert "this machine only" in str(result.exception)
    assert not place.exists()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "[::1]", "127.0.0.2"])
def test_loopback_has_several_names(host: str) -> None:
    assert serving.loopback(host) in {"127.0.0.1", "127.0.0.2", "::1"}


def test_an_http_server_ends_when_told_to_with_a_client_connected(tmp_path: Path) -> None:
    with http_server(tmp_path) as (address, process):

        async def session() -> None:
            async with over_http(address, mode="legacy") as client:
                await done(client, "remember", text="I own a boat called Tern.")
                process.send_signal(signal.SIGTERM)
                code = await anyio.to_thread.run_sync(lambda: process.wait(PATIENCE))
                assert code == 0

        run(session)
        assert process.stdout is not None
        assert process.stdout.read() == ""

    async def again() -> None:
        async with over_stdio(tmp_path) as client:
            assert "Tern" in (await done(client, "recall", question="my boat"))["context"]

    run(again)


def test_a_taken_port_is_told(served: str, tmp_path: Path) -> None:
    port = served.rpartition(":")[2].partition("/")[0]
    refused = subprocess.run(
        command(tmp_path, "--http", "--port", port),
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert refused.returncode == 2
    assert "--port 0" in refused.stderr


def processes_in(folder: Path) -> list[int]:
    """Processes whose command line names the folder: none may be left."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if process.pid != os.getpid() and str(folder) in " ".join(process.info["cmdline"] or ())
    ]
