"""Two years of a person's life at 20 messages a day: what fades, what stays, what speaks up.

Each sentence is read once by the real extractors; then the two years are played with the pure rules of
graphmem.forget and graphmem.remind, upkeep once a day, reminders asked for at eight random times between 7 and
23 o'clock while the machine is on. The same seed gives the same life. Writes the tables of docs/simulation.md:

    python tools/simulate.py > docs/simulation.md
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from graphmem import Message
from graphmem.forget.tiers import stood
from graphmem.forget.upkeep import tended
from graphmem.model import Fact, State, Tier, Trigger
from graphmem.remind.schedule import due
from graphmem.testing import FixedClock, temporary_memory
from graphmem.when import When

DAYS, A_DAY = 730, 20
SEED = 20260101
ZONE = ZoneInfo("Europe/Paris")
START = datetime(2026, 1, 1, 12, tzinfo=ZONE)
HOURS = {"morning": time(9), "after_work": time(18), "bedtime": time(22, 30)}
OFF_EVERY = 60  # days; the machine is then off for three


@dataclass(frozen=True)
class Kind:
    """A kind of thing that people say: a sentence per language, and when it is said.

    `share` is its part of the daily talk; `again` the days after which each is said again; `on` the days
    on which it is said instead. `pinned`: the owner pins it.
    """

    name: str
    english: str
    chinese: str
    share: float = 0.0
    again: int = 0
    on: tuple[int, ...] = ()
    pinned: bool = False


KINDS = (
    Kind("small preference, said once", "I like jazz.", "我喜欢爵士乐。", share=0.6),
    Kind("what happened", "I bought a green lamp in Lisbon.", "我在里斯本买了一盏绿灯。", share=0.25),
    Kind("appointment tomorrow", "I have a dentist appointment tomorrow at 3 pm.", "我明天下午3点去看牙医。", share=0.15),
    Kind("habit, said again every month", "I drink green tea every morning.", "我每天早上喝绿茶。", on=(3,), again=30),
    Kind("habit, said again every 90 days", "I play tennis.", "我打网球。", on=(4,), again=90),
    Kind("home (a slot)", "I live in Paris.", "我住在巴黎。", on=(0,)),
    Kind("allergy (importance 5)", "I am allergic to peanuts.", "我对花生过敏。", on=(5,)),
    Kind("pinned by the owner", "I like my grandmother's blue teapot.", "我喜欢奶奶的蓝茶壶。", on=(6,), pinned=True),
)  # fmt: skip

WISHES = (
    Kind("once, at a time", "Remind me tomorrow at 5 pm to call Ben.", "提醒我明天下午5点给小本打电话。", on=tuple(range(2, 700, 9))),
    Kind("once, on a date", "Remind me tomorrow to pay the rent.", "提醒我明天交房租。", on=tuple(range(5, 700, 31))),
    Kind("a routine moment", "When I get off work, buy milk.", "下班买牛奶。", on=tuple(range(7, 700, 12))),
    Kind("every Monday at 8", "Remind me every Monday at 8 am to put the bins out.", "每周一早上8点提醒我倒垃圾。", on=(1,)),
    Kind("every other Friday", "Remind me every other Friday to water the cactus.", "每隔一周的周五提醒我浇花。", on=(1,)),
)  # fmt: skip


@dataclass
class Life:
    """Everything that was said, and everything that was told."""

    facts: dict[str, list[Fact]] = field(default_factory=dict)
    triggers: dict[str, list[Trigger]] = field(default_factory=dict)
    told: dict[str, Counter[str]] = field(default_factory=dict)
    moments: list[tuple[str, datetime]] = field(default_factory=list)


def read(language: str) -> tuple[Mapping[str, Fact], Mapping[str, Trigger]]:
    """What the extractors read in each sentence, said at the start."""
    facts: dict[str, Fact] = {}
    triggers: dict[str, Trigger] = {}
    with temporary_memory(FixedClock(START), config={"timezone": "Europe/Paris"}) as memory:
        for kind in (*KINDS, *WISHES):
            text = kind.english if language == "en" else kind.chinese
            receipt = memory.add(Message(text=text, speaker="Ana", said_at=START))
            if kind in WISHES:
                (triggers[kind.name],) = receipt.reminders
            else:
                facts[kind.name] = (*receipt.facts, *receipt.notes)[0]
    return facts, triggers


def played(language: str) -> Life:
    """Two years, day by day."""
    facts, triggers = read(language)
    dice, life = random.Random(SEED), Life()  # noqa: S311 - a life, no secret
    live: list[tuple[str, Fact]] = []
    told: dict[str, Trigger] = {}
    for kind in WISHES:
        life.triggers[kind.name], life.told[kind.name] = [], Counter()
    for day in range(DAYS):
        now = _at(day, time(12))
        for name, fact in _said(dice, day, facts, live, life.facts):
            live.append((name, _shifted(fact, day, len(live))))
        for kind in WISHES:
            if day in kind.on:
                one = _wish(triggers[kind.name], day)
                life.triggers[kind.name].append(one)
                told[one.id] = one
        live = [(name, _tended(fact, now)) for name, fact in live]
        for name, fact in [
            each for each in live if each[1].state not in {State.CURRENT, State.UNSURE}
        ]:
            life.facts.setdefault(name, []).append(fact)
        live = [each for each in live if each[1].state in {State.CURRENT, State.UNSURE}]
        if day % OFF_EVERY not in {0, 1, 2}:
            for hour in sorted(dice.sample(range(7 * 60, 23 * 60), 8)):
                _ask(life, told, _at(day, time(hour // 60, hour % 60)))
    end = _at(DAYS, time(12))
    for name, fact in live:
        life.facts.setdefault(name, []).append(stood(fact, now=end))
    return life


def _said(
    dice: random.Random,
    day: int,
    facts: Mapping[str, Fact],
    live: list[tuple[str, Fact]],
    archived: dict[str, list[Fact]],
) -> Iterator[tuple[str, Fact]]:
    daily = [kind for kind in KINDS if kind.share]
    special = [kind for kind in KINDS if day in kind.on]
    for kind in special:
        yield kind.name, replace(facts[kind.name], pinned=kind.pinned)
    for _ in range(A_DAY - len(special)):
        name = dice.choices(daily, [kind.share for kind in daily])[0].name
        yield name, facts[name]
    for kind in KINDS:
        if kind.again and day > kind.on[0] and (day - kind.on[0]) % kind.again == 0:
            spoken = {"confirmed_at": _at(day, time(12)), "state": State.CURRENT}
            for at, (name, fact) in enumerate(live):
                if name == kind.name:
                    live[at] = (name, replace(fact, **spoken))
            live += [(kind.name, replace(fact, **spoken)) for fact in archived.pop(kind.name, ())]


def _shifted(fact: Fact, day: int, number: int) -> Fact:
    now = _at(day, time(12))
    end = fact.expires_at
    if end is not None:
        end = When.of(_at(day, time(0)) + (end.end - _at(0, time(0))))
    return replace(
        fact, id=f"{fact.id}-{day}-{number}", said_at=now, recorded_at=now, expires_at=end
    )


def _wish(one: Trigger, day: int) -> Trigger:
    at = one.at
    if at is not None:
        wall = at.start.astimezone(ZONE)
        moved = datetime.combine(wall.date() + timedelta(days=day), wall.timetz())
        at = When.of(moved) if at.precision == "instant" else When.day(moved)
    return replace(one, id=f"{one.id}-{day}", at=at, created_at=_at(day, time(12)))


def _tended(fact: Fact, now: datetime) -> Fact:
    op = tended(fact, now=now)
    return fact if op is None else replace(fact, **op.after)


def _ask(life: Life, told: dict[str, Trigger], now: datetime) -> None:
    names = {one.id: name for name, made in life.triggers.items() for one in made}
    for one in list(told.values()):
        found = due(one, now=now, zone=ZONE, hours=HOURS)
        if found is None:
            continue
        told[one.id] = replace(one, fired_at=found.at)
        life.told[names[one.id]]["late" if found.late else "on time"] += 1
        life.moments.append((one.id, found.at.astimezone(UTC)))
        if one.rule is None:
            del told[one.id]


def _at(day: int, hour: time) -> datetime:
    return datetime.combine(START.date() + timedelta(days=day), hour, ZONE)


def tables(lives: Mapping[str, Life]) -> str:
    """The tables of docs/simulation.md."""
    lines = [
        "| what was said | language | facts | current | of these core | archived | expired |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for kind in KINDS:
        for language, life in lives.items():
            found = life.facts[kind.name]
            states = Counter(fact.state for fact in found)
            core = sum(fact.tier is Tier.CORE and fact.state is State.CURRENT for fact in found)
            lines.append(
                f"| {kind.name} | {language} | {len(found)} | {states[State.CURRENT]} | {core} "
                f"| {states[State.ARCHIVED]} | {states[State.EXPIRED]} |"
            )
    lines += [
        "",
        "| reminder | language | made | told on time | told late | told twice |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for kind in WISHES:
        for language, life in lives.items():
            told = life.told[kind.name]
            ids = {one.id for one in life.triggers[kind.name]}
            moments = [each for each in life.moments if each[0] in ids]
            twice = len(moments) - len(set(moments))
            lines.append(
                f"| {kind.name} | {language} | {len(ids)} | {told['on time']} | {told['late']} | {twice} |"
            )
    return "\n".join(lines)


DOCUMENT = """\
# Two years in the life of a memory

Written by `tools/simulate.py` and checked by `tests/forget/test_simulation.py`: two years from 1 January 2026 in
Paris at 20 messages a day, in English and in Chinese. Each sentence is read by the extractors; upkeep runs once
a day; reminders are asked for at eight random times between 7 and 23 o'clock (a clock time is told late after an
hour, a date or routine moment on the next day); every 60 days the machine is off for three days.

{tables}

- A fact of importance 3 that is said once fades after 67 days and is archived: found when asked for, brought back
  by confirming it or saying it again. What is said again every month stays; every 90 days is too seldom, so it is
  archived in between and comes back when it is said (at the end it was said lately).
- What fills a slot, has importance 5 or is pinned never fades.
- An appointment expires at its end. What is current at the end was said in the last 67 days, or is still ahead.
- Every reminder is told, none twice. Of several missed moments of a repeat only the latest is told.
"""


def document() -> str:
    """The whole of docs/simulation.md."""
    return DOCUMENT.format(tables=tables({"en": played("en"), "zh": played("zh")}))


if __name__ == "__main__":
    print(document(), end="")
