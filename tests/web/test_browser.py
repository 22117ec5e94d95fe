"""The memory page in a real browser: each feature by mouse and keyboard, nothing from elsewhere, no complaint."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from page import served

from graphmem import Memory, Message

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None and "CI" not in os.environ, reason="no Chromium here: apt-get install chromium"
)
TALK = "\n".join(
    f"[{n + 1:02}/03/2025, 14:05:00] Ana: I saw bird number {n} near the river." for n in range(12)
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The link of a page on a memory with a little life in it."""
    home = tmp_path_factory.mktemp("home")
    with Memory.open(home / "memory", config={"owner": "Ana"}) as memory:
        said = datetime.now(UTC) - timedelta(days=9)
        for place, text in enumerate(
            ("I live in London.", "I drive a Golf.", "My sister Zoe lives in Oslo.", "I like tea.",
             "I moved to Paris for good.", "I sold the Golf and bought a Tesla.", "我对花生过敏。")
        ):  # fmt: skip
            memory.add(Message(text=text, speaker="Ana", said_at=said + timedelta(days=place)))
    with served(home / "memory", home) as (link, process):
        yield link
        process.send_signal(signal.SIGINT)
        assert process.wait(20) in {0, 130, -signal.SIGINT}


@pytest.fixture(scope="module")
def session(browser: Any, site: str) -> Iterator[Any]:
    """The browser's context, inside: the link works once."""
    context = browser.new_context(viewport={"width": 1100, "height": 900}, locale="en-GB")
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto(site)
    context.base = site.split("/enter", maxsplit=1)[0]
    page.close()
    yield context
    context.close()


def follow(page: Any, selector: str) -> None:
    """Click on what leads to another page, and wait for that page."""
    with page.expect_navigation():
        page.click(selector)


@pytest.fixture
def page(session: Any) -> Iterator[Any]:
    """A page that must not complain, break its own policy, or ask anybody else."""
    opened = session.new_page()
    wrong: list[str] = []
    opened.on(
        "console",
        lambda said: wrong.append(said.text) if said.type in {"error", "warning"} else None,
    )
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on(
        "request",
        lambda asked: (
            None if asked.url.startswith((session.base, "data:")) else wrong.append(asked.url)
        ),
    )
    opened.go = lambda path: opened.goto(session.base + path)
    opened.follow = lambda selector: follow(opened, selector)
    opened.go("/")
    yield opened
    assert wrong == []
    opened.close()


def test_add_search_filter_and_why(page: Any) -> None:
    page.keyboard.press("n")
    page.keyboard.type("I like chess on Sundays.")
    page.follow("text=Add >> nth=-1")
    assert page.locator(".news.good").inner_text().startswith("Remembered.")
    page.keyboard.press("/")
    page.keyboard.type("Where do I live?")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=Where*")
    assert page.locator(".fact .open").first.inner_text() == "I moved to Paris for good."
    page.locator("summary").first.click()
    assert page.locator("details[open] li").count() > 0
    page.follow("nav.filters >> text=Historical")
    page.go("/?show=all&entity=Zoe")
    assert page.locator(".fact .open").all_inner_texts() == ["My sister Zoe lives in Oslo."]


def test_review_by_key_and_by_mouse(page: Any) -> None:
    page.follow("nav >> text=Review")
    assert page.locator("[data-conflict]").count() == 2
    page.keyboard.press("j")
    assert "picked" in page.locator("[data-conflict]").first.get_attribute("class")
    page.keyboard.press("3")  # a deletion wants its box ticked first
    assert page.locator("[data-conflict]").count() == 2
    with page.expect_navigation():
        page.keyboard.press("2")
    assert page.locator("[data-conflict]").count() == 1
    page.check("text=Yes, delete for good")
    page.follow("text=Delete older")
    page.wait_for_selector("text=Nothing waits for you")
    page.go("/?show=historical")
    assert page.locator(".fact .open").all_inner_texts() == ["I live in London."]
    page.go("/entities?name=Ana")
    page.follow("a.open:text-is('Ana')")
    topic = page.locator(".topic", has_text="home").inner_text()
    assert "Current: I moved to Paris for good." in topic
    assert "Previously: I live in London." in topic


def test_every_action_on_a_memory(page: Any) -> None:
    page.follow("text=I like tea.")
    page.follow("text=Pin")
    assert page.locator("text=pinned").count() == 1
    page.follow("text=Confirm")
    page.fill("#update", "I like green tea.")
    page.follow("#update ~ button")
    assert page.locator("h1").inner_text() == "I like green tea."
    assert "Previously: I like tea." in page.locator(".chain").inner_text()
    page.follow("text=Mark as past")
    page.follow("text=Restore")
    page.fill("#edit", "I like green teas.")
    page.follow("#edit ~ button")
    page.follow("text=Delete")
    page.check("text=Yes, delete for good")
    page.follow("button:text-is('Delete')")
    assert "Deleted for good." in page.locator(".news").inner_text()
    page.follow("nav >> text=Status")
    page.follow("text=Check")
    assert "agree" in page.locator(".news").inner_text()


def test_an_entity_is_drawn(page: Any) -> None:
    page.go("/entities")
    page.keyboard.press("j")
    page.follow("a.open:text-is('Ana')")
    page.wait_for_selector("[data-drawn]")
    assert int(page.locator("#graph").get_attribute("data-drawn")) > 3
    assert page.locator("#graph canvas").count() > 0


def test_reminders(page: Any) -> None:
    page.keyboard.press("g")
    page.keyboard.press("v")
    page.wait_for_url("**/reminders")
    page.fill("#text", "Remind me tomorrow at 9 to call Ben")
    page.follow("button.main")
    assert page.locator(".reminder").inner_text().startswith("call Ben")
    page.select_option(".reminder select", "week")
    page.follow("button:text-is('Later')")
    page.follow(".reminder >> text=Done")
    assert page.locator(".reminder").count() == 0


def test_chat_logs_are_dropped_onto_the_page(page: Any, tmp_path: Path) -> None:
    page.follow("nav >> text=Add chats")
    data = page.evaluate_handle(
        "text => { const all = new DataTransfer();"
        " all.items.add(new File([text], 'talk.txt', {type: 'text/plain'})); return all; }",
        TALK,
    )
    page.dispatch_event("#drop", "dragover", {"dataTransfer": data})
    assert "over" in page.locator("#drop").get_attribute("class")
    page.fill("#me", "Ana")
    page.dispatch_event("#drop", "drop", {"dataTransfer": data})
    page.wait_for_selector("[data-state=done]", timeout=60_000)
    assert "12 messages, 12 new" in page.locator("[data-job]").first.inner_text()
    file = tmp_path / "talk.txt"
    file.write_text(TALK)
    page.set_input_files("#file", str(file))
    page.fill("#me", "Ana")
    page.click("button.main")
    page.locator("[data-state=done]").nth(1).wait_for(timeout=60_000)
    assert "12 messages, 0 new" in page.locator("[data-job]").first.inner_text()


def test_chinese_dark_and_narrow(page: Any) -> None:
    page.set_viewport_size({"width": 330, "height": 700})
    page.follow("text=中文")
    assert page.locator("html").get_attribute("lang") == "zh"
    page.follow("[name=theme]")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    for path in ("/", "/review", "/entities", "/reminders", "/chats", "/status", "/?q=花生"):
        page.go(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 330, path
    assert page.locator(".fact .open").first.inner_text() == "我对花生过敏。"
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1100, "height": 900})
    page.follow("text=English")


def test_every_field_has_a_label_and_the_page_a_heading(page: Any) -> None:
    for path in ("/", "/review", "/entities", "/reminders", "/chats", "/status"):
        page.go(path)
        bare = page.evaluate(
            "[...document.querySelectorAll('input:not([type=hidden]), textarea, select')]"
            ".filter(one => !one.labels.length).map(one => one.outerHTML)"
        )
        assert bare == [], path
        assert page.locator("h1").count() == 1, path
        assert page.locator("main").count() == 1


def test_without_the_link_there_is_no_way_in(browser: Any, site: str) -> None:
    stranger = browser.new_context()
    page = stranger.new_page()
    assert page.goto(site).status == 403  # it was used
    assert page.goto(site.split("/enter", maxsplit=1)[0]).status == 401
    stranger.close()
