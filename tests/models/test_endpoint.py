"""The endpoint client against a real server on loopback that is slow, rude or leads elsewhere."""

import socket
import threading
import time
from contextlib import suppress

import pytest
from model_server import says, serving

from graphmem import endpoint as client
from graphmem.endpoint import Endpoint
from graphmem.errors import InvalidSettings, ServiceFailed


def at(url, **more):
    return Endpoint(table="model", url=url, **{"seconds": 3, **more})


def call(url, **more):
    one = at(url, **more)
    return one.chat({"model": "m"}, deadline=one.deadline())


def test_an_answer_with_its_status_and_the_key_in_a_header():
    with serving(says({"ok": 1}, status=418)) as (url, seen):
        reply = call(url, api_key="k")
    assert (reply.status, reply.body) == (418, b'{"ok": 1}')
    [(path, headers, request)] = seen
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer k"
    assert request == {"model": "m"}


def test_a_redirect_is_an_answer_and_never_followed():
    with (
        serving(says({})) as (other, elsewhere),
        serving(says(b"", status=307, Location=f"{other}/chat/completions")) as (url, _),
    ):
        assert call(url).status == 307
    assert elsewhere == []


def test_a_huge_answer_is_left_unread():
    with (
        serving(says({"pad": "x" * 3_000_000})) as (url, _),
        pytest.raises(ServiceFailed, match="longer than"),
    ):
        call(url)


def slow(handler, _request):
    time.sleep(1.0)
    says({})(handler, _request)


def dripping_body(handler, _request):
    handler.send_response(200)
    handler.end_headers()
    _drip(handler)


def dripping_headers(handler, _request):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    _drip(handler)


def continuing(handler, _request):
    for _ in range(40):
        handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.05)


def _drip(handler):
    for _ in range(40):
        handler.wfile.write(b" ")
        time.sleep(0.05)


@pytest.mark.parametrize("answer", [slow, dripping_body, dripping_headers, continuing])
def test_the_time_out_covers_the_whole_call(answer):
    with serving(answer) as (url, _):
        start = time.monotonic()
        with pytest.raises(ServiceFailed, match="no answer within"):
            call(url, seconds=0.3)
        assert time.monotonic() - start < 0.9


def test_looking_a_name_up_counts_too(monkeypatch):
    gate = threading.Event()
    monkeypatch.setattr(client.socket, "getaddrinfo", lambda *_, **__: gate.wait(5) and [])
    start = time.monotonic()
    with pytest.raises(ServiceFailed, match="no answer within"):
        call("http://models.example/v1", seconds=0.2)
    assert time.monotonic() - start < 0.9
    gate.set()


def test_nobody_listens():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ServiceFailed, match="ConnectionRefusedError"):
        call(f"http://127.0.0.1:{port}/v1")


def test_not_http_at_all():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            with suppress(OSError):
                connection, _ = server.accept()
                with connection:
                    connection.recv(100)
                    connection.sendall(b"SSH-2.0-hello\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(ServiceFailed):
            call(f"http://127.0.0.1:{server.getsockname()[1]}/v1")
        thread.join()


def test_tls_checks_the_certificate():
    with serving(says({})) as (url, _), pytest.raises(ServiceFailed, match="SSL"):
        call(url.replace("http:", "https:"))


@pytest.mark.parametrize(
    "host",
    [
        "8.8.8.8", "[2001:4860:4860::8888]", "[::ffff:8.8.8.8]", "0.0.0.0", "224.0.0.1",  # noqa: S104
        "169.254.169.254", "[fe80::1]", "172.32.0.1", "[64:ff9b::a00:1]", "100.64.0.1",
    ],
)  # fmt: skip
def test_addresses_off_the_private_network_are_refused_at_once(host):
    with pytest.raises(InvalidSettings, match="allow_remote"):
        at(f"http://{host}/v1")
    assert at(f"http://{host}/v1", allow_remote=True)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.9.9.9", "10.1.2.3", "172.31.0.1", "192.168.1.9", "[::1]", "[fd00::1]"],
)
def test_addresses_of_this_machine_and_private_networks_are_allowed(host):
    assert at(f"http://{host}:9/v1")


@pytest.mark.parametrize(
    "url", ["", "ftp://127.0.0.1", "127.0.0.1:80", "http://", "http://127.0.0.1:x", "http://[::1",
            "http://me:secret@127.0.0.1/v1", "http://127.0.0.1/v1?key=1"],
)  # fmt: skip
def test_a_malformed_address(url):
    with pytest.raises(InvalidSettings, match=r"model\.url"):
        at(url)


def leads_to(monkeypatch, *addresses):
    """Every host name leads to the addresses; addresses are looked up as ever."""
    real = socket.getaddrinfo

    def look_up(host, *rest, **more):
        if "model" not in str(host):
            return real(host, *rest, **more)
        return [row for one in addresses for row in real(one, *rest, **more)]

    monkeypatch.setattr(client.socket, "getaddrinfo", look_up)


@pytest.mark.parametrize(
    "addresses", [["93.184.216.34"], ["127.0.0.1", "93.184.216.34"], ["169.254.169.254"]]
)
def test_a_name_that_leads_outside_is_refused_when_it_is_called(monkeypatch, addresses):
    leads_to(monkeypatch, *addresses)
    with pytest.raises(InvalidSettings, match="private network"):
        call("http://models.example/v1")


def test_a_name_is_called_at_the_address_that_was_checked(monkeypatch):
    with serving(says({})) as (url, seen):
        port = url.rsplit(":", 1)[1].split("/")[0]
        leads_to(monkeypatch, "127.0.0.1")
        assert call(f"http://models.home.arpa:{port}/v1").status == 200
    assert seen[0][1]["Host"] == f"models.home.arpa:{port}"


def test_proxies_of_the_environment_are_not_used(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    with serving(says({})) as (url, _):
        assert call(url).status == 200


def test_of_the_configuration(monkeypatch):
    monkeypatch.setenv("MY_KEY", "k")
    with serving(says({})) as (url, seen):
        one = Endpoint.of("model", {"url": url, "api_key_env": "MY_KEY", "seconds": 2}, seconds=8)
        one.chat({}, deadline=one.deadline())
    assert one.seconds == 2
    assert seen[0][1]["Authorization"] == "Bearer k"
    for wrong in ({}, {"url": 1}, {"url": url, "seconds": 0}, {"url": url, "seconds": "fast"},
                  {"url": url, "api_key": "k"}):  # fmt: skip
        with pytest.raises(InvalidSettings, match=r"model\."):
            Endpoint.of("model", wrong, seconds=8)
