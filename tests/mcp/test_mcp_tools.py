"""Each tool and resource, by the official client, in this process."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_sessions import done, failed, run, text_of

from graphmem import Memory, Message
from graphmem.mcp.server import build
from graphmem.testing import FixedClock, TinyEmbedder

Talk = Callable[[Client], Awaitable[Any]]


def with_client(memory: Memory, talk: Talk) -> Any:
    async def session() -> Any:
        async with Client(build(memory)) as client:
            return await talk(client)

    return run(session)


def test_the_tools_say_what_they_do(memory: Memory) -> None:
    async def talk(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {
            *("remember", "recall", "update", "history", "conflicts", "resolve", "confirm"),
            *("forget", "due", "search", "fetch"),
        }
        for tool in tools.values():
            assert tool.title
            assert tool.description
            assert tool.annotations is not None
            assert tool.annotations.open_world_hint is False
            assert tool.output_schema is not None
            assert tool.output_schema["type"] == "object"
            assert tool.input_schema["additionalProperties"] is False
            for argument in tool.input_schema["properties"].values():
                assert argument["description"]
        reading = {"recall", "history", "conflicts", "search", "fetch"}
        assert {n for n, t in tools.items() if t.annotations.read_only_hint} == reading
        deleting = {"forget", "resolve"}
        assert {n for n, t in tools.items() if t.annotations.destructive_hint} == deleting
        assert tools["confirm"].annotations.idempotent_hint is True
        assert client.instructions is not None
        assert "recall" in client.instructions

    with_client(memory, talk)


def test_from_remember_to_history(memory: Memory) -> None:
    async def talk(client: Client) -> None:
        first = await done(client, "remember", text="I live in London.")
        assert first["status"] == "learnt"
        assert [fact["object"] for fact in first["facts"]] == ["London"]

        second = await done(client, "remember", text="I moved to Paris.")
        (conflict,) = second["conflicts"]
        assert second["open_conflicts"] == 1
        listed = await done(client, "conflicts")
        assert [one["conflict_id"] for one in listed["conflicts"]] == [conflict["conflict_id"]]

        decided = await done(
            client,
            "resolve",
            conflict_id=conflict["conflict_id"],
            decision="mark_older_as_past",
        )
        assert decided["status"] == "changed"
        assert (await done(client, "conflicts"))["conflicts"] == []
        again = await done(
            client,
            "resolve",
            conflict_id=conflict["conflict_id"],
            decision="mark_older_as_past",
        )
        assert again["status"] == "unchanged"

        found = await done(client, "recall", question="Where do I live?")
        assert found["items"][0]["text"] == "I moved to Paris."
        assert found["items"][0]["state"] == "current"
        assert "Paris" in found["context"]
        assert "London" not in found["context"]

        past = await done(client, "history", entity="user", topic="home")
        assert [stage["fact"]["state"] for stage in past["stages"]] == ["historical", "current"]
        assert past["stages"][0]["evidence"][0]["text"] == "I live in London."

    with_client(memory, talk)


def test_update_confirm_and_forget(memory: Memory) -> None:
    async def talk(client: Client) -> None:
        written = await done(client, "remember", text="I drive a red Fiat.")
        fact = written["facts"][0]["id"]
        assert (await done(client, "confirm", fact_id=fact))["status"] == "changed"

        updated = await done(client, "update", fact_id=fact, text="I drive a blue Volvo.")
        assert updated["replaced"][0]["old"]["id"] == fact
        new = updated["replaced"][0]["new"]["id"]

        refused = await failed(client, "forget", fact_id=new)
        assert "confirm_deletion=true" in refused
        assert memory.fact(new).state == "current"
        await done(client, "forget", fact_id=new, confirm_deletion=True)
        assert "no fact" in await failed(client, "confirm", fact_id=new)
        found = await done(client, "recall", question="What car do I drive?")
        assert "Volvo" not in json.dumps(found)

    with_client(memory, talk)


@pytest.mark.parametrize(
    ("decision", "gone", "kept"),
    [("replace_older", "London", "Paris"), ("discard_newer", "Paris", "London")],
)
def test_decisions_that_delete_need_the_flag(
    memory: Memory, decision: str, gone: str, kept: str
) -> None:
    memory.remember("I live in London.")
    (conflict,) = memory.remember("I live in Paris.").conflicts

    async def talk(client: Client) -> None:
        said = await failed(client, "resolve", conflict_id=conflict.id, decision=decision)
        assert "mark_older_as_past" in said
        assert len(memory.conflicts()) == 1
        await done(
            client,
            "resolve",
            conflict_id=conflict.id,
            decision=decision,
            confirm_deletion=True,
        )
        texts = " ".join(fact.text for fact in memory.facts(states="all"))
        assert kept in texts
        assert gone not in texts

    with_client(memory, talk)


def test_what_others_than_the_user_say_is_kept_but_not_learnt(memory: Memory) -> None:
    async def talk(client: Client) -> None:
        for role in ("assistant", "system", "tool"):
            written = await done(
                client, "remember", text=f"The user lives in Rome, says the {role}.", role=role
            )
            assert written["status"] == "kept"
            assert written["facts"] == []
            assert written["not_learnt"]
        assert memory.facts(states="all") == ()
        wrong = await failed(client, "remember", text="I live in Rome.", role="robot")
        assert "role" in wrong

    with_client(memory, talk)


def test_nothing_is_a_success_that_stored_nothing(memory: Memory) -> None:
    async def talk(client: Client) -> None:
        for text in ("", " ", "\n\t"):
            said = await failed(client, "remember", text=text)
            assert "met: " in said
            assert "expected: some words to remember" in said
        assert memory.status()["snapshots"] == 0

        plain = await done(client, "remember", text="The sea was very blue")
        assert plain["status"] in {"learnt", "kept"}
        assert plain["message_id"]
        assert memory.status()["snapshots"] == 1
        assert (await done(client, "remember", text="The sea was very blue"))["status"] == "known"

        big = "I like cheese, and my sister lives in Oslo. " * 2400
        long = await done(client, "remember", text=big)
        assert memory.snapshot(long["message_id"]).text == big
        whole = await done(client, "fetch", id=long["message_id"])
        assert whole["text"] == big
        await failed(client, "forget", fact_id=long["message_id"])
        await done(client, "forget", fact_id=long["message_id"], confirm_deletion=True)
        assert "no message" in await failed(client, "fetch", id=long["message_id"])

    with_client(memory, talk)


def test_hostile_arguments_change_nothing_and_say_what_to_do(memory: Memory) -> None:
    memory.remember("I live in London.")
    before = memory.status()["last_event"]
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("remember", {}, "text"),
        ("remember", {"text": None}, "text"),
        ("remember", {"text": 7}, "text"),
        ("remember", {"text": ["a"]}, "text"),
        ("remember", {"text": "I am Bo", "when": "now"}, "'when'"),
        ("remember", {"text": "I am Bo", "said_at": "yesterday"}, "ISO"),
        ("remember", {"text": "I am Bo", "said_at": "0001-01-01"}, "said_at"),
        ("recall", {"question": "home", "limit": 0}, "limit"),
        ("recall", {"question": "home", "limit": 10**9}, "limit"),
        ("recall", {"question": "home", "include": ["gone"]}, "include"),
        ("recall", {"question": "home", "as_of": "1e9"}, "ISO"),
        ("update", {"fact_id": "f_none", "text": "I live in Rome."}, "no fact 'f_none'"),
        ("update", {"fact_id": "../../etc/passwd", "text": "x"}, "no fact"),
        ("confirm", {"fact_id": ""}, "no fact"),
        ("forget", {"fact_id": "f_none", "confirm_deletion": True}, "no fact"),
        ("forget", {"fact_id": "f_none", "confirm": True}, "'confirm'"),
        ("resolve", {"conflict_id": "c_none", "decision": "keep_both"}, "call conflicts"),
        ("resolve", {"conflict_id": "c_none", "decision": "burn"}, "decision"),
        ("history", {"entity": "Nobody Known"}, "Nobody Known"),
        ("fetch", {"id": "s_none"}, "no message"),
        ("fetch", {"id": "graphmem://memory/f_none"}, "no fact"),
        ("burn_everything", {}, "one of confirm"),
    ]

    async def talk(client: Client) -> None:
        for name, arguments, hint in cases:
            said = await failed(client, name, **arguments)
            assert hint in said, (name, arguments, said)
            assert said.startswith("met: ")
            assert "Traceback" not in said
        odd = await done(client, "remember", text="I said \ud83d\ude00 \x00 \u202e twice")
        assert odd["message_id"]

    with_client(memory, talk)
    assert memory.status()["last_event"] == before + 1


def test_reminders_are_told_once(memory: Memory, clock: FixedClock) -> None:
    async def talk(client: Client) -> None:
        made = await done(client, "remember", text="Remind me to buy milk tomorrow at 9 am.")
        assert made["reminders"][0]["action"] == "buy milk"
        assert (await done(client, "due"))["reminders"] == []
        clock.advance(timedelta(days=1))
        assert len((await done(client, "due", record=False))["reminders"]) == 1
        (told,) = (await done(client, "due"))["reminders"]
        assert told["action"] == "buy milk"
        assert told["at"]
        assert (await done(client, "due"))["reminders"] == []

    with_client(memory, talk)


def test_search_and_fetch_have_the_shapes_that_connectors_expect(memory: Memory) -> None:
    memory.remember("I live in London.")
    memory.remember("What the assistant should know: my sister is a nurse.")

    async def talk(client: Client) -> None:
        result = await client.call_tool("search", {"query": "Where do I live?"})
        assert len(result.content) == 1
        spoken = json.loads(text_of(result))
        assert spoken == result.structured_content
        assert set(spoken) == {"results"}
        first = spoken["results"][0]
        assert set(first) == {"id", "title", "url"}
        assert all(isinstance(value, str) and value for value in first.values())

        result = await client.call_tool("fetch", {"id": first["id"]})
        document = json.loads(text_of(result))
        assert set(document) == {"id", "title", "text", "url", "metadata"}
        assert document["id"] == first["id"]
        assert "I live in London." in document["text"]
        assert document["metadata"]["state"] == "current"
        by_address = await done(client, "fetch", id=first["url"])
        assert by_address["id"] == first["id"]

    with_client(memory, talk)


def test_secrets_are_masked_in_lists_and_given_when_asked_for(memory: Memory) -> None:
    async def talk(client: Client) -> None:
        written = await client.call_tool(
            "remember", {"text": "Remember that my wifi password is hunter2-8731."}
        )
        assert "8731" not in text_of(written)
        fact = written.structured_content["facts"][0]["id"]
        entity = written.structured_content["facts"][0]["entity"]
        past = await client.call_tool("history", {"entity": entity})
        assert "8731" not in text_of(past)
        hits = await client.call_tool("search", {"query": "wifi password"})
        assert "8731" not in text_of(hits)
        fetched = await client.call_tool("fetch", {"id": fact})  # an id is no question of the owner
        assert "wifi" in text_of(fetched)
        assert "8731" not in text_of(fetched)
        message = await client.call_tool("fetch", {"id": written.structured_content["message_id"]})
        assert "8731" not in text_of(message)
        assert "8731" in text_of(
            await client.call_tool("recall", {"question": "What is my wifi password?"})
        )

    with_client(memory, talk)


def test_resources(memory: Memory) -> None:
    memory.remember("I live in London.")

    async def talk(client: Client) -> None:
        templates = (await client.list_resource_templates()).resource_templates
        assert {one.uri_template for one in templates} == {
            "graphmem://context/{question}",
            "graphmem://card/{question}",
            "graphmem://entity/{name}",
            "graphmem://memory/{id}",
        }

        async def read(uri: str) -> str:
            (content,) = (await client.read_resource(uri)).contents
            return content.text

        assert "I live in London." in await read("graphmem://context/Where%20do%20I%20live%3F")
        (item,) = json.loads(await read("graphmem://card/where%20do%20I%20live"))
        assert item["state"] == "current"
        assert "London" in await read("graphmem://entity/user")
        assert json.loads(await read("graphmem://status"))["snapshots"] == 1
        hits = (await done(client, "search", query="London"))["results"]
        assert json.loads(await read(hits[0]["url"]))["id"] == hits[0]["id"]
        assert await read("graphmem://context/..%2F..%2Fetc%2Fpasswd") is not None
        with pytest.raises(MCPError, match="Nobody"):
            await read("graphmem://entity/Nobody")
        with pytest.raises(MCPError, match="no fact"):
            await read("graphmem://memory/f_none")

    with_client(memory, talk)


def test_a_reader_sees_and_touches_only_what_it_may(tmp_path: Path, clock: FixedClock) -> None:
    place = tmp_path / "memory"
    with Memory.open(place, clock=clock, embedder=TinyEmbedder()) as owner:
        secret = owner.add(
            Message(text="I am allergic to nuts.", said_at=clock.now(), readers=("phone",))
        )
        owner.remember("I live in London.")
    hidden = secret.facts[0].id
    assert secret.snapshot is not None
    message = secret.snapshot.id

    async def talk(client: Client) -> None:
        found = await client.call_tool("recall", {"question": "What am I allergic to?"})
        assert "nuts" not in text_of(found)
        assert "nuts" not in text_of(await client.call_tool("search", {"query": "allergic nuts"}))
        for name, arguments in (
            ("fetch", {"id": hidden}),
            ("fetch", {"id": message}),
            ("confirm", {"fact_id": hidden}),
            ("update", {"fact_id": hidden, "text": "I eat nuts."}),
            ("forget", {"fact_id": hidden, "confirm_deletion": True}),
        ):
            assert "met: no " in await failed(client, name, **arguments)

    with Memory.open(place, clock=clock, embedder=TinyEmbedder(), reader="tv") as tv:
        with_client(tv, talk)
    with Memory.open(place, clock=clock, embedder=TinyEmbedder(), reader="phone") as phone:
        assert phone.fact(hidden).text == "I am allergic to nuts."


def test_calls_at_once_and_one_that_is_given_up(memory: Memory) -> None:
    async def talk(client: Client) -> None:
        async with anyio.create_task_group() as group:
            for number in range(12):
                group.start_soon(
                    client.call_tool, "remember", {"text": f"My locker number is {number}."}
                )
                group.start_soon(client.call_tool, "recall", {"question": "locker"})
        with anyio.move_on_after(0.001):
            await client.call_tool("remember", {"text": "I own a boat called Tern."})
        assert (await done(client, "recall", question="locker number"))["items"]

    with_client(memory, talk)
    assert memory.status()["snapshots"] in {12, 13}
    assert not memory.check().findings
