"""What a reader must not see, and times at the ends of the calendar."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from graphmem import Memory, Message
from graphmem.errors import InvalidMessage, InvalidQuery, MemoryDamaged
from graphmem.when import When


def said(text: str, year: int, *readers: str) -> Message:
    return Message(
        text=text, speaker="Ana", said_at=datetime(year, 1, 1, 9, tzinfo=UTC), readers=readers
    )


def test_a_reader_sees_no_sources_and_no_conflicts_of_others(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m") as memory:
        memory.add(said("I like sushi.", 2020))
        memory.add(said("I like sushi. My therapist is Doctor Xanthos.", 2021, "phone"))
        memory.add(said("I live in Zurich.", 2021, "phone"))
        assert memory.add(said("I moved to Lima.", 2022)).conflicts
    with Memory.open(tmp_path / "m", reader="tv") as memory:
        recalled = memory.recall("What do I like to eat?")
        assert any("sushi" in item.text for item in recalled.items)
        assert "Xanthos" not in str(recalled)
        assert "Xanthos" not in memory.lineage("Ana", "sushi").tree()
        assert "Zurich" not in str(memory.recall("Where do I live?"))
        assert memory.conflicts(open_only=False) == ()
        with pytest.raises(InvalidQuery, match="reader 'tv'"):
            memory.cypher("MATCH (f:Fact) RETURN f.text")
    with Memory.open(tmp_path / "m", reader="phone") as memory:
        assert len(memory.conflicts()) == 1
        assert "Xanthos" in memory.lineage("Ana", "sushi").tree()


@pytest.mark.parametrize("offset", [-14 * 60, 0, 14 * 60])
@pytest.mark.parametrize(
    "iso",
    ["0001", "0001-01", "0001-01-01", "9999", "9999-12", "9999-12-31", "9999-11", "9998-12-31"],
)
def test_the_first_and_the_last_days_can_be_told_in_every_zone(iso: str, offset: int) -> None:
    when = When(iso, offset)
    assert when.start < when.end
    assert when.iso == iso
    for zone in (timezone(timedelta(hours=-14)), UTC, timezone(timedelta(hours=14))):
        assert when.start.astimezone(zone) < when.end.astimezone(zone)


@pytest.mark.parametrize("iso", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00"])
def test_the_first_and_the_last_instants_can_be_told_in_utc(iso: str) -> None:
    when = When(iso)
    assert when.start.astimezone(UTC) < when.end.astimezone(UTC)


def test_a_message_that_names_the_last_day_is_kept_and_harms_nothing(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m") as memory:
        memory.add(said("My passport expires on 9999-12-31.", 2024))
        memory.add(said("Remind me to call Ben on 9999-12-31.", 2024))
        memory.remind("renew", at=datetime(9999, 12, 31, 23, 59, tzinfo=UTC))
        assert memory.due(record=False) == ()
        assert memory.status()["snapshots"] == 2
        assert "renew" in memory.calendar()
        assert memory.check().findings == ()


@pytest.mark.parametrize("year", [1, 9999])
def test_a_message_said_at_an_end_of_the_calendar_is_refused(year: int) -> None:
    with pytest.raises(InvalidMessage, match="said_at"):
        said("I live in Oslo.", year)


@pytest.mark.parametrize("kept", [0.0, 0.5])
def test_a_log_cut_before_the_first_folding_is_damage_and_no_empty_memory(
    tmp_path: Path, kept: float
) -> None:
    child = os.fork()
    if child == 0:  # dies without closing, so that nothing is folded
        memory = Memory.open(tmp_path / "m")
        memory.add(said("I live in Oslo.", 2024))
        os._exit(0)
    os.waitpid(child, 0)
    log = tmp_path / "m" / "graph.kuzu.wal"
    with log.open("r+b") as opened:
        opened.truncate(int(log.stat().st_size * kept))
    with pytest.raises(MemoryDamaged, match="log"):
        Memory.open(tmp_path / "m")
