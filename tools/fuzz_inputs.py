"""Hostile inputs for tools/fuzz.py: real samples, broken in the ways in which files and callers are broken."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "data" / "samples"

PIECES = (
    *(
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        '"',
        "'",
        "\\",
        "\\ud83d",
        "null",
        "1e999",
        "NaN",
        "-0",
        "\n",
        "\r",
    ),
    *(
        "\ufeff",
        "\u202e",
        "\u2028",
        "\x00",
        "\x0b",
        "\x1b[2J",
        "\ud800",
        "\U0010ffff",
        "\u0301",
        "ﷺ",
    ),
    *(
        "Ana: ",
        "2024-05-20 10:00",
        "[31/12/23, 11:59 PM] ",
        "99/99/99, 99:99 - ",
        "张三 ",
        "**",
        "——",
    ),
    *("%s%n", "../../etc/passwd", "'; DROP TABLE Fact; --", "MATCH (n) DETACH DELETE n", "$text"),
    *(
        "remember ",
        "I moved to ",
        "not ",
        "tomorrow at 25:61",
        "明天下午3点",
        "9999-12-31",
        "0001-01-01",
    ),
    *(
        "every day",
        "Feb 30",
        "next " * 30,
        "my " * 40,
        "her sister's " * 30,
        "一" * 60,
        "1" * 400,
        "a" * 3000,
    ),
)
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**70), 1e308, -0.0, float("nan"), float("inf")),
    *(
        "",
        " ",
        "\x00",
        "\ud800",
        "x" * 70_000,
        "2024-02-30",
        "9999-12-31T23:59:59-12:00",
        "0001-01-01",
    ),
    *([], {}, [[]], {"a": None}, [None], {"": ""}, "current", "\u202e", "1", "-1", "NaN"),
)
EXTREMES = (
    datetime.max.replace(tzinfo=UTC),
    datetime.min.replace(tzinfo=UTC),
    datetime.max.replace(tzinfo=timezone(-timedelta(hours=12))),
    datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
    datetime(2, 1, 1, tzinfo=timezone(timedelta(hours=14))),
    datetime(9998, 12, 31, 23, 59, 59, 999999, tzinfo=timezone(-timedelta(hours=12))),
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(2024, 2, 29, 23, 59, 60 - 1, tzinfo=timezone(timedelta(hours=5, minutes=45))),
    datetime(2025, 3, 30, 2, 30, tzinfo=timezone(timedelta(hours=1))),
    datetime(2025, 6, 1, tzinfo=timezone(timedelta(seconds=1))),
)


def mutated_bytes(dice: random.Random, raw: bytes, other: bytes = b"") -> bytes:
    """A few breaks in a file."""
    found = bytearray(raw)
    for _ in range(dice.choice((1, 1, 2, 3, 8))):
        at = dice.randrange(len(found) + 1)
        match dice.randrange(8):
            case 0 if found:
                found[min(at, len(found) - 1)] ^= 1 << dice.randrange(8)
            case 1:
                found[at : at + dice.choice((1, 4, 64))] = b""
            case 2:
                found[at:at] = dice.choice(PIECES).encode("utf-8", "surrogatepass")
            case 3:
                found[at:at] = found[at : at + dice.choice((8, 80, 800))] * dice.choice((1, 2, 9))
            case 4:
                del found[at:]
            case 5 if other:
                start = dice.randrange(len(other))
                found[at:at] = other[start : start + dice.choice((20, 400))]
            case 6:
                found[at : at + 4] = dice.randbytes(dice.choice((1, 4, 9)))
            case _:
                lines = bytes(found).splitlines(keepends=True)
                dice.shuffle(lines)
                found = bytearray(b"".join(lines))
    return bytes(found)


def mutated_text(dice: random.Random, text: str, other: str = "") -> str:
    """A few breaks in a text; lone surrogates too."""
    found = text
    for _ in range(dice.choice((1, 1, 2, 4))):
        at = dice.randrange(len(found) + 1)
        match dice.randrange(6):
            case 0:
                found = found[:at] + dice.choice(PIECES) + found[at:]
            case 1:
                found = found[:at] + found[at + dice.choice((1, 2, 10)) :]
            case 2:
                words = found.split(" ")
                dice.shuffle(words)
                found = " ".join(words)
            case 3:
                found = (
                    found[:at]
                    + chr(dice.choice((dice.randrange(0x250), dice.randrange(0x11000))))
                    + found[at:]
                )
            case 4 if other:
                found = found[:at] + other[dice.randrange(len(other)) :] + found[at:]
            case _:
                found = found[:at] + found[:at][-30:] * dice.choice((1, 3)) + found[at:]
    return found


def mutated_json(dice: random.Random, value: Any) -> Any:
    """The value with some of its parts lost, doubled or replaced by odd ones."""
    found = json.loads(json.dumps(value))
    for _ in range(dice.choice((1, 1, 2, 4))):
        places = list(_places(found))
        if not places:
            return dice.choice(ODD)
        holder, at = dice.choice(places)
        match dice.randrange(6):
            case 0:
                del holder[at]
            case 1:
                holder[at] = [holder[at]] * dice.choice((1, 2, 50))
            case 2:
                other, there = dice.choice(places)
                if _still(other, there) and _still(holder, at):
                    holder[at] = json.loads(json.dumps(other[there], default=str))
            case 3 if isinstance(holder[at], str):
                holder[at] = mutated_text(dice, holder[at])
            case 4 if isinstance(holder[at], (int, float)) and not isinstance(holder[at], bool):
                holder[at] *= dice.choice((-1, 0, 10**6, 10**30, 0.5))
            case _:
                holder[at] = dice.choice(ODD)
        found = json.loads(json.dumps(found)) if dice.random() < 0.2 else found
    return found


def moment(dice: random.Random) -> datetime:
    """A moment of these years, or of the edges of time."""
    if dice.random() < 0.3:
        return dice.choice(EXTREMES)
    zone = timezone(timedelta(minutes=dice.choice((0, 60, -300, 330, 480, 840, -720))))
    return datetime(2020, 1, 1, tzinfo=zone) + timedelta(seconds=dice.randrange(6 * 365 * 86400))


def dumped(value: Any) -> bytes:
    """JSON as it could come from anywhere, NaN and lone surrogates included."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _places(value: Any) -> Any:
    if isinstance(value, dict):
        for name, one in value.items():
            yield value, name
            yield from _places(one)
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield value, at
            yield from _places(one)


def _still(holder: Any, at: Any) -> bool:
    return at in holder if isinstance(holder, dict) else at < len(holder)
