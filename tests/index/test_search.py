from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import numpy as np
import pytest
from index_world import NOW, days, fact, said

from graphmem import plan as ops
from graphmem.errors import MemoryUnwritable
from graphmem.model import State, Tier, When, Worth
from graphmem.protocols import Filter
from graphmem.when import Interval
from graphmem.words import terms


def states(world, *numbers, now=None):
    return [p.state for p in world.index.passages(numbers, only=Filter(now=now))]


def test_a_statement_is_found_by_word_and_by_meaning(world):
    world.say("s1", "I drive a green Honda")
    world.say("s2", "我对花生过敏")
    assert world.by_word(*terms("hondas")) == ["I drive a green Honda"]
    assert world.by_word("花生") == ["我对花生过敏"]
    assert world.close_to("honda green") == ["I drive a green Honda"]
    assert world.index.size() == 2


def test_speaker_and_day_are_terms_too(world):
    world.say("s1", "hello there", said_at=NOW, speaker="Zoë")
    for question in ("Zoe", "2025-03-01", "March", "3月", "三月", "2025年3月1号"):
        assert world.by_word(*terms(question)) == ["hello there"], question


def test_a_code_is_found_whole_and_hostile_terms_do_no_harm(world):
    world.say("s1", 'the server is 192.0.2.44, o\'Brien said "NEAR(a b)" AND c++')
    assert world.by_word("192.0.2.44")
    assert world.by_word("c++")
    assert world.by_word(*terms("O'Brien"))
    for hostile in ('"', "a b", "NEAR(", "*", "said:", "-", "\x00", "", "\ud800", "'); DROP TABLE"):
        world.by_word(hostile)
    assert world.index.keywords([], limit=5) == []
    assert world.index.keywords(["brien"], limit=0) == []


def test_passages_come_back_whole(world):
    meeting = When("2025-03-09", 60)
    world.say(
        "s1",
        "I meet Bo on Sunday",
        fact("f1", "s1", "I meet Bo on Sunday", happens_at=meeting, importance=4),
        role="user",
        source="chat.json",
        language="en",
    )
    (passage,) = world.index.passages([1])
    assert passage.fact_ids == ("f1",)
    assert passage.entity_ids == ("ana", "object-f1")
    assert passage.happens == meeting.interval
    assert (passage.said_at, passage.recorded_at) == (NOW, NOW)
    assert (passage.source, passage.conversation, passage.order) == ("chat.json", "chat", 1)
    assert (passage.importance, passage.state, passage.worth) == (
        4,
        State.CURRENT,
        Worth.STATEMENT,
    )
    assert world.index.passages([7, 1, 1])[0].n == 1
    assert world.index.of_facts(["f1", "none"]) == {"f1": 1}


def test_a_long_text_is_cut_and_each_fact_has_its_passage(world):
    first = "I like tea. " + "Nothing to see here, really. " * 12
    last = "My locker is number 12. " + "And so it went on. " * 12
    world.say(
        "s1",
        first + last,
        fact("f1", "s1", "I like tea."),
        fact("f2", "s1", "My locker is number 12."),
    )
    assert world.index.size() > 1
    places = world.index.of_facts(["f1", "f2"])
    assert places["f1"] == 1
    assert "locker" in world.index.passages([places["f2"]])[0].text


def test_the_best_state_of_its_facts_is_the_passages_state(world):
    world.say(
        "s1",
        "I sold my car and like tea",
        fact("f1", "s1", "I sold my car", state=State.HISTORICAL),
        fact("f2", "s1", "like tea"),
    )
    assert states(world, 1) == [State.CURRENT]
    for state in (State.UNSURE, State.HISTORICAL, State.EXPIRED, State.ARCHIVED):
        world.set("f2", state=state)
        assert states(world, 1) == [min(state, State.HISTORICAL, key=list(State).index)]
    assert world.by_word("tea", only=Filter(states=frozenset({State.CURRENT}))) == []
    assert world.by_word("tea", only=Filter(states=frozenset({State.HISTORICAL})))


def test_a_replaced_statement_is_not_served_as_current(world):
    world.say("s1", "I live in London", fact("f1", "s1", "I live in London"))
    world.say("s2", "I live in Paris", fact("f2", "s2", "I live in Paris"))
    world.set("f1", state=State.HISTORICAL)
    current = Filter(states=frozenset({State.CURRENT}))
    assert world.by_word("london", only=current) == []
    assert world.close_to("live London", only=current) == ["I live in Paris"]
    assert world.close_to("live London")[0] == "I live in London"


def test_what_has_expired_since_was_current_before_its_end(world):
    ends = When.of(days(1))
    told = fact("f1", "s1", "meeting tomorrow", expires_at=ends, state=State.EXPIRED)
    world.say("s1", "meeting tomorrow", told)
    current = frozenset({State.CURRENT})
    assert states(world, 1) == [State.EXPIRED]
    assert states(world, 1, now=NOW) == [State.CURRENT]
    assert states(world, 1, now=days(2)) == [State.EXPIRED]
    assert world.by_word("meet", only=Filter(states=current, now=NOW))


def test_what_has_expired_counts_as_expired_without_upkeep(world):
    ends = When.of(days(1))
    world.say("s1", "meeting tomorrow", fact("f1", "s1", "meeting tomorrow", expires_at=ends))
    current = frozenset({State.CURRENT})
    assert states(world, 1, now=NOW) == [State.CURRENT]
    assert states(world, 1, now=days(2)) == [State.EXPIRED]
    for search in (
        lambda only: world.by_word("meet", only=only),
        lambda only: world.close_to("meeting", only=only),
    ):
        assert search(Filter(states=current, now=NOW))
        assert not search(Filter(states=current, now=days(2)))
        assert search(Filter(states=frozenset({State.EXPIRED}), now=days(2)))
    assert world.index.passages([1])[0].expires_at == ends.end


def test_an_expiry_leaves_the_other_facts_standing(world):
    world.say(
        "s1",
        "meeting tomorrow, I may like tea",
        fact("f1", "s1", "meeting tomorrow", expires_at=When.of(days(1))),
        fact("f2", "s1", "I may like tea", state=State.UNSURE),
    )
    assert states(world, 1, now=days(2)) == [State.UNSURE]
    assert world.index.passages([1])[0].expires_at is None


@pytest.mark.parametrize(
    ("only", "found"),
    [
        (Filter(), {1, 2, 3}),
        (Filter(speakers=frozenset({"Bo"})), {2}),
        (Filter(sources=frozenset({"x.json"})), {3}),
        (Filter(worths=frozenset({Worth.QUESTION})), {2}),
        (Filter(said=Interval(days(1), None)), {2, 3}),
        (Filter(said=Interval(days(1), days(2))), {2}),
        (Filter(entities=frozenset({"bo"})), {1}),
        (Filter(entities=frozenset({"object-f1"})), {1}),
        (Filter(entities=frozenset({"bo"}), predicates=frozenset({"owns"})), set()),
        (Filter(predicates=frozenset({"owns"})), {1}),
        (Filter(tiers=frozenset({"core"})), {1}),
        (Filter(happens=Interval(days(4), days(6))), {1}),
        (Filter(happens=Interval(days(6), None)), set()),
        (Filter(states=frozenset({State.ARCHIVED})), set()),
        (Filter(reader="tv"), {1, 2}),
        (Filter(reader="phone"), {1, 2, 3}),
    ],
)
def test_filters_hold_inside_every_search(world, only, found):
    world.say(
        "s1",
        "tea is fine",
        fact(
            "f1", "s1", "tea is fine", entity_id="bo", tier=Tier.CORE, happens_at=When.of(days(5))
        ),
        fact("f2", "s1", "tea", predicate="owns"),
    )
    world.say("s2", "tea now?", speaker="Bo", worth=Worth.QUESTION, said_at=days(1))
    world.say("s3", "more tea", said_at=days(3), source="x.json", readers=("phone", "t"))
    everything = [1, 2, 3]
    assert {n for n, _ in world.index.keywords(["tea"], limit=9, only=only)} == found
    vector = world.embedder.questions(["tea"])[0]
    assert {n for n, _ in world.index.nearest(vector, limit=9, only=only)} == found
    assert {p.n for p in world.index.passages(everything, only=only)} == found
    around = set(world.index.neighbours(2, reach=5, only=only))
    assert around == found - {2}
    if 1 not in found:
        assert world.index.happening(Interval(), limit=9, only=only) == []
        assert world.index.of_facts(["f1"], only=only) == {}


def test_a_limited_fact_limits_its_text(world):
    world.say("s1", "tea and gin", fact("f1", "s1", "gin"), readers=("tv", "phone"))
    assert world.by_word("gin", only=Filter(reader="tv"))
    world.set("f1", readers=("phone",))
    assert not world.by_word("gin", only=Filter(reader="tv"))
    assert world.by_word("gin", only=Filter(reader="phone"))
    world.set("f1", readers=("watch",))
    for reader in ("tv", "phone", "watch", ""):
        if reader:
            assert not world.by_word("gin", only=Filter(reader=reader))
    assert world.by_word("gin")


def test_neighbours_are_those_of_the_conversation(world):
    for at in range(5):
        world.say(f"s{at}", f"line {at}", conversation="one")
        world.say(f"t{at}", f"other {at}", conversation="two")
    middle = world.index.keywords(["2"], limit=1)[0][0]
    around = world.texts(world.index.neighbours(middle, reach=2))
    assert around == ["line 1", "line 3", "line 0", "line 4"]
    assert world.index.neighbours(999) == []
    both = world.index.beside([middle, 999, middle + 1], reach=2)
    one_by_one = [n for m in (middle, middle + 1) for n in world.index.neighbours(m, reach=2)]
    assert both == list(dict.fromkeys(one_by_one))


def test_what_happens_in_a_window_comes_earliest_first(world):
    for at, day in ((1, 5), (2, 2), (3, 9)):
        world.say(
            f"s{at}",
            f"event {at}",
            fact(f"f{at}", f"s{at}", f"event {at}", happens_at=When.of(days(day))),
        )
    assert world.index.happening(Interval(days(1), days(6)), limit=9) == [2, 1]
    assert world.index.happening(Interval(days(1), days(6)), limit=1) == [2]
    assert world.index.happening(Interval(None, days(3)), limit=9) == [2]


def test_a_second_piece_of_evidence_shares_the_facts_standing(world):
    world.say("s1", "I live in London", fact("f1", "s1", "I live in London"))
    world.say("s2", "London is where I live")
    world.apply(ops.AddEvidence("f1", "s2"))
    world.set("f1", state=State.HISTORICAL)
    assert states(world, 1, 2) == [State.HISTORICAL] * 2
    assert world.index.of_facts(["f1"]) == {"f1": 1}
    world.apply(ops.RemoveEvidence("f1", "s1"), ops.RemoveSnapshot("s1"))
    assert world.index.of_facts(["f1"]) == {"f1": 2}
    assert world.index.check(world.store).findings == ()


def test_a_batch_of_events_embeds_in_one_call(world):
    events = []
    for at in range(20):
        snapshot = ops.AddSnapshot(said(f"s{at}", f"statement {at}"))
        events.append(world.store.apply(ops.Plan(kind="add", at=NOW, ops=(snapshot,))))
    before = world.embedder.calls
    world.index.update(events, world.store)
    assert world.embedder.calls == before + 1
    world.index.update(events, world.store)
    assert world.index.size() == 20


def test_missed_events_are_fetched(world):
    for at in range(3):
        plan = ops.Plan(kind="add", at=NOW, ops=(ops.AddSnapshot(said(f"s{at}", f"word {at}")),))
        last = world.store.apply(plan)
    world.index.update([last], world.store)
    assert world.index.size() == 3


def test_frequencies_and_vectors(world):
    world.say("s1", "green tea")
    world.say("s2", "black tea")
    assert world.index.frequencies(["tea", "green", "gin"]) == {"tea": 2, "green": 1, "gin": 0}
    rows = world.index.vectors([2, 1, 99])
    assert np.allclose(rows[1], world.embedder.passages(["green tea"])[0], atol=1e-3)
    assert not rows[2].any()


def test_an_undone_statement_is_gone(world):
    world.say("s1", "I like tea", fact("f1", "s1", "I like tea"))
    world.apply(ops.RemoveFact("f1"), ops.RemoveSnapshot("s1"), kind="undo")
    assert world.index.size() == 0
    assert world.by_word("tea") == []
    assert world.close_to("tea") == []


def test_threads_may_share_it(world):
    def work(at):
        if at % 4 == 0:
            world.by_word("tea")
            world.close_to("tea")
        return world.index.size()

    world.say("s0", "tea zero")
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(work, at) for at in range(60)]
        for at in range(1, 20):
            world.say(f"s{at}", f"tea {at}", said_at=NOW + timedelta(minutes=at))
        assert max(job.result() for job in jobs) <= 20
    assert world.index.check(world.store).findings == ()


def test_use_after_close_says_so(world):
    world.index.close()
    world.index.close()
    with pytest.raises(MemoryUnwritable, match="closed"):
        world.index.size()
