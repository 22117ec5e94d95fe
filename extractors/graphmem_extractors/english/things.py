"""What a copula says of a thing: where it is, and attributes that are somebody's ("my job is ...")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphmem_extractors.english import kin
from graphmem_extractors.english.complements import Said, definite, name_kind
from graphmem_extractors.english.names import full_name, is_name
from graphmem_extractors.english.objects import proper
from graphmem_extractors.english.phrases import noun_phrase
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.vocabulary import Vocabulary
from graphmem_extractors.english.whose import Named

_PLACING = frozenset(["in", "at", "on", "under", "behind", "inside", "near", "next", "above", "by"])
_FAVOURITE = frozenset({"favourite", "favorite", "fave", "fav"})


class ThingReader:
    """Reads complements of things; the attributes are `[[attributes]]` of the topic extract_en."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._attributes: dict[str, Mapping[str, Any]] = {
            word: entry for entry in vocabulary.table("attributes") for word in entry["words"]
        }

    def read(self, reading: Reading, said: Said) -> bool:
        """Add what the complement says; True where a rule took it."""
        token = said.clause.subject
        if token in ("speaker", None):
            return False
        owner = reading.namer.owner(token)
        if owner is None and not any(c.dep_ == "det" for c in token.children):
            owner = reading.speaker if self._attributes.get(token.lower_, {}).get("bare") else None
        if said.item.dep_ == "prep":
            return self._place(reading, said, owned=owner is not None)
        return owner is not None and self._attribute(reading, said, owner)

    def favourite(self, reading: Reading, said: Said) -> bool:
        """The favourite told the other way round: "rugby is my favourite sport"."""
        item, token = said.item, said.clause.subject
        if item.dep_ != "attr" or not any(c.lower_ in _FAVOURITE for c in item.children):
            return False
        owner = reading.namer.owner(item)
        if owner is None or isinstance(token, str) or token is None or token.tag_ in {"PRP", "DT"}:
            return False
        reading.add(owner, "favorite_is", noun_phrase(token, reading.time_tokens), rule="copula.favourite", confidence=0.88 * said.weight, kind="topic", **said.common)  # fmt: skip
        return True

    def _place(self, reading: Reading, said: Said, *, owned: bool) -> bool:
        token = said.clause.subject
        is_a = self._vocabulary.is_a
        if said.item.lower_ not in _PLACING or is_a(token.lower_, "events|jobs"):
            return False
        if token.lower_ in self._attributes:
            return False
        for place in said.item.children:
            if place.dep_ != "pobj" or place.i in reading.time_tokens or reading.in_value(place):
                continue
            if is_a(place.lower_, "abstract_places"):
                continue
            if owned or definite(token):
                words = noun_phrase(place, reading.time_tokens, prepositions=("of", "in", "at", "from"))  # fmt: skip
                reading.add(said.subject, "located_in", words, rule="copula.place", confidence=0.75 * said.weight, kind="place", **{**said.common, "times": ()})  # fmt: skip
                return True
        return False

    def _attribute(self, reading: Reading, said: Said, owner: Named) -> bool:
        token, item = said.clause.subject, said.item
        words = noun_phrase(item, reading.time_tokens)
        low = token.lower_
        if low in _FAVOURITE or any(c.lower_ in _FAVOURITE for c in token.children):
            reading.add(owner, "favorite_is", words, rule="copula.favourite", confidence=0.9 * said.weight, kind="topic", **said.common)  # fmt: skip
            return True
        if low in {"name", "surname"}:
            kind = name_kind(token)
            if kind:
                reading.add(owner, f"{kind}_name_is", words, rule="copula.name", confidence=0.85, kind="name")  # fmt: skip
            else:
                self._named(reading, owner, item)
            return True
        entry = self._attributes.get(low)
        if entry is None and self._vocabulary.is_a(low, "possessions"):
            entry = {"predicate": "owns", "needs": "brand", "confidence": 0.8}
        if entry is None or not _meets(entry.get("needs", ""), item):
            return False
        confidence = entry.get("confidence", 0.88) * said.weight
        reading.add(owner, entry["predicate"], words, rule=f"copula.{entry['predicate']}", confidence=confidence, kind=entry.get("kind", "thing"), **said.common)  # fmt: skip
        return True

    def _named(self, reading: Reading, owner: Named, item: Any) -> None:
        name = full_name(item)
        if owner.role and owner.role_name and not owner.given:
            kin.relate(reading, Named(name, owner.kind, role=owner.role, role_name=owner.role_name, given=name, owner=owner.owner, owner_is_speaker=owner.owner_is_speaker), rule="copula.name", confidence=0.93)  # fmt: skip
        elif owner.kind == "animal" and owner.owner:
            kin.relate(reading, Named(name, "animal", role=owner.name.rsplit(" ", 1)[-1], role_name=owner.name, given=name, owner=owner.owner, owner_is_speaker=owner.owner_is_speaker), rule="copula.name", confidence=0.93)  # fmt: skip
        else:
            reading.add(owner, "name_is", name, rule="copula.name", confidence=0.93, kind="name")


def _meets(needs: str, item: Any) -> bool:
    if needs == "proper":
        return proper(item)
    if needs == "noun":
        return bool(item.pos_ != "ADJ")
    if needs == "brand":
        return item.pos_ != "ADJ" and (is_name(item) or "PROPN" in {c.pos_ for c in item.children})
    return True
