"""The whole life cycle on a real memory against an oracle in plain dictionaries."""

from __future__ import annotations

import copy
import shutil
import sqlite3
import tempfile
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from facts import DAY
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from graphmem import Memory, Message
from graphmem.errors import NothingToUndo, TransitionRefused
from graphmem.lifecycle.review import conflict_id
from graphmem.model import Decision, Kind, State
from graphmem.testing import FixedClock, TinyEmbedder
from graphmem.words import terms

CITIES = (
    "Aberdeen", "Bergamo", "Cordoba", "Dresden", "Eindhoven", "Ferrara", "Gdansk", "Haarlem", "Innsbruck", "Jyvaskyla",
    "Krakow", "Lausanne", "Mannheim", "Nantes", "Odense", "Palermo", "Quimper", "Ravenna", "Salzburg", "Tromso",
)  # fmt: skip
LIVE = {State.CURRENT, State.UNSURE}


def stem_of(word):
    """The term under which the keyword index knows a word."""
    return terms(word, "en")[0]


class Oracle:
    """What the memory should hold: states, successors, open conflicts, and what the owner vouched for."""

    def __init__(self):
        self.state: dict[str, State] = {}
        self.successor: dict[str, str | None] = {}
        self.open: dict[str, tuple[str, str]] = {}
        self.vouched: set[str] = set()
        self.claims: set[str] = set()
        self.slot: dict[str, str | None] = {}
        self.ends: dict[str, datetime] = {}  # when a fact is over by itself
        self.pinned: set[str] = set()

    def learn(self, receipt):
        self.claims |= {fact.id for fact in receipt.facts if fact.expires_at is None}
        self.ends |= {
            fact.id: fact.expires_at.end for fact in receipt.facts if fact.expires_at is not None
        }
        for fact in (*receipt.facts, *receipt.notes):
            self.state[fact.id] = fact.state
            self.slot[fact.id] = fact.slot
            self.successor[fact.id] = None
        for conflict in receipt.conflicts:
            self.open[conflict.id] = (conflict.old.id, conflict.new.id)
            if self.state[conflict.old.id] is State.CURRENT:
                self.state[conflict.old.id] = State.UNSURE

    def retire(self, old, new):
        if self.state[old] is not State.HISTORICAL:
            self.state[old] = State.HISTORICAL
        if new and self.successor[old] is None and old != new and self.successor[new] != old:
            self.successor[old] = new

    def certain_again(self, old):
        if self.state[old] is State.UNSURE and all(pair[0] != old for pair in self.open.values()):
            self.state[old] = State.CURRENT

    def remove(self, gone, heir=None):
        heir = heir or self.successor[gone]
        for before, after in self.successor.items():
            if after == gone:
                self.successor[before] = heir if heir != before else None
        freed = [pair[0] for pair in self.open.values() if pair[1] == gone]
        newer = [pair[1] for pair in self.open.values() if pair[0] == gone]
        self.open = {id_: pair for id_, pair in self.open.items() if gone not in pair}
        for old in freed:
            self.passed_on(old, newer)
            self.certain_again(old)
        del self.state[gone], self.successor[gone]
        self.ends.pop(gone, None)
        self.pinned.discard(gone)

    def passed_on(self, old, newer):
        """A filler of the slot that was doubted by what is gone is doubted by what doubted that."""
        for new in newer:
            same = self.slot[old] is not None and self.slot[old] == self.slot[new]
            if same and self.state[new] in LIVE:
                self.open[conflict_id(old, new)] = (old, new)

    def expire(self, over):
        for id_ in over:
            if self.state.get(id_) in LIVE:
                self.state[id_] = State.EXPIRED


class LifeCycle(RuleBasedStateMachine):
    facts = Bundle("facts")

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="life-"))
        self.clock = FixedClock(DAY)
        self.oracle = Oracle()
        self.past: list[Oracle | None] = []  # before each event; None: a deletion
        self.unused = list(CITIES)
        self.gone: list[str] = []
        self.taken_away = False
        self.memory = self.opened()

    def opened(self):
        return Memory.open(self.folder / "memory", clock=self.clock, embedder=TinyEmbedder())

    def teardown(self):
        self.memory.close()
        shutil.rmtree(self.folder)

    def happens(self, *, deletes=False):
        """An event is about to be written: remember what was, and let time pass."""
        self.past.append(None if deletes else copy.deepcopy(self.oracle))
        self.taken_away = self.taken_away or deletes
        self.clock.advance(timedelta(minutes=1))

    def say(self, text):
        return self.memory.add(Message(text=text, speaker="Ana", said_at=self.clock.now()))

    def known(self, fact_id):
        return fact_id in self.oracle.state

    # --- what happens ------------------------------------------------------------------------------

    @precondition(lambda self: self.unused)
    @rule(target=facts, form=st.sampled_from(["I live in {}.", "I moved to {} for good."]))
    def adds(self, form):
        self.happens()
        receipt = self.say(form.format(self.unused.pop()))
        self.oracle.learn(receipt)
        return (*receipt.facts, *receipt.notes)[0].id

    @precondition(lambda self: self.unused)
    @rule(target=facts)
    def tells_of_an_event(self):
        self.happens()
        receipt = self.say(f"The exhibition in {self.unused.pop()} opens tomorrow.")
        self.oracle.learn(receipt)
        return (*receipt.facts, *receipt.notes)[0].id

    @rule()
    def time_passes(self):
        self.clock.advance(timedelta(days=3))
        self.memory.tend()
        now = self.clock.now()
        over = {
            id_
            for id_, end in self.oracle.ends.items()
            if end <= now and self.oracle.state[id_] in LIVE
        }
        for each in (self.oracle, *self.past):
            if each is not None:  # upkeep is no event that undo takes back
                each.expire(over)

    @rule(fact=facts, pinned=st.booleans())
    def pins(self, fact, pinned):
        if not self.known(fact) or (fact in self.oracle.pinned) is pinned:
            return
        self.happens()
        self.memory.pin(fact, pinned=pinned)
        (self.oracle.pinned.add if pinned else self.oracle.pinned.discard)(fact)

    @rule(fact=facts)
    def says_again(self, fact):
        if not self.known(fact) or self.oracle.state[fact] is not State.CURRENT:
            return
        if "tomorrow" in self.memory.fact(fact).text:
            return  # it is of another day by now
        self.happens()
        receipt = self.say(self.memory.fact(fact).text)
        assert fact in {merged.id for merged in receipt.merged}
        self.oracle.learn(receipt)

    @precondition(lambda self: self.oracle.open)
    @rule(decision=st.sampled_from(list(Decision)), which=st.integers(0, 99))
    def decides(self, decision, which):
        conflict = sorted(self.oracle.open)[which % len(self.oracle.open)]
        old, new = self.oracle.open[conflict]
        deletes = decision in {Decision.REPLACE_OLDER, Decision.DISCARD_NEWER}
        gone = {Decision.REPLACE_OLDER: old, Decision.DISCARD_NEWER: new}.get(decision)
        if gone:
            self.gone.append(self.memory.fact(gone).text)
        self.happens(deletes=deletes)
        self.memory.resolve(conflict, decision)
        oracle = self.oracle
        if gone:
            oracle.remove(gone, heir=new if gone == old else None)
            return
        del oracle.open[conflict]
        if decision is Decision.KEEP_BOTH:
            oracle.vouched |= {old, new}
            oracle.certain_again(old)
        else:
            oracle.retire(old, new)
        self.memory.resolve(conflict, decision)  # twice is harmless

    @precondition(lambda self: self.unused)
    @rule(target=facts, fact=facts)
    def updates(self, fact):
        if not self.known(fact) or self.oracle.state[fact] not in LIVE:
            return fact
        self.happens()
        receipt = self.memory.update(fact, f"I live in {self.unused.pop()}.")
        [new] = (*receipt.facts, *receipt.notes)
        oracle = self.oracle
        oracle.state[new.id], oracle.successor[new.id] = State.CURRENT, None
        oracle.slot[new.id] = new.slot
        oracle.vouched.add(new.id)
        oracle.open = {id_: pair for id_, pair in oracle.open.items() if pair[0] != fact}
        oracle.retire(fact, new.id)
        return new.id

    @precondition(lambda self: self.unused)
    @rule(target=facts, fact=consumes(facts))
    def edits(self, fact):
        if not self.known(fact):
            return fact
        before = self.memory.fact(fact).text
        if "tomorrow" in before:
            return fact
        self.happens(deletes=True)
        receipt = self.memory.edit(fact, f"I live in {self.unused.pop()}.")
        [mended] = (*receipt.facts, *receipt.notes)
        oracle = self.oracle
        oracle.state[mended.id] = oracle.state.pop(fact)
        oracle.slot[mended.id] = mended.slot
        oracle.successor[mended.id] = oracle.successor.pop(fact)
        oracle.successor = {
            id_: mended.id if after == fact else after for id_, after in oracle.successor.items()
        }
        moved = [pair for pair in oracle.open.values() if fact in pair]
        oracle.open = {id_: pair for id_, pair in oracle.open.items() if fact not in pair}
        for conflict in self.memory.conflicts():
            pair = (conflict.old.id, conflict.new.id)
            if tuple(fact if each == mended.id else each for each in pair) in moved:
                oracle.open[conflict.id] = pair
        if fact in oracle.vouched:
            oracle.vouched.add(mended.id)
        if fact in oracle.pinned:
            oracle.pinned.remove(fact)
            oracle.pinned.add(mended.id)
        self.gone.append(before)
        return mended.id

    @rule(fact=facts)
    def retires(self, fact):
        if not self.known(fact) or self.oracle.state[fact] is State.HISTORICAL:
            return
        self.happens()
        self.memory.retire(fact)
        doubts = [id_ for id_, pair in self.oracle.open.items() if pair[0] == fact]
        news = [self.oracle.open.pop(id_)[1] for id_ in doubts]
        self.oracle.retire(fact, None)
        if news:
            successor = self.memory.fact(fact).replaced_by
            assert successor in news
            self.oracle.successor[fact] = successor

    @rule(fact=facts)
    def restores(self, fact):
        if not self.known(fact) or self.oracle.state[fact] is State.CURRENT:
            return
        self.happens()
        self.memory.restore(fact)
        oracle = self.oracle
        oracle.open = {id_: pair for id_, pair in oracle.open.items() if pair[0] != fact}
        oracle.state[fact], oracle.successor[fact] = State.CURRENT, None
        oracle.vouched.add(fact)
        if oracle.ends.get(fact, self.clock.now()) <= self.clock.now():
            oracle.ends.pop(fact, None)  # an end that has passed is lifted
        for conflict in self.memory.conflicts():
            if conflict.new.id == fact and conflict.id not in oracle.open:
                oracle.open[conflict.id] = (conflict.old.id, fact)
                oracle.state[conflict.old.id] = State.UNSURE

    @rule(fact=facts)
    def confirms(self, fact):
        if not self.known(fact):
            return
        if self.oracle.state[fact] in {State.HISTORICAL, State.EXPIRED}:
            with pytest.raises(TransitionRefused):
                self.memory.confirm(fact)
            return
        self.happens()
        self.memory.confirm(fact)
        oracle = self.oracle
        oracle.open = {id_: pair for id_, pair in oracle.open.items() if pair[0] != fact}
        oracle.state[fact] = State.CURRENT
        oracle.vouched.add(fact)

    @rule(fact=consumes(facts))
    def forgets(self, fact):
        if not self.known(fact):
            return
        self.gone.append(self.memory.fact(fact).text)
        self.happens(deletes=True)
        self.memory.forget(fact)
        self.oracle.remove(fact)

    @precondition(lambda self: self.past)
    @rule()
    def undoes(self):
        before = self.past[-1]
        if before is None:
            with pytest.raises(NothingToUndo):
                self.memory.undo()
            return
        self.memory.undo()
        self.taken_away = True
        self.past.pop()
        self.oracle = before

    @precondition(lambda self: len(self.oracle.state) > 1)
    @rule()
    def opens_again(self):
        self.memory.close()
        self.memory = self.opened()

    # --- what must always hold ---------------------------------------------------------------------

    @invariant()
    def nothing_disappears_and_states_are_as_told(self):
        found = {fact.id: fact for fact in self.memory.facts(states="all", kinds=Kind, limit=1000)}
        assert {id_: fact.state for id_, fact in found.items()} == self.oracle.state
        assert {id_: fact.replaced_by for id_, fact in found.items()} == self.oracle.successor
        assert {id_ for id_, fact in found.items() if fact.pinned} == self.oracle.pinned
        waiting = {c.id: (c.old.id, c.new.id) for c in self.memory.conflicts()}
        assert waiting == self.oracle.open

    @invariant()
    def history_names_its_successor(self):
        for fact in self.memory.facts(states="all", kinds=Kind, limit=1000):
            if fact.replaced_by is not None:
                assert fact.state is State.HISTORICAL
                assert self.known(fact.replaced_by)

    @invariant()
    def successors_make_no_cycle(self):
        for start in self.oracle.successor:
            seen, at = {start}, self.oracle.successor[start]
            while at is not None:
                assert at not in seen
                seen.add(at)
                at = self.oracle.successor[at]

    @invariant()
    def one_filler_unless_the_owner_said_so(self):
        asked = {each for pair in self.oracle.open.values() for each in pair}
        plain = [
            id_
            for id_, state in self.oracle.state.items()
            if state is State.CURRENT and id_ in self.oracle.claims - asked - self.oracle.vouched
        ]
        assert len(plain) <= 1

    @invariant()
    def what_was_deleted_left_no_trace(self):
        kept = {fact.text for fact in self.memory.facts(states="all", kinds=Kind, limit=1000)}
        for text in self.gone:
            if text in kept:
                continue
            word = next(city for city in CITIES if city in text)
            if any(word in each for each in kept):
                continue
            for query in (
                "MATCH (s:Snapshot) WHERE s.text CONTAINS $word RETURN count(*)",
                "MATCH (f:Fact) WHERE f.text CONTAINS $word RETURN count(*)",
                "MATCH (e:Event) WHERE e.undo CONTAINS $word RETURN count(*)",
            ):
                assert self.memory.cypher(query, word=word).rows == ((0,),), (query, word)
            items = self.memory.recall(f"{word}?", limit=20).items
            assert all(word not in item.text for item in items)
            self.no_trace_in_the_index(word)

    def no_trace_in_the_index(self, word):
        """Neither in the keyword index, nor in what it keeps of texts, nor a vector without a text."""
        file = self.folder / "memory" / "index" / "passages.db"
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as index:
            for query, values in (
                ("SELECT count(*) FROM passages WHERE instr(text, ?)", (word,)),
                ("SELECT count(*) FROM keywords WHERE keywords MATCH ?", (stem_of(word),)),
                ("SELECT count(*) FROM vocabulary WHERE term = ?", (stem_of(word),)),
                ("SELECT count(*) FROM new_vectors WHERE n NOT IN (SELECT n FROM passages)", ()),
            ):
                assert index.execute(query, values).fetchone() == (0,), (query, word)


def test_the_whole_life_cycle():
    run_state_machine_as_test(
        LifeCycle,
        settings=settings(
            max_examples=10,
            stateful_step_count=12,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate,),  # a real memory is too slow to shrink with
        ),
    )


def test_what_stood_between_two_homes_is_deleted_and_the_doubt_passes_on(memory):
    said = [
        memory.add(
            Message(text=f"I live in {city}.", speaker="Ana", said_at=DAY + timedelta(days=n))
        )
        for n, city in enumerate(("Odense", "Palermo", "Tromso"))
    ]
    first, second, third = (receipt.facts[0].id for receipt in said)
    memory.forget(second)
    assert [(c.old.id, c.new.id) for c in memory.conflicts()] == [(first, third)]
    assert memory.fact(first).state is State.UNSURE
    memory.resolve(memory.conflicts()[0].id, Decision.MARK_OLDER_AS_PAST)
    assert memory.fact(first).replaced_by == third
