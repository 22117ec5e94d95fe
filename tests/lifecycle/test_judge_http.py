"""The log-probability judge against a real server on loopback that is right, wrong, rude or down."""

import math
import socket

import pytest
from facts import DAY, note
from model_server import says, serving

from graphmem.allowance import Allowance
from graphmem.endpoint import Endpoint
from graphmem.errors import ServiceFailed
from graphmem.lifecycle.judge import ask
from graphmem.lifecycle.judge_http import LogprobJudge
from graphmem.model import Relation

NEW = note("I sold the Fiat", id="f_new", day=1)
OLDS = [note("I drive a Fiat", id="f_1"), note("I live in Leeds", id="f_2")]


def token(text, **top):
    """One answered token; `top` maps letters to probabilities."""
    rows = [{"token": key, "logprob": math.log(value)} for key, value in top.items()]
    own = next((row["logprob"] for row in rows if row["token"] == text), -0.1)
    return {"token": text, "logprob": own, "top_logprobs": rows}


def chat(*tokens):
    return {"choices": [{"message": {"content": "-"}, "logprobs": {"content": list(tokens)}}]}


def judge_at(url, **more):
    return LogprobJudge(Endpoint(table="judge", url=url, seconds=3, **more), model="m")


RIGHT = chat(token("A", A=0.85, B=0.1), token("\n"), token("E", E=0.7, D=0.2))


def test_one_call_reads_the_probabilities_of_the_letters():
    with serving(says(RIGHT)) as (url, seen):
        found = judge_at(url, api_key="k").judge(NEW, OLDS)
    assert found[0][Relation.REPLACES] == pytest.approx(0.85)
    assert found[0][Relation.CONTRADICTS] == pytest.approx(0.1)
    assert found[0][Relation.REFINES] == 0  # not among the alternatives
    assert found[1][Relation.UNRELATED] == pytest.approx(0.7)
    [(path, headers, request)] = seen
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer k"
    assert request["logprobs"] is True
    assert request["temperature"] == 0
    told = request["messages"][-1]["content"]
    assert "I sold the Fiat" in told
    assert "I live in Leeds" in told


def test_spellings_of_a_letter_are_added_and_other_tokens_are_doubt():
    row = token(" a", **{" a": 0.3, "A": 0.25, "A.": 0.05, "Well": 0.3})
    with serving(says(chat(row))) as (url, _):
        [found] = judge_at(url).judge(NEW, OLDS[:1])
    assert found[Relation.REPLACES] == pytest.approx(0.6)
    assert sum(found.values()) == pytest.approx(0.6)


def test_the_older_form_of_log_probabilities():
    body = {"choices": [{"text": "B", "logprobs": {"tokens": ["B"], "token_logprobs": [math.log(0.9)],
            "top_logprobs": [{"B": math.log(0.9), "A": math.log(0.05)}]}}]}  # fmt: skip
    with serving(says(body)) as (url, _):
        [found] = judge_at(url).judge(NEW, OLDS[:1])
    assert found[Relation.CONTRADICTS] == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (says({"error": "overloaded"}, status=500), "status 500"),
        (says(b"", status=302, Location="http://198.51.100.1/"), "status 302"),
        (says(b"<html>hello</html>"), "not JSON"),
        (says(b"\xff\xfe\x00"), "not JSON"),
        (says([1, 2]), "no token log-probabilities"),
        (says({"choices": []}), "no token log-probabilities"),
        (says({"choices": [{"message": {"content": "A"}, "logprobs": None}]}), "no token log-prob"),
        (says(chat(token("A", A=0.9))), "1 of 2"),
        (says(chat(token("Sure"), token("!"))), "0 of 2"),
        (says({"pad": "x" * 3_000_000}), "longer than"),
        (lambda handler, _: handler.connection.close(), "RemoteDisconnected"),
    ],
)
def test_a_useless_answer_is_a_failed_service(answer, told):
    with serving(answer) as (url, _), pytest.raises(ServiceFailed, match=told):
        judge_at(url).judge(NEW, OLDS)


def test_a_server_that_is_down_degrades_to_the_rules():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    judge = judge_at(f"http://127.0.0.1:{port}/v1")
    judged = ask(judge, NEW, OLDS, allowance=Allowance(), now=DAY)
    assert judged.outcomes is None
    assert "rules decided alone" in judged.remark
