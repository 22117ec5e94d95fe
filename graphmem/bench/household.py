"""A generated household that talks to its assistant: seeded, lifelike, without real persons."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from graphmem.model import Message

PEOPLE = ("Ana", "Tom", "Mia", "Leo", "Nora", "Ivo", "周伟", "林静")
NAMES = ("Ada", "Ben", "Cleo", "Dario", "Elsa", "Finn", "Gita", "Hugo", "Ines", "Jonas")
CITIES = ("Lisbon", "Oslo", "Graz", "Turin", "Ghent", "Porto", "Malmo", "Leeds", "Brno", "Cork")
FIRMS = ("Alder Labs", "Birch Foods", "Cedar Works", "Dune Logistics", "Elm Studio", "Fjord Bank")
THINGS = ("hiking", "jazz", "chess", "pottery", "sushi", "tennis", "crosswords", "baking", "opera")
TOWNS = ("杭州", "成都", "青岛", "苏州", "厦门", "西安", "昆明", "大连")
HOBBIES = ("爬山", "下棋", "游泳", "摄影", "书法", "钓鱼", "做饭", "跑步")

ENGLISH = (
    "I have a colleague called {name} who lives in {city}.",
    "My friend {name} works at {firm}.",
    "{name} likes {thing}.",
    "I visited {city} with {name} in {year}.",
    "We paid {money} euros for the {thing} course.",
    "The code for the {thing} locker is {code}.",
    "Dinner with {name} on {day} at {hour}:30.",
    "{name}'s number is 555-{code}.",
    "I really enjoy {thing} these days.",
    "The {thing} club meets in {city} at {hour} o'clock.",
    "I think {name} mentioned the {thing} evening in {city} again.",
    "Can you find me a good {thing} book?",
    "Bought new {thing} gear for {money} euros.",
    "{name} moved to {city} in {year}.",
)
CHINESE = (
    "我朋友{name}在{市}上班。",
    "我{year}年去过{市}。",
    "{name}喜欢{趣}。",
    "我最近迷上了{趣}。",
    "{趣}班一节课{money}元。",
    "储物柜的密码是{code}。",
    "周{日}晚上{hour}点和{name}吃饭。",
    "你觉得{趣}难不难?",
)
DAYS = ("Monday", "Tuesday", "Friday", "Sunday", "12 May", "3 June", "21 October")
START = datetime(2020, 1, 1, 8, tzinfo=UTC)


def conversation(count: int, *, seed: int = 7, start: int = 0) -> Iterator[Message]:
    """`count` messages, twenty a day, nine of ten English; the same for the same seed."""
    draw = random.Random(f"{seed}-{start}")  # noqa: S311 - lifelike, not secret
    for number in range(start, start + count):
        chinese = draw.random() < 0.1
        pattern = draw.choice(CHINESE if chinese else ENGLISH)
        yield Message(
            text=pattern.format(
                name=f"{draw.choice(NAMES)}{draw.randrange(400)}",
                city=draw.choice(CITIES),
                firm=draw.choice(FIRMS),
                thing=draw.choice(THINGS),
                year=draw.randrange(1990, 2025),
                money=draw.randrange(5, 900),
                code=f"{number:05}",
                day=draw.choice(DAYS),
                hour=draw.randrange(6, 11),
                市=draw.choice(TOWNS),
                趣=draw.choice(HOBBIES),
                日=draw.choice("一二三四五六日"),
            ),
            speaker=PEOPLE[-1] if chinese else draw.choice(PEOPLE[:6]),
            said_at=START + timedelta(minutes=72 * number),
            conversation=f"day-{number // 20}",
            source="bench",
        )


def questions(count: int, *, seed: int = 11) -> list[str]:
    """Questions such as people ask of that household."""
    draw = random.Random(seed)  # noqa: S311 - lifelike, not secret
    made = []
    for _ in range(count):
        name = f"{draw.choice(NAMES)}{draw.randrange(400)}"
        made.append(
            draw.choice(
                (
                    f"Where does {name} live?",
                    f"What does {name} like?",
                    f"What is {name}'s number?",
                    f"Who works at {draw.choice(FIRMS)}?",
                    f"When did I visit {draw.choice(CITIES)}?",
                    f"How much was the {draw.choice(THINGS)} course?",
                    f"谁喜欢{draw.choice(HOBBIES)}?",
                    f"我什么时候去过{draw.choice(TOWNS)}?",
                )
            )
        )
    return made
