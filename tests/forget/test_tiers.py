"""How facts fade: pure, so any fact at any time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.forget.tiers import ARCHIVE_BELOW, is_core, resting_tier, score, tier_of
from graphmem.forget.upkeep import tended
from graphmem.model import Fact, State, Tier
from graphmem.when import When

NOW = datetime(2026, 1, 1, tzinfo=UTC)
AGES = st.timedeltas(min_value=timedelta(), max_value=timedelta(days=4000))


@st.composite
def facts(draw: st.DrawFn) -> Fact:
    recorded = NOW - draw(AGES)
    confirmed = draw(st.none() | st.timedeltas(timedelta(), NOW - recorded).map(lambda d: NOW - d))
    end = draw(st.none() | st.timedeltas(timedelta(days=-900), timedelta(days=900)))
    return Fact(
        id="f1", entity="Ana", entity_id="e1", predicate="likes", object="jazz", text="I like jazz.",
        said_at=recorded - draw(AGES),
        recorded_at=recorded,
        confirmed_at=confirmed,
        importance=draw(st.integers(1, 5)),
        pinned=draw(st.booleans()),
        slot=draw(st.sampled_from([None, None, "home"])),
        state=draw(st.sampled_from(State)),
        tier=draw(st.sampled_from(Tier)),
        expires_at=None if end is None else When.of(NOW + end),
    )  # fmt: skip


def after(fact: Fact, now: datetime) -> Fact:
    op = tended(fact, now=now)
    return fact if op is None else replace(fact, **op.after)


def plain(**values: object) -> Fact:
    return Fact(
        **{  # type: ignore[arg-type]
            "id": "f1", "entity": "Ana", "entity_id": "e1", "predicate": "likes", "object": "jazz",
            "text": "I like jazz.", "said_at": NOW, "recorded_at": NOW, **values,
        }
    )  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(facts())
def test_what_is_core_never_fades(fact: Fact) -> None:
    core = (
        fact.pinned or fact.importance == 5 or (fact.slot and fact.state in {"current", "unsure"})
    )
    assert is_core(fact) == bool(core)
    if core and fact.state is not State.ARCHIVED:
        assert tier_of(fact, now=NOW) is Tier.CORE
        assert after(fact, NOW).state is not State.ARCHIVED


@settings(max_examples=300, deadline=None)
@given(facts())
def test_upkeep_is_idempotent_and_takes_only_allowed_ways(fact: Fact) -> None:
    tended_once = after(fact, NOW)
    assert tended(tended_once, now=NOW) is None
    way = (fact.state, tended_once.state)
    if way[0] is not way[1]:
        assert way[0] in {State.CURRENT, State.UNSURE}
        assert way[1] in {State.EXPIRED, State.ARCHIVED}
    assert (tended_once.state is State.ARCHIVED) == (tended_once.tier is Tier.ARCHIVED)
    if fact.expires_at is not None and fact.expires_at.end <= NOW:
        assert tended_once.state not in {State.CURRENT, State.UNSURE}


@settings(max_examples=300, deadline=None)
@given(facts(), AGES)
def test_the_score_only_falls_and_only_confirming_lifts_it(fact: Fact, later: timedelta) -> None:
    assert 0 <= score(fact, now=NOW + later) <= score(fact, now=NOW) <= fact.importance
    confirmed = replace(fact, confirmed_at=NOW)
    assert score(confirmed, now=NOW) == fact.importance
    moved = replace(fact, tier=Tier.LONG_TERM, state=State.UNSURE, confidence=0.1)
    assert score(moved, now=NOW) == score(fact, now=NOW)


@settings(max_examples=300, deadline=None)
@given(facts(), AGES)
def test_when_it_was_said_does_not_bury_it(fact: Fact, older: timedelta) -> None:
    assert score(replace(fact, said_at=fact.said_at - older), now=NOW) == score(fact, now=NOW)


def test_an_old_chat_imported_today_is_long_term_and_fades_from_today() -> None:
    old = plain(said_at=NOW - timedelta(days=1200))
    assert tier_of(old, now=NOW) is Tier.LONG_TERM
    assert tier_of(old, now=NOW + timedelta(days=66)) is Tier.LONG_TERM
    assert tier_of(old, now=NOW + timedelta(days=67)) is Tier.ARCHIVED


def test_the_days_until_archived_by_importance() -> None:
    days = {}
    for importance in (1, 2, 3, 4):
        one = plain(importance=importance)
        days[importance] = next(
            day
            for day in range(200)
            if tier_of(one, now=NOW + timedelta(days=day)) is Tier.ARCHIVED
        )
        assert score(one, now=NOW + timedelta(days=days[importance])) < ARCHIVE_BELOW
    assert days == {1: 45, 2: 59, 3: 67, 4: 72}


def test_a_week_of_working_memory_then_long_term() -> None:
    one = plain()
    week = timedelta(days=7)
    assert tier_of(one, now=NOW + week - timedelta(seconds=1)) is Tier.WORKING
    assert tier_of(one, now=NOW + week) is Tier.LONG_TERM


def test_history_is_not_archived() -> None:
    past = plain(state=State.HISTORICAL, slot="home")
    later = after(past, NOW + timedelta(days=999))
    assert (later.state, later.tier) == (State.HISTORICAL, Tier.LONG_TERM)
    assert resting_tier(plain(state=State.ARCHIVED), now=NOW) is Tier.ARCHIVED
