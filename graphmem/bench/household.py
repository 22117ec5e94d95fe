"""A generated household that talks to its assistant: seeded, lifelike, without real persons.

It comes to know one more person every twenty messages. What is told of a person or thing (where they live, where
it lies) is told the same way again and again until it changes, which is seldom: as in real chats, most of
what is said is chatter, a plan, something new, or known already.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any
from zlib import crc32

from graphmem.model import Message

START = datetime(2020, 1, 1, 8, tzinfo=UTC)
APART = timedelta(minutes=3)  # from one message to the next
_KNOWN_AT_FIRST = 24  # persons
_EACH = 20  # messages, then there is one more
_CHANGES = 50_000  # messages after which what is told of somebody has changed once
_CHINESE = 0.1  # of the questions


def conversation(count: int, *, seed: int = 7, start: int = 0) -> Iterator[Message]:
    """`count` messages from number `start` on, of which one in ten is Chinese; the same for a seed."""
    kinds = _words()["said"]
    weights = [kind["often"] for kind in kinds]
    for number in range(start, start + count):
        draw = random.Random(f"{seed}-{number}")  # noqa: S311 - lifelike, not secret
        [kind] = draw.choices(kinds, weights)
        chinese = kind.get("chinese", False)
        yield Message(
            text=_spoken(draw.choice(kind["as"]), draw, number, chinese=chinese),
            speaker=_words()["chinese_speaker"] if chinese else draw.choice(_words()["people"]),
            said_at=START + APART * number,
            conversation=f"day-{number // 60}",
            source="bench",
        )


def questions(count: int, *, known: int, seed: int = 11) -> list[str]:
    """Questions such as people ask of that household once `known` messages have been said."""
    draw = random.Random(seed)  # noqa: S311 - lifelike, not secret
    made = []
    for _ in range(count):
        chinese = draw.random() < _CHINESE
        asked = draw.choice(_words()["ask"]["chinese" if chinese else "english"])
        made.append(_spoken(asked, draw, known, chinese=chinese))
    return made


def _spoken(pattern: str, draw: random.Random, number: int, *, chinese: bool) -> str:
    words = _words()
    people = _KNOWN_AT_FIRST + number // _EACH
    person = int(people * draw.random() ** 2)  # those known longest are spoken of most
    name = (_chinese_name if chinese else _english_name)(person)
    thing = f"{draw.choice(words['looks'])} {draw.choice(words['things'])}"
    month = draw.choice(words["months"])
    return pattern.format_map(
        {
            **_lasting(name, number),
            "name": name,
            "look": thing.split(" ", 1)[0],
            "thing": thing.split(" ", 1)[1],
            "place": _kept(thing, "places", number),
            "any_city": draw.choice(words["cities"]),
            "any_firm": draw.choice(words["firms"]),
            "any_hobby": draw.choice(words["hobbies"]),
            "any_dish": draw.choice(words["dishes"]),
            "any_town": draw.choice(words["chinese_towns"]),
            "any_chinese_hobby": draw.choice(words["chinese_hobbies"]),
            "any_chinese_dish": draw.choice(words["chinese_dishes"]),
            "chinese_thing": draw.choice(words["chinese_things"]),
            "year": draw.randrange(1990, 2020),
            "money": draw.randrange(5, 900),
            "hour": draw.randrange(6, 11),
            "day": draw.choice(words["days"]),
            "date": f"{draw.randrange(1, 29)} {month}",
            "weekday": draw.choice("一二三四五六日"),
        }
    )


def _lasting(name: str, number: int) -> Mapping[str, Any]:
    """What belongs to a person at that time."""
    mark = crc32(name.encode())
    return {
        "city": _kept(name, "cities", number),
        "firm": _kept(name, "firms", number),
        "town": _kept(name, "chinese_towns", number),
        "hobby": _kept(name, "hobbies", 0),
        "dish": _kept(name, "dishes", 0),
        "food": _kept(name, "foods", 0),
        "chinese_hobby": _kept(name, "chinese_hobbies", 0),
        "chinese_dish": _kept(name, "chinese_dishes", 0),
        "birthday": f"{_kept(name, 'months', 0)} {mark % 28 + 1}",
        "number": f"555-{mark % 10_000_000:07}",
    }


def _kept(whose: str, among: str, number: int) -> str:
    """One of the words, for long the same."""
    choice: list[str] = _words()[among]
    mark = crc32(f"{among} {whose}".encode())
    times = (number + mark % _CHANGES) // _CHANGES  # that it has changed
    return choice[(mark + times) % len(choice)]


def _english_name(person: int) -> str:
    words = _words()
    first, last = words["first"], _lasts()
    return f"{first[person % len(first)]} {last[(person * 7 + person // len(first)) % len(last)]}"


def _chinese_name(person: int) -> str:
    words = _words()
    last, first = words["chinese_last"], words["chinese_first"]
    return f"{last[person % len(last)]}{first[person // len(last) % len(first)]}"


@cache
def _lasts() -> list[str]:
    words = _words()
    return [start + end for start in words["last_start"] for end in words["last_end"]]


@cache
def _words() -> Mapping[str, Any]:
    return tomllib.loads(files("graphmem.bench").joinpath("household.toml").read_text("utf-8"))
