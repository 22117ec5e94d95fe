"""The log-probability judge against a real server on loopback that is right, slow, wrong, rude or down."""

import json
import math
import socket
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from facts import DAY, note

from graphmem.errors import InvalidSettings, ServiceFailed
from graphmem.lifecycle import judge_http
from graphmem.lifecycle.judge import Allowance, ask
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


RIGHT = chat(token("A", A=0.85, B=0.1), token("\n"), token("E", E=0.7, D=0.2))


@contextmanager
def serving(answer):
    """A server whose POST is handled by `answer(handler, request)`."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append((self.path, dict(self.headers), request))
            with suppress(BrokenPipeError, ConnectionResetError):
                answer(self, request)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def says(body, status=200, **headers):
    def answer(handler, _request):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def test_one_call_reads_the_probabilities_of_the_letters():
    with serving(says(RIGHT)) as (url, seen):
        found = LogprobJudge(url=url, model="m", api_key="k").judge(NEW, OLDS)
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
        [found] = LogprobJudge(url=url, model="m").judge(NEW, OLDS[:1])
    assert found[Relation.REPLACES] == pytest.approx(0.6)
    assert sum(found.values()) == pytest.approx(0.6)


def test_the_older_form_of_log_probabilities():
    body = {"choices": [{"text": "B", "logprobs": {"tokens": ["B"], "token_logprobs": [math.log(0.9)],
            "top_logprobs": [{"B": math.log(0.9), "A": math.log(0.05)}]}}]}  # fmt: skip
    with serving(says(body)) as (url, _):
        [found] = LogprobJudge(url=url, model="m").judge(NEW, OLDS[:1])
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
        (lambda handler, _: handler.connection.close(), "Error"),
    ],
)
def test_a_useless_answer_is_a_failed_service(answer, told):
    with serving(answer) as (url, _), pytest.raises(ServiceFailed, match=told):
        LogprobJudge(url=url, model="m").judge(NEW, OLDS)


def slow(handler, _request):
    time.sleep(1.0)
    says(RIGHT)(handler, _request)


def dripping(handler, _request):
    handler.send_response(200)
    handler.end_headers()
    for _ in range(40):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


@pytest.mark.parametrize("answer", [slow, dripping])
def test_the_time_out_covers_the_whole_call(answer):
    with serving(answer) as (url, _):
        start = time.monotonic()
        with pytest.raises(ServiceFailed, match="no answer within"):
            LogprobJudge(url=url, model="m", seconds=0.3).judge(NEW, OLDS)
        assert time.monotonic() - start < 0.9


def test_a_server_that_is_down_degrades_to_the_rules():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    judge = LogprobJudge(url=f"http://127.0.0.1:{port}/v1", model="m")
    judged = ask(judge, NEW, OLDS, allowance=Allowance(), now=DAY)
    assert judged.outcomes is None
    assert "rules decided alone" in judged.remark


@pytest.mark.parametrize(
    "host",
    ["8.8.8.8", "[2001:4860:4860::8888]", "[::ffff:8.8.8.8]", "0.0.0.0", "224.0.0.1"],  # noqa: S104
)
def test_addresses_off_the_private_network_are_refused_at_once(host):
    with pytest.raises(InvalidSettings, match="allow_remote"):
        LogprobJudge(url=f"http://{host}/v1", model="m")
    assert LogprobJudge(url=f"http://{host}/v1", model="m", allow_remote=True).name == "judge m"


@pytest.mark.parametrize("host", ["127.0.0.1", "10.1.2.3", "192.168.1.9", "[::1]", "[fd00::1]"])
def test_addresses_of_this_machine_and_private_networks_are_allowed(host):
    assert LogprobJudge(url=f"http://{host}:9/v1", model="m")


def leads_to(monkeypatch, address):
    """Every host name leads to the address; addresses are looked up as ever."""
    real = socket.getaddrinfo

    def look_up(host, *rest, **more):
        return real(address if "model" in str(host) else host, *rest, **more)

    monkeypatch.setattr(judge_http.socket, "getaddrinfo", look_up)


def test_a_name_that_leads_outside_is_refused_when_it_is_called(monkeypatch):
    leads_to(monkeypatch, "93.184.216.34")
    judge = LogprobJudge(url="http://models.example/v1", model="m")
    with pytest.raises(InvalidSettings, match="private network"):
        judge.judge(NEW, OLDS)
    judged = ask(judge, NEW, OLDS, allowance=Allowance(), now=DAY)
    assert judged.outcomes is None


def test_a_name_is_called_at_the_address_that_was_checked(monkeypatch):
    with serving(says(RIGHT)) as (url, seen):
        port = url.rsplit(":", 1)[1].split("/")[0]
        leads_to(monkeypatch, "127.0.0.1")
        judge = LogprobJudge(url=f"http://models.home.arpa:{port}/v1", model="m")
        assert judge.judge(NEW, OLDS)
    assert seen[0][1]["Host"] == f"models.home.arpa:{port}"


def test_proxies_of_the_environment_are_not_used(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    with serving(says(RIGHT)) as (url, _):
        assert LogprobJudge(url=url, model="m").judge(NEW, OLDS)
