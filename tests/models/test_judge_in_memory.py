"""The optional model check inside the memory: what it does at once, what it leaves to the owner, and what
happens when it does not answer.
"""

import json
import math
import time
from datetime import UTC, datetime, timedelta

import pytest
from model_server import says, serving

from graphmem import Memory, Message, State
from graphmem.errors import InvalidSettings
from graphmem.testing import TinyEmbedder

DAY = datetime(2025, 6, 2, 9, tzinfo=UTC)
OLD, NEW = "I live in London.", "I moved to Paris for good."
LETTERS = "ABCDE"


def sees(letter, probability):
    """Answers every older fact with one letter of this probability."""

    def answer(handler, request):
        asked = json.loads(request["messages"][-1]["content"])
        rest = (1 - probability) / 4
        top = [
            {"token": one, "logprob": math.log(probability if one == letter else rest)}
            for one in LETTERS
        ]
        row = {"token": letter, "logprob": math.log(probability), "top_logprobs": top}
        body = {"choices": [{"logprobs": {"content": [row] * len(asked["older"])}}]}
        says(body)(handler, request)

    return answer


@pytest.fixture
def opened(tmp_path, clock):
    def open_at(url, **settings):
        judge = {"kind": "openai", "url": url, "model": "m", **settings}
        return Memory.open(
            tmp_path / "memory", clock=clock, embedder=TinyEmbedder(), config={"judge": judge}
        )

    return open_at


def say(memory, *texts):
    receipts = [
        memory.add(Message(text=text, speaker="Ana", said_at=DAY + timedelta(days=day)))
        for day, text in enumerate(texts)
    ]
    return receipts[-1]


def homes(memory):
    return {one.object: one.state for one in memory.facts("Ana", slot="home", states="all")}


def test_replaces_at_once_and_can_be_undone(opened):
    with serving(sees("A", 0.9)) as (url, seen), opened(url) as memory:
        receipt = say(memory, OLD, NEW)
        [(gone, new)] = receipt.replaced
        assert (gone.object, new.object) == ("London", "Paris")
        assert receipt.conflicts == ()
        assert "replaces (0.90)" in " ".join(receipt.remarks)
        assert homes(memory) == {"London": State.HISTORICAL, "Paris": State.CURRENT}
        [old] = [one for one in memory.facts("Ana", states="all") if one.object == "London"]
        assert old.replaced_by == new.id
        assert len(seen) == 1
        memory.undo()
        assert homes(memory) == {"London": State.CURRENT}


@pytest.mark.parametrize(("letter", "probability"), [("A", 0.79), ("B", 0.95)])
def test_less_sure_or_contradicting_is_for_the_owner(opened, letter, probability):
    with serving(sees(letter, probability)) as (url, _), opened(url) as memory:
        receipt = say(memory, OLD, NEW)
        assert receipt.replaced == ()
        [conflict] = receipt.conflicts
        assert f"({probability:.2f})" in conflict.reason
        assert homes(memory) == {"London": State.UNSURE, "Paris": State.CURRENT}


@pytest.mark.parametrize("letter", ["C", "D", "E"])
def test_else_nothing_changes(opened, letter):
    with serving(sees(letter, 0.9)) as (url, _), opened(url) as memory:
        receipt = say(memory, OLD, NEW)
        assert (receipt.conflicts, receipt.replaced, receipt.remarks) == ((), (), ())
        assert homes(memory) == {"London": State.CURRENT, "Paris": State.CURRENT}


def test_one_call_for_all_nominated_facts(opened):
    with serving(sees("B", 0.9)) as (url, seen), opened(url) as memory:
        say(memory, OLD, "I live in Leeds.", NEW)
    assert [len(json.loads(one["messages"][-1]["content"])["older"]) for _, _, one in seen] == [
        1,
        1,
    ]


def slow(handler, request):
    time.sleep(0.6)
    sees("A", 0.9)(handler, request)


@pytest.mark.parametrize(
    ("answer", "told"),
    [(says({}, status=500), "status 500"), (says({"choices": []}), "log-prob"), (slow, "0.2 s")],
)
def test_without_an_answer_the_rules_decide(opened, answer, told):
    with serving(answer) as (url, _), opened(url, seconds=0.2) as memory:
        receipt = say(memory, OLD, NEW)
        assert told in " ".join(receipt.remarks)
        assert "the rules decided alone" in " ".join(receipt.remarks)
        assert homes(memory) == {"London": State.UNSURE, "Paris": State.CURRENT}


def test_the_daily_allowance_outlives_the_process(opened):
    with serving(sees("A", 0.9)) as (url, seen):
        with opened(url, per_day=1) as memory:
            say(memory, OLD, NEW)
        with opened(url, per_day=1) as memory:
            receipt = say(memory, OLD, NEW, "I live in Oslo.")
    assert len(seen) == 1
    assert "today's allowance is used up" in " ".join(receipt.remarks)
    assert receipt.conflicts


def test_review_off_asks_nobody(tmp_path, clock):
    with serving(sees("A", 0.9)) as (url, seen):
        config = {"judge": {"kind": "openai", "url": url, "model": "m"}, "review": False}
        with Memory.open(
            tmp_path / "m", clock=clock, embedder=TinyEmbedder(), config=config
        ) as memory:
            say(memory, OLD, NEW)
            assert homes(memory) == {"London": State.CURRENT, "Paris": State.CURRENT}
    assert seen == []


def test_a_slip_in_the_configuration_is_told(opened):
    with pytest.raises(InvalidSettings, match=r"judge\.allow_remoet"):
        opened("http://127.0.0.1:1/v1", allow_remoet=True)
