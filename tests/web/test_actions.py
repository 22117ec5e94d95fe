"""What each form does, without a browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
from page import NOW, client, say
from starlette.testclient import TestClient

from graphmem import Memory, State
from graphmem.testing import FixedClock, temporary_memory


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def memory(clock: FixedClock) -> Iterator[Memory]:
    with temporary_memory(clock, config={"owner": "Ana"}) as opened:
        yield opened


@pytest.fixture
def page(memory: Memory) -> Iterator[TestClient]:
    with client(memory) as made:
        yield made


def send(page: TestClient, path: str, **values: str) -> str:
    answer = page.post(path, data={"form": page.keys.form, **values})
    assert answer.status_code == 200, answer.text
    return answer.text


def the(memory: Memory, word: str):
    return next(
        one for one in memory.facts(states="all", kinds=["claim", "note"]) if word in one.text
    )


def test_an_empty_memory_says_what_to_do(page: TestClient) -> None:
    assert "Nothing is remembered yet" in page.get("/").text
    assert "还没有任何记忆" in page.get("/", headers={"accept-language": "zh-CN,zh"}).text
    assert "Nothing waits for you" in page.get("/review").text


def test_add_find_and_why(memory: Memory, page: TestClient) -> None:
    text = send(page, "/add", text="I live in London.", speaker="Ana")
    assert "Remembered." in text
    assert "lives in · London" in text
    found = page.get("/?q=where+do+I+live").text
    assert "I live in London." in found
    assert "<summary>Why?</summary>" in found
    assert "expected some words" in send(page, "/add", text=" ")


def test_the_four_decisions(memory: Memory, page: TestClient, clock: FixedClock) -> None:
    def conflict(old: str, new: str) -> str:
        clock.advance(timedelta(days=1))
        say(memory, old)
        clock.advance(timedelta(days=1))
        say(memory, new)
        (one,) = memory.conflicts()
        shown = page.get("/review").text
        assert old in shown
        assert new in shown
        return one.id

    one = conflict("I live in London.", "I moved to Paris for good.")
    send(page, f"/review/{one}", decision="mark_older_as_past")
    assert the(memory, "London").state is State.HISTORICAL
    one = conflict("I drive a Golf.", "I sold the Golf and bought a Tesla.")
    send(page, f"/review/{one}", decision="keep_both")
    assert the(memory, "drive a Golf").state is State.CURRENT
    one = conflict("I work at Acme.", "I quit Acme and work at Initech now.")
    assert "for good" in send(page, f"/review/{one}", decision="replace_older")
    assert memory.conflicts()
    send(page, f"/review/{one}", decision="replace_older", sure="yes")
    assert not any(fact.text == "I work at Acme." for fact in memory.facts(states="all"))
    assert "no conflict" in send(page, "/review/c_nothing", decision="keep_both")
    one = conflict("My favourite colour is red.", "My favourite colour is blue now.")
    assert "nonsense" in send(page, f"/review/{one}", decision="nonsense")


def test_every_action_on_a_fact(memory: Memory, page: TestClient) -> None:
    say(memory, "I like tea.")
    tea = memory.facts()[0]
    path = f"/fact/{tea.id}"
    send(page, f"{path}/retire")
    assert memory.fact(tea.id).state is State.HISTORICAL
    send(page, f"{path}/restore")
    send(page, f"{path}/confirm")
    send(page, f"{path}/pin")
    assert memory.fact(tea.id).pinned
    send(page, f"{path}/unpin")
    after = send(page, f"{path}/update", text="I like green tea.")
    assert "I like green tea." in after
    assert "Previously:" in after
    new = the(memory, "green tea")
    send(page, f"/fact/{new.id}/edit", text="I like green teas.")
    mended = the(memory, "green teas")
    assert "Delete this for good?" in page.get(f"/fact/{mended.id}/delete").text
    assert "a deletion is for good" in send(page, f"/fact/{mended.id}/delete")
    send(page, f"/fact/{mended.id}/delete", sure="yes")
    assert not any("green" in one.text for one in memory.facts(states="all"))
    assert page.post(f"{path}/explode", data={"form": page.keys.form}).status_code == 200


def test_undo_upkeep_and_check(memory: Memory, page: TestClient) -> None:
    say(memory, "I like tea.")
    memory.retire(memory.facts()[0].id)
    assert "Taken back." in send(page, "/undo")
    assert memory.facts()[0].object == "tea"
    assert "Upkeep is done." in send(page, "/tend")
    assert "agree" in send(page, "/check")


def test_secrets_are_masked_until_asked_for(memory: Memory, page: TestClient) -> None:
    say(memory, "Remember my wifi password: hunter2-xyz")
    secret = next(one for one in memory.facts(kinds=["claim", "note"]) if one.sensitive)
    for path in ("/", f"/fact/{secret.id}", "/?q=wifi+password", f"/entity/{secret.entity_id}"):
        assert "hunter2" not in page.get(path).text
    data = page.get(f"/entity/{secret.entity_id}/graph.json").text
    assert "hunter2" not in data
    assert "hunter2-xyz" in page.get(f"/fact/{secret.id}?reveal=1").text
    assert "swordfish-77" not in send(
        page, "/add", text="Remind me tomorrow at 9: password swordfish-77"
    )
    assert "swordfish-77" not in page.get("/reminders").text


def test_entities_merge_and_split(memory: Memory, page: TestClient) -> None:
    say(memory, "My sister Zoe lives in Oslo.", "Zozo plays the cello.")
    assert "Zoe" in page.get("/entities?name=zo").text
    zoe = memory.history("Zoe").entity
    other = next(one for one in memory.entities() if one.name == "Zozo")
    send(page, f"/entity/{zoe.id}/merge", other=other.id)
    shown = page.get(f"/entity/{zoe.id}").text
    assert "cello" in shown
    nodes = {
        one["data"]["label"] for one in page.get(f"/entity/{zoe.id}/graph.json").json()["nodes"]
    }
    assert {"Zoe", "Oslo", "cello"} <= nodes
    send(page, f"/entity/{zoe.id}/split", alias="Zozo")
    assert "cello" not in page.get(f"/entity/{zoe.id}").text


def test_reminders(memory: Memory, page: TestClient, clock: FixedClock) -> None:
    send(page, "/reminders", text="Remind me tomorrow at 9 to call Ben")
    send(page, "/reminders", text="buy milk", at="2026-06-12T08:00")
    text = page.get("/reminders").text
    assert "call Ben" in text
    assert "2026-06-12 08:00" in text
    clock.advance(timedelta(days=3))
    assert "Due now" in page.get("/reminders").text
    milk, ben = sorted(memory.reminders(), key=lambda one: one.action)
    send(page, f"/reminders/{milk.id}/done")
    send(page, f"/reminders/{ben.id}/snooze", **{"for": "day"})
    assert memory.due(record=False) == ()
    send(page, f"/reminders/{ben.id}/cancel")
    assert memory.reminders() == ()
    assert "is not a time" in send(page, "/reminders", text="blue sky", at="noon")


def test_a_chat_log_is_read_with_progress(memory: Memory, page: TestClient) -> None:
    log = "\n".join(f"Ana: I saw bird number {n}." for n in range(30)).encode()
    answer = page.post(
        "/chats",
        files=[("file", ("../../talk.txt", log, "text/plain")), ("file", ("x.bin", b"\0\1\2", ""))],
        data={"me": "Ana"},
        headers={"x-graphmem-form": page.keys.form},
    )
    jobs = answer.json()["jobs"]
    deadline = time.monotonic() + 60
    done: list[dict] = []
    while time.monotonic() < deadline:
        done = [page.get(f"/chats/{one}.json").json() for one in jobs]
        if all(one["state"] in {"done", "failed"} for one in done):
            break
        time.sleep(0.1)
    assert [one["state"] for one in done] == ["done", "failed"]
    assert done[0]["messages"] == done[0]["stored"] == 30
    assert done[1]["error"]
    assert "talk.txt" in page.get("/chats").text
    assert page.get("/chats/nothing.json").status_code == 404
    sent = {
        "me": "Ana",
        "modified": "1740000000000",
    }  # a log without dates is from when it was written
    for new in (1, 0):
        answer = page.post(
            "/chats",
            files=[("file", ("b.txt", b"Ana: I saw an owl.\n", "text/plain"))],
            data=sent,
            headers={"x-graphmem-form": page.keys.form},
        )
        (one,) = answer.json()["jobs"]
        while (job := page.get(f"/chats/{one}.json").json())["state"] in {"waiting", "running"}:
            time.sleep(0.05)
        assert (job["messages"], job["stored"]) == (1, new)
    assert page.post("/chats", files=[("file", ("a.txt", log, ""))]).status_code == 403


def test_pages_of_facts(memory: Memory, page: TestClient) -> None:
    say(memory, *(f"I saw bird number {n} near the river." for n in range(60)))
    first = page.get("/").text
    assert "bird number 59 " in first
    assert "bird number 3 " not in first
    older = first.split('rel="next" href="')[1].split('"')[0].replace("&amp;", "&")
    second = page.get("/" + older).text
    assert "bird number 3 " in second
    assert "bird number 59 " not in second


def test_language_and_theme_are_kept(page: TestClient) -> None:
    send(page, "/looks", language="zh")
    assert '<html lang="zh"' in page.get("/").text
    send(page, "/looks", theme="dark")
    assert 'data-theme="dark"' in page.get("/").text
    send(page, "/looks", language="xx", theme="pink")
    assert '<html lang="zh" data-theme="dark"' in page.get("/").text
