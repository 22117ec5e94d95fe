"""Nobody but the owner's own browser gets in, and nothing from elsewhere gets onto the page."""

from __future__ import annotations

import re
import signal
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from page import HOST, NOW, client, say, served
from starlette.testclient import TestClient

import graphmem.web
from graphmem import Memory
from graphmem.errors import InvalidSettings
from graphmem.testing import FixedClock, temporary_memory
from graphmem.web.app import ACTIONS, PAGES, serve

FOLDER = Path(graphmem.web.__file__).parent


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with temporary_memory(FixedClock(NOW)) as opened:
        say(
            opened,
            "I live in London.",
            "I like the tag <script>alert(1)</script> \u202e most of all.",
        )
        yield opened


@pytest.fixture
def page(memory: Memory) -> Iterator[TestClient]:
    with client(memory) as made:
        yield made


def test_the_link_works_once(memory: Memory) -> None:
    with client(memory, enter=False) as made:
        assert made.get("/").status_code == 401
        assert made.get("/enter?token=wrong").status_code == 403
        link = f"/enter?token={made.keys.link}"
        assert made.head(link).status_code == 405  # a preview does not use it up
        answer = made.get(link, follow_redirects=False)
        cookie = answer.headers["set-cookie"]
        assert {"HttpOnly", "Path=/", "SameSite=strict"} <= set(cookie.split("; "))
        assert made.get("/").status_code == 200
        made.cookies.clear()
        assert made.get(link).status_code == 403
        assert made.get("/").status_code == 401


@pytest.mark.parametrize("path", [*PAGES, "/looks", *ACTIONS])
def test_without_the_session_there_is_nothing(memory: Memory, path: str) -> None:
    with client(memory, enter=False) as made:
        assert made.get(path).status_code == 401
        assert made.post(path, data={"form": made.keys.form}).status_code == 401


def test_another_host_name_is_refused(page: TestClient) -> None:
    for host in ("evil.example", "evil.example:8000", "127.0.0.1:9999", ""):
        assert page.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("path", sorted(ACTIONS))
def test_a_form_of_another_page_does_nothing(page: TestClient, path: str) -> None:
    path = path.replace("{id}", "x").replace("{action}", "confirm")
    assert page.post(path, data={"text": "I like spam."}).status_code == 403
    assert page.post(path, data={"text": "I like spam.", "form": "guess"}).status_code == 403
    sent = {"form": page.keys.form, "text": "I like spam."}
    other = {"origin": "http://evil.example"}
    assert page.post(path, data=sent, headers=other).status_code == 403
    assert page.post(path, data=sent, headers={"origin": "null"}).status_code == 403


def test_every_answer_carries_the_policy(page: TestClient) -> None:
    for path in ("/", "/static/page.js", "/nowhere", "/fact/x"):
        headers = page.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
    assert page.get("/").headers["cache-control"] == "no-store"


def test_texts_are_shown_and_never_run(page: TestClient) -> None:
    for text in (page.get("/").text, page.get("/?q=what+do+I+like").text):
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert(1)" in text
        assert "\u202e" not in text
    hostile = page.get("/", params={"q": '"><img src=x onerror=alert(1)>'}).text
    assert "<img src=x" not in hostile


def test_a_huge_form_is_refused_unread(page: TestClient) -> None:
    sent = {"form": page.keys.form, "text": "x" * (2 << 20)}
    assert page.post("/add", data=sent).status_code == 413


def test_nothing_is_fetched_from_elsewhere_and_nothing_stands_inline() -> None:
    for file in (FOLDER / "templates").glob("*.html"):
        text = file.read_text("utf-8")
        assert not re.search(r"""(?:src|href|action)=["'](?:https?:)?//""", text), file
        assert not re.search(
            r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", text
        ), file
        for form in re.findall(r"<form[^>]*method=\"post\".*?</form>", text, re.DOTALL):
            assert "form_token(form)" in form or 'name="form"' in form, f"{file}: {form[:80]}"
    for file in (FOLDER / "static").glob("*.*"):
        assert "http://" not in file.read_text("utf-8").replace("http://www.w3.org", "")


def test_the_languages_have_the_same_words_and_the_pages_use_no_others() -> None:
    english, chinese = (
        tomllib.loads((FOLDER / "catalogue" / f"{one}.toml").read_text("utf-8"))
        for one in ("en", "zh")
    )
    assert english.keys() == chinese.keys()
    for name, text in english.items():
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", chinese[name])), name
    used = set()
    for file in (FOLDER / "templates").glob("*.html"):
        used |= set(re.findall(r"""\bt\(["'](\w+)["'][,)]""", file.read_text("utf-8")))
    assert used <= english.keys()


def test_only_this_machine(memory: Memory) -> None:
    with pytest.raises(InvalidSettings, match="this machine only"):
        serve(memory, host="0.0.0.0", port=0, ready=print)  # noqa: S104 - refused


@pytest.mark.parametrize("before", ["9" * 40, "²", "-1", "x", "\0"])
def test_a_place_that_is_none_is_the_beginning(page: TestClient, before: str) -> None:
    answer = page.get("/", params={"before": before})
    assert answer.status_code == 200
    assert "I live in London." in answer.text


def test_told_to_end_at_once_it_ends(tmp_path: Path) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        with served(tmp_path / "memory", tmp_path) as (_, process):
            process.send_signal(number)
            assert process.wait(20) is not None


def test_errors_are_pages(page: TestClient) -> None:
    answer = page.get("/fact/f_nothing")
    assert answer.status_code == 404
    assert "f_nothing" in answer.text
    assert page.get(f"http://{HOST}/entity/nobody").status_code == 404
