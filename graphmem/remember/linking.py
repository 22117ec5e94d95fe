"""From a name in a message to an entity of the memory: the known one, or a new one (R2.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from graphmem.identity import digest
from graphmem.model import Entity
from graphmem.plan import AddAlias, AddEntity, MoveAlias, MoveFact, Op
from graphmem.protocols import AliasCandidate, GraphStore
from graphmem.remember.roles import Role, Roles
from graphmem.words import key

EVERY = 1_000_000
RELATIONS = 50
BEINGS = frozenset({"person", "animal", "name"})


class Linker:
    """Links the names of one plan. What it creates is in `ops`, in order.

    Two names are one entity where the text says so. A role ("Ana's boss") names whoever was last said
    to have it: it passes on with the text, and never makes two people with names of their own one. A
    person is never linked with a thing of the same name (Cooper the boy and Cooper the car), nor with
    somebody of the same name who is something else to the speaker (my wife Mei, my colleague Mei).
    """

    def __init__(self, store: GraphStore, roles: Roles) -> None:
        self._store = store
        self._roles = roles
        self._known: dict[tuple[bool, str], Entity] = {}
        self.ops: list[Op] = []

    def link(self, name: str, kind: str) -> Entity:
        """The entity that `name` means, made where the memory has none."""
        return self.find(name, kind) or self._made(name, kind)

    def find(self, name: str, kind: str) -> Entity | None:
        """The known entity that `name` means, or None. Of several, the one last spoken of."""
        place = (kind in BEINGS, key(name))
        if place not in self._known:
            fitting = self._fitting(name, kind)
            if not fitting:
                return None
            self._known[place] = (
                max(fitting, key=lambda one: (one.kind == kind, self._last_fact(one)))
                if len(fitting) > 1
                else fitting[0]
            )
        return self._known[place]

    def learn(
        self, aliases: Iterable[AliasCandidate], kinds: Mapping[str, str] | None = None
    ) -> None:
        """Take over what the text says of names. `kinds` tells the kind of each name (by words.key)."""
        for pair in aliases:
            if key(pair.name) == key(pair.alias):
                continue
            kind = (kinds or {}).get(key(pair.alias), "person")
            if kind not in BEINGS or kind == "name":
                kind = "person"
            first, second = self._roles.role(pair.name), self._roles.role(pair.alias)
            if first is not None and second is None:
                self._named(first, pair.alias, kind)
            elif second is not None and first is None:
                self._named(second, pair.name, kind)
            else:
                self._same(pair.name, pair.alias, kind)

    def _same(self, name: str, alias: str, kind: str) -> None:
        """Two names of one's own, or two words for one role, are one."""
        first, second = self.find(name, kind), self.find(alias, kind)
        if first is None:
            first, second, alias = second, None, name if second else alias
        if first is None:
            first = self._made(name, kind)
        if second is None:
            self._name(first, alias)
        elif second.id != first.id and (self._is_unnamed(second) or not self._roles.role(name)):
            self._join(first, second)

    def _named(self, role: Role, given: str, kind: str) -> None:
        """Somebody with a role is told by name."""
        person = self._person(given, role, kind)
        if role.holders == "many":
            return
        for name in dict.fromkeys((role.name, role.plain)):
            person = self._latest(person)
            holder = self.find(name, kind)
            if holder is None:
                self._name(person, name)
            elif holder.id == person.id:
                continue
            elif self._is_unnamed(holder):
                self._join(person, holder)
            elif role.holders == "moving":
                self._pass_on(name, holder, person)

    def _person(self, given: str, role: Role, kind: str) -> Entity:
        """The one of this name who can have the role, made where there is none."""
        known = self._fitting(given, kind)
        if len(known) > 1:
            known.sort(key=self._last_fact, reverse=True)
        for one in known:
            if self._can_have(one, role):
                self._known[True, key(given)] = one
                return one
        holder = self.find(role.name, kind)
        if role.holders == "once" and holder is not None and not known:
            self._name(holder, given)  # another name of one's mother
            return holder
        return self._made(given, kind, apart=role.plain if known else "")

    def _can_have(self, one: Entity, role: Role) -> bool:
        """False where the owner of the role has said that `one` is something else to him."""
        owner = key(role.owner)
        for name in (one.name, *one.aliases):
            other = self._roles.role(name)
            if other and key(other.owner) == owner and not role.may_be(other.group, other.sex):
                return False
        return all(
            role.may_be(self._roles.group(fact.predicate))
            for fact in self._store.facts_with_object(one.id, limit=RELATIONS)
            if key(fact.entity) == owner and fact.polarity == "+"
        )

    def _is_unnamed(self, entity: Entity) -> bool:
        return all(self._roles.role(name) for name in (entity.name, *entity.aliases))

    def _fitting(self, name: str, kind: str) -> list[Entity]:
        place = (kind in BEINGS, key(name))
        if place in self._known:
            return [self._known[place]]
        stored = self._store.entities_named(name)
        return [entity for entity in stored if (entity.kind in BEINGS) is place[0]]

    def _last_fact(self, entity: Entity) -> int:
        return max((fact.n for fact in self._store.facts_of(entity.id, limit=1)), default=0)

    def _made(self, name: str, kind: str, *, apart: str = "") -> Entity:
        """A new entity; `apart` tells it from another one of that name."""
        being = kind in BEINGS
        parts = ("being" if being else "thing", key(name), *([key(apart)] if apart else []))
        entity = Entity(id=digest("e", *parts), name=name, kind=kind)
        self._known[being, key(name)] = entity
        self.ops.append(AddEntity(entity))
        return entity

    def _name(self, entity: Entity, alias: str) -> None:
        self.ops.append(AddAlias(entity.id, alias))
        self._replace(entity.id, replace(entity, aliases=(*entity.aliases, alias)))
        self._known[True, key(alias)] = self._latest(entity)

    def _join(self, kept: Entity, gone: Entity) -> None:
        self.ops += merge(self._store, kept, gone)
        names = (*kept.aliases, gone.name, *gone.aliases)
        joined = replace(kept, aliases=names)
        self._replace(gone.id, joined)
        self._replace(kept.id, joined)
        for name in names:
            self._known[True, key(name)] = joined

    def _pass_on(self, role: str, before: Entity, after: Entity) -> None:
        """The role is another's now; what was said of the one before stays his."""
        self.ops.append(MoveAlias(role, before.id, after.id))
        left = tuple(name for name in before.aliases if key(name) != key(role))
        self._replace(before.id, replace(before, aliases=left))
        after = self._latest(after)
        self._replace(after.id, replace(after, aliases=(*after.aliases, role)))
        self._known[True, key(role)] = self._latest(after)

    def _replace(self, entity_id: str, by: Entity) -> None:
        for place, entity in list(self._known.items()):
            if entity.id == entity_id:
                self._known[place] = by

    def _latest(self, entity: Entity) -> Entity:
        return next((one for one in self._known.values() if one.id == entity.id), entity)


def merge(store: GraphStore, kept: Entity, gone: Entity) -> list[Op]:
    """The operations that make two entities one: every fact and name of `gone` moves to `kept`.

    They can be undone, and taken back by a split: `gone` itself stays as an empty shell, which costs one
    node and loses nothing.
    """
    ops: list[Op] = []
    ops += [
        MoveFact(fact.id, "subject", gone.id, "", kept.id, "")
        for fact in store.facts_of(gone.id, limit=EVERY)
    ]
    ops += [
        MoveFact(fact.id, "object", gone.id, "", kept.id, "")
        for fact in store.facts_with_object(gone.id, limit=EVERY)
    ]
    names = gone.aliases if is_shell(store, gone) else (gone.name, *gone.aliases)
    ops += [MoveAlias(alias, gone.id, kept.id) for alias in names]
    return ops


def is_shell(store: GraphStore, entity: Entity) -> bool:
    """True for what a merge left behind: stored, but not found under its own name any more."""
    if store.entity(entity.id) is None:
        return False  # made in the same plan
    return all(one.id != entity.id for one in store.entities_named(entity.name))
