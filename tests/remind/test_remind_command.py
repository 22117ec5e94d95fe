"""`graphmem remind`, as a person uses it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from icalendar import Calendar
from typer.testing import CliRunner, Result

from graphmem.cli.app import app
from graphmem.errors import ExtensionMissing, InvalidMessage, MemoryUnwritable
from graphmem.remind import notify

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("GRAPHMEM_TIMEZONE", "Asia/Shanghai")
    runner = CliRunner()

    def invoke(*words: str) -> Result:
        return runner.invoke(app, ["--memory", str(tmp_path / "memory"), "remind", *words])

    return invoke


def told(result: Result) -> list[str]:
    assert result.exit_code == 0, result.exception
    return [one["trigger"]["action"] for one in json.loads(result.output)]


def test_add_list_due_snooze_done_cancel(run: Run) -> None:
    made = json.loads(run("add", "every Monday at 8 put the bins out", "--json").output)
    assert made["reminders"][0]["rule"].startswith("FREQ=WEEKLY;BYDAY=MO")
    one = json.loads(run("add", "buy milk", "--at", "2099-01-02", "--json").output)["reminders"][0]
    run("add", "give back the book", "--word", "Tom")
    listed = run("list").output
    assert "2099-01-02 09:00" in listed
    assert "Tom" in listed
    assert len(json.loads(run("list", "--json").output)) == 3
    assert told(run("due", "--at", "2099-01-02T08:59", "--peek", "--json")).count("buy milk") == 0
    at = "2099-01-02T09:00+08:00"
    assert "buy milk" in told(run("due", "--at", at, "--peek", "--json"))
    assert "buy milk" in told(run("due", "--at", at, "--json"))
    assert run("due", "--at", at).output.strip() == "nothing is due"
    put_off = json.loads(run("snooze", one["id"], "2h", "--json").output)
    assert put_off["reminders"][0]["snoozed_until"]
    assert json.loads(run("done", one["id"], "--json").output)["reminders"][0]["state"] == "done"
    gone = json.loads(run("cancel", made["reminders"][0]["id"], "--json").output)
    assert gone["reminders"][0]["state"] == "cancelled"
    assert len(json.loads(run("list", "--json").output)) == 1
    assert len(json.loads(run("list", "--all", "--json").output)) == 3
    assert isinstance(run("add", "?!").exception, InvalidMessage)


def test_export(run: Run, tmp_path: Path) -> None:
    run("add", "buy milk", "--at", "2099-01-02T10:00")
    run("add", "water", "--every", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0;BYSECOND=0")
    whole = Calendar.from_ical(run("export").output)
    assert [str(event["summary"]) for event in whole.walk("VEVENT")] == ["buy milk", "water"]
    file = tmp_path / "out.ics"
    assert "2 events" in run("export", "-o", str(file)).output
    assert Calendar.from_ical(file.read_bytes()).walk("VTIMEZONE")
    assert json.loads(run("export", "--json").output)["events"] == 2
    assert isinstance(run("export", "-o", str(tmp_path / "no" / "x")).exception, MemoryUnwritable)


def test_notify(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("add", "buy milk", "--at", "2099-01-02")
    at = "2099-01-02T09:00+08:00"
    monkeypatch.setitem(sys.modules, "desktop_notifier", None)
    missing = run("due", "--notify", "--at", at).exception
    assert isinstance(missing, ExtensionMissing)
    assert "graphmem[notify]" in str(missing)
    sent: list[tuple[str, str]] = []
    monkeypatch.setattr(notify, "desktop", lambda: lambda title, text: sent.append((title, text)))
    assert run("due", "--notify", "--at", at).exit_code == 0
    assert sent == [("buy milk", "2099-01-02 09:00")]
