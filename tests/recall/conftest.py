"""A small memory with every state in it, recalled through fakes."""

from datetime import timedelta

import pytest
from fakes import NOW, FakeSearch

from graphmem.identity import digest
from graphmem.lexicon import Lexicon
from graphmem.lifecycle.reading import Reader
from graphmem.model import Entity, Fact, Relation, Snapshot, State, When, Worth
from graphmem.plan import (
    AddEntity,
    AddFact,
    AddSnapshot,
    LinkReplaced,
    OpenConflict,
    Plan,
)
from graphmem.recall.engine import Recaller
from graphmem.testing import DictStore, FixedClock, TinyEmbedder


class World:
    """Builds a memory statement by statement."""

    def __init__(self):
        self.store = DictStore()
        self.search = FakeSearch(TinyEmbedder())
        self.clock = FixedClock(NOW)
        self.n = 0
        self.entities = {}

    def _apply(self, *ops):
        self.store.apply(Plan(kind="add", at=NOW, ops=tuple(ops)))

    def entity(self, name, kind="person"):
        if name not in self.entities:
            found = Entity(id=digest("e", name), name=name, kind=kind)
            self.entities[name] = found
            self._apply(AddEntity(found))
        return self.entities[name]

    def say(self, text, *, days_ago=1.0, speaker="Ana", role="user", worth=Worth.STATEMENT, **fact):
        """Store a statement; keywords after it make a fact (entity, predicate, object, state, ...)."""
        self.n += 1
        said = NOW - timedelta(days=days_ago)
        conversation = fact.pop("conversation", "")
        snapshot = Snapshot(
            id=digest("s", str(self.n)),
            n=self.n,
            text=text,
            speaker=speaker,
            role=role,
            said_at=said,
            recorded_at=said,
            worth=worth,
            conversation=conversation,
            readers=fact.pop("readers", ()),
        )
        ops = [AddSnapshot(snapshot)]
        if not fact:
            self._apply(*ops)
            return None
        entity = self.entity(fact.pop("entity", speaker))
        target = self.entity(fact.pop("object"), "thing")
        made = Fact(
            id=digest("f", str(self.n)),
            n=self.n,
            entity=entity.name,
            entity_id=entity.id,
            object=target.name,
            object_id=target.id,
            text=text,
            said_at=said,
            recorded_at=said,
            sources=(snapshot.id,),
            **fact,
        )
        self._apply(*ops, AddFact(made))
        return made

    def replaced(self, old, new):
        self._apply(LinkReplaced(old.id, new.id))

    def conflict(self, old, new, reason="same slot"):
        self._apply(
            OpenConflict(
                id=digest("c", old.id, new.id),
                old_id=old.id,
                new_id=new.id,
                relation=Relation.CONTRADICTS,
                reason=reason,
                cue="",
                opened_at=NOW,
            )
        )

    def recaller(self, *, times=None, **kwargs):
        self.search.rebuild(self.store)
        return Recaller(
            self.store,
            self.search,
            TinyEmbedder(),
            Lexicon.load(),
            self.clock,
            times,
            wording=Reader(Lexicon.load()),
            **kwargs,
        )

    def recall(self, question, **kwargs):
        return self.recaller().recall(question, **kwargs)


@pytest.fixture
def world():
    return World()


@pytest.fixture
def life(world):
    """Moved, changed car, one open conflict, an expired meeting, an archived trifle."""
    world.old_car = world.say(
        "I drive a red Golf", days_ago=900, predicate="drives", object="Golf", slot="car",
        state=State.HISTORICAL,
    )  # fmt: skip
    world.new_car = world.say(
        "I drive a blue Zoe", days_ago=30, predicate="drives", object="Zoe", slot="car"
    )
    world.replaced(world.old_car, world.new_car)
    world.london = world.say(
        "I live in London", days_ago=400, predicate="lives_in", object="London", slot="home",
        state=State.UNSURE,
    )  # fmt: skip
    world.paris = world.say(
        "My flat is in Paris", days_ago=10, predicate="lives_in", object="Paris", slot="home"
    )
    world.conflict(world.london, world.paris)
    world.meeting = world.say(
        "meeting with Olga tomorrow", days_ago=5, predicate="attends", object="meeting",
        happens_at=When("2025-05-28"), expires_at=When("2025-05-28"),
    )  # fmt: skip
    world.trifle = world.say(
        "the old kettle whistles", days_ago=700, predicate="owns", object="kettle",
        state=State.ARCHIVED,
    )  # fmt: skip
    world.say("where do I live again?", worth=Worth.QUESTION)
    world.say("You live in Madrid, I believe.", speaker="assistant", role="assistant",
              worth=Worth.OTHER_ROLE)  # fmt: skip
    for i in range(12):
        world.say(f"lunch number {i} was noodles with Kim", days_ago=3 + i)
    return world
