"""Facts from "X is Y": what the complement says of the subject."""

from __future__ import annotations

from typing import Any

from graphmem.model import Polarity
from graphmem.protocols import TimeSpan
from graphmem_extractors.english import kin
from graphmem_extractors.english.clauses import Clause
from graphmem_extractors.english.complements import (
    Said,
    age_told,
    definite,
    met_before,
    objects_behind,
)
from graphmem_extractors.english.names import full_name, is_name
from graphmem_extractors.english.objects import proper
from graphmem_extractors.english.phrases import conjuncts, noun_phrase, verb_phrase
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.things import ThingReader
from graphmem_extractors.english.verbs import subjects_of
from graphmem_extractors.english.vocabulary import Vocabulary
from graphmem_extractors.english.whose import Named

_LINKING = frozenset({"be", "become", "remain", "stay", "turn", "get", "feel"})
_BESIDE = frozenset({"again", "too", "here", "there", "well", "though", "ever", "anymore", "yet", "home", "today", "together", "instead", "either", "somewhere", "around"})  # fmt: skip
_JOINED = frozenset({"band", "choir", "team", "orchestra", "club", "union", "league", "society", "scouts"})  # fmt: skip
_STATUS = frozenset({"married", "engaged", "divorced", "separated", "widowed"})


class CopulaReader:
    """Reads clauses whose verb is "be" (and become, get, turn), and participles like "married"."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._adjectives = vocabulary.table("adjectives")
        self._things = ThingReader(vocabulary)
        self._vague = vocabulary.words("vague_nouns")

    def read(self, reading: Reading) -> None:
        """Add what the copulas of the sentence state."""
        for clause in reading.clauses:
            if clause.mode != "fact":
                continue
            if (
                clause.lemma in _LINKING
                or clause.passive
                or clause.verb.lower_
                in _STATUS | {"based", "called", "named", "located", "born", "retired"}
            ):
                for subject in self._subjects(clause, reading):
                    self._clause(reading, clause, subject)

    def _subjects(self, clause: Clause, reading: Reading) -> list[Named]:
        if clause.lemma in _LINKING or clause.passive:
            return subjects_of(clause, reading)
        return subjects_of(clause, reading) if clause.verb.dep_ in {"ROOT", "conj", "acl"} else []

    def _clause(self, reading: Reading, clause: Clause, subject: Named) -> None:
        times = reading.times_of(clause)
        verb = clause.verb
        if self._participle(reading, clause, subject, times):
            return
        if verb.lemma_ not in _LINKING:
            return
        for complement in self._complements(verb):
            if complement.i in reading.time_tokens:
                continue
            for item in conjuncts(complement):
                if item.pos_ != "VERB" or item.dep_ in {"acomp", "attr"}:
                    self.complement(reading, clause, subject, item, times)

    def _complements(self, verb: Any) -> list[Any]:
        kinds = {"attr", "acomp", "prep", "oprd"} | ({"advmod"} if verb.lemma_ == "be" else set())
        adverbs = self._vocabulary.words("leading_adverbs") | _BESIDE
        return [
            c
            for c in verb.children
            if c.dep_ in kinds
            and (c.i > verb.i or c.dep_ == "acomp")
            and not (c.dep_ == "advmod" and c.lower_ in adverbs)
        ]

    def _participle(
        self, reading: Reading, clause: Clause, subject: Named, times: list[TimeSpan]
    ) -> bool:
        verb = clause.verb
        low = verb.lower_
        polarity: Polarity = "-" if clause.negated or clause.stopped else "+"
        if low in _STATUS and subject.kind == "person":
            if any(c.lower_ == "getting" for c in verb.children):
                reading.add(subject, "plans_to", f"get {low}", rule="copula.plan", confidence=0.85, kind="topic", tense="future", times=times)  # fmt: skip
                return True
            to = objects_behind(verb, {"to", "from"})
            was = clause.tense == "past" and any(c.lower_ in {"was", "were"} for c in verb.children)
            if was and not (to and is_name(to[0])):
                return True
            if to and low in {"married", "engaged"}:
                named = reading.namer.name(to[0])
                name = named.name if named else noun_phrase(to[0], reading.time_tokens)
                predicate = "married_to" if low == "married" else "partner_of"
                reading.add(subject, predicate, name, rule="copula.status", confidence=0.93, kind="person", polarity=polarity, times=times)  # fmt: skip
            elif low == "married" and (spouse := met_before(reading, subject)):
                reading.add(subject, "married_to", spouse, rule="copula.status", confidence=0.85, kind="person", polarity=polarity, times=times)  # fmt: skip
            elif not (verb.i + 1 < len(verb.doc) and verb.nbor(1).lower_ == "to"):
                reading.add(subject, "relationship_status", low, rule="copula.status", confidence=0.85, kind="topic", polarity=polarity, times=times)  # fmt: skip
            return True
        if self._vocabulary.is_a(low, "jobs") and subject.kind == "person" and not clause.stopped:
            reading.add(subject, "works_as", low, rule="copula.job", confidence=0.85, kind="topic", polarity=polarity, times=times)  # fmt: skip
            return True
        if any(low in entry["words"] for entry in self._adjectives):
            common: dict[str, Any] = {"polarity": polarity, "times": times, "tense": "present"}
            return self._adjective(reading, Said(clause, subject, verb, common, clause.weight))
        if low == "based" and (places := objects_behind(verb, {"in", "at", "near", "out"})):
            predicate = "lives_in" if subject.kind == "person" else "located_in"
            reading.add(subject, predicate, noun_phrase(places[0], reading.time_tokens), rule="copula.based", confidence=0.88, kind="place", polarity=polarity, times=times)  # fmt: skip
            return True
        if any(c.dep_ == "prt" or c.lower_ in {"off", "back", "out"} for c in verb.children):
            return low in {"called", "named"}
        if low in {"called", "named"} and (clause.passive or verb.dep_ == "ROOT"):
            names = [
                c
                for c in verb.children
                if c.dep_ in {"oprd", "attr", "dobj", "npadvmod", "acomp"}
                and c.i > verb.i
                and (c.pos_ not in {"ADJ", "ADV"} or c.text[:1].isupper() or c.i == verb.i + 1)
            ]
            if names:
                self._called(reading, clause, subject, full_name(names[0]))
            return True
        if verb.lemma_ == "bear" and subject.kind in {"person", "animal"}:
            for span in times[:1]:
                if span.when is not None and span.kind in {"date", "instant"}:
                    reading.add(subject, "born_on", span.when.iso[:10], rule="copula.born", confidence=0.9, kind="date")  # fmt: skip
        return False

    def _called(self, reading: Reading, clause: Clause, subject: Named, name: str) -> None:
        token = clause.subject
        if subject.role and subject.role_name:
            kin.relate(reading, Named(name, subject.kind, role=subject.role, role_name=subject.role_name, given=name, owner=subject.owner, owner_is_speaker=subject.owner_is_speaker), rule="copula.called", confidence=0.93)  # fmt: skip
        elif subject.kind == "animal" and not subject.owner and definite(token):
            pet = f"{reading.message.speaker}'s {subject.name}"
            kin.relate(reading, Named(name, "animal", role=token.lower_, role_name=pet, given=name, owner=reading.message.speaker, owner_is_speaker=True), rule="copula.called", confidence=0.85)  # fmt: skip
        elif subject.kind == "animal" and subject.owner:
            kin.relate(reading, Named(name, "animal", role=token.lower_, role_name=subject.name, given=name, owner=subject.owner, owner_is_speaker=subject.owner_is_speaker), rule="copula.called", confidence=0.93)  # fmt: skip
        else:
            reading.add(
                subject, "name_is", name, rule="copula.called", confidence=0.85, kind="name"
            )

    def complement(
        self, reading: Reading, clause: Clause, subject: Named, item: Any, times: list[TimeSpan]
    ) -> bool:
        """Add what one complement states; True where a rule took it."""
        phrase = noun_phrase(item, reading.time_tokens, prepositions=())
        low = phrase.lower()
        if clause.lemma == "get" and clause.progressive and low in _STATUS:
            reading.add(subject, "plans_to", f"get {low}", rule="copula.plan", confidence=0.85, kind="topic", tense="future", times=times)  # fmt: skip
            return True
        negative = (
            clause.negated
            or clause.stopped
            or any((c.dep_ == "neg" or c.lower_ == "no") and c.i < item.i for c in item.children)
        )
        common: dict[str, Any] = {
            "polarity": "-" if negative else "+",
            "times": times,
            "tense": "past"
            if clause.tense == "past" and clause.lemma == "be" and not clause.perfect
            else "present",
        }
        weight = clause.weight * (0.85 if common["tense"] == "past" else 1.0)
        said = Said(clause, subject, item, common, weight)
        if self._things.favourite(reading, said):
            return True
        if subject.kind in {"person", "animal"}:
            return (
                self._off_to(reading, said)
                or self._adjective(reading, said)
                or self._living(reading, said, low)
            )
        return self._things.read(reading, said)

    def _off_to(self, reading: Reading, said: Said) -> bool:
        """A journey that is about to start: "they are off to Crete"."""
        for goal in objects_behind(said.item, {"to"}):
            if said.item.lower_ == "off" and proper(goal) and said.common["polarity"] == "+":
                words = f"go to {noun_phrase(goal, reading.time_tokens)}"
                reading.add(said.subject, "plans_to", words, rule="copula.off_to", confidence=0.85, kind="topic", tense="future", times=said.common["times"])  # fmt: skip
                return True
        return False

    def _adjective(self, reading: Reading, said: Said) -> bool:
        """Adjectives with a preposition: allergic to, into, fond of, fluent in, good at."""
        subject, item, common, weight = said.subject, said.item, said.common, said.weight
        for entry in self._adjectives:
            if item.lower_ not in entry["words"]:
                continue
            if item.lower_ == "into" and said.clause.lemma != "be":
                continue
            objects = [item] if not entry["prep"] else objects_behind(item, set(entry["prep"]))
            objects = objects or (
                [c for c in item.children if c.dep_ == "pobj"] if item.dep_ == "prep" else []
            )
            if not objects:
                objects = objects_behind(item.head, set(entry["prep"]))
            if not objects:
                continue
            negative = (common["polarity"] == "-") != bool(entry.get("flip"))
            for head in objects:
                for thing in conjuncts(head):
                    if "class" in entry and not self._vocabulary.is_a(
                        noun_phrase(thing), entry["class"]
                    ):
                        continue
                    if thing.lower_ in self._vocabulary.words("pronouns"):
                        continue
                    text = (
                        verb_phrase(thing, reading.time_tokens)
                        if thing.pos_ == "VERB"
                        else noun_phrase(thing, reading.time_tokens)
                    )
                    if " " not in text and thing.lemma_ in self._vocabulary.words("light_verbs"):
                        continue
                    reading.add(subject, entry["predicate"], text, rule=f"copula.{entry['predicate']}", confidence=entry.get("confidence", 0.9) * weight, kind=entry.get("kind", "topic"), **{**common, "polarity": "-" if negative else "+"})  # fmt: skip
            return True
        return False

    def _living(self, reading: Reading, said: Said, low: str) -> bool:
        subject, item, common, weight = said.subject, said.item, said.common, said.weight
        is_a = self._vocabulary.is_a
        if item.lower_ in _STATUS and (to := objects_behind(item, {"to"})):
            named = reading.namer.name(to[0])
            name = named.name if named else noun_phrase(to[0], reading.time_tokens)
            predicate = "married_to" if item.lower_ == "married" else "partner_of"
            reading.add(subject, predicate, name, rule="copula.status", confidence=0.93 * weight, kind="person", **common)  # fmt: skip
            return True
        if item.dep_ == "prep" or item.tag_ == "IN":
            return self._prepositional(reading, said)
        if " and " in low and item.pos_ == "ADJ":
            return self._several(reading, said, low)
        if is_a(low, "diets"):
            reading.add(subject, "follows_diet", low, rule="copula.diet", confidence=0.93 * weight, kind="topic", **common)  # fmt: skip
        elif is_a(low, "conditions"):
            reading.add(subject, "has_condition", low, rule="copula.condition", confidence=0.92 * weight, kind="topic", **common)  # fmt: skip
        elif is_a(low, "relationship") and low.rsplit(maxsplit=1)[-1] in self._vocabulary.words(
            "relationship"
        ):
            reading.add(subject, "relationship_status", low, rule="copula.status", confidence=0.85 * weight, kind="topic", **common)  # fmt: skip
        elif age_told(reading, item):
            if common["tense"] == "past" and said.clause.lemma == "be":
                return False
            reading.add(subject, "age_is", age_told(reading, item), rule="copula.age", confidence=0.9 * weight, kind="value", **{**common, "times": ()})  # fmt: skip
        elif self._kinship(reading, subject, item, common):
            pass
        elif is_a(low, "jobs"):
            self._job(reading, said)
        elif is_a(low, "nationalities") and item.pos_ in {"ADJ", "PROPN", "NOUN"}:
            reading.add(subject, "is_a", noun_phrase(item), rule="copula.nationality", confidence=0.8 * weight, kind="topic", **common)  # fmt: skip
        elif is_name(item) and subject.role and not subject.given and item.dep_ in {"attr", "oprd"}:
            kin.relate(reading, Named(full_name(item), "person", role=subject.role, role_name=subject.role_name, given=full_name(item), owner=subject.owner, owner_is_speaker=subject.owner_is_speaker), rule="copula.name", confidence=0.92)  # fmt: skip
        elif (
            is_name(item)
            and subject.speaker
            and item.dep_ == "attr"
            and not any(c.dep_ in {"det", "amod"} for c in item.children)
        ):
            reading.add(subject, "name_is", full_name(item), rule="copula.name", confidence=0.85 * weight, kind="name", **{**common, "times": ()})  # fmt: skip
        elif (
            item.dep_ == "attr"
            and item.pos_ == "NOUN"
            and any(c.lower_ in {"a", "an"} for c in item.children)
        ):
            if item.lower_ in self._vague or any(
                c.dep_ == "relcl" or (c.dep_ == "prep" and c.lower_ == "of") for c in item.children
            ):
                return False
            if common["tense"] == "past":
                return False
            reading.add(subject, "is_a", noun_phrase(item, reading.time_tokens), rule="copula.is_a", confidence=0.65 * weight, kind="topic", **common)  # fmt: skip
        else:
            return False
        return True

    def _several(self, reading: Reading, said: Said, low: str) -> bool:
        """Adjectives told together: "left-handed and colour blind"."""
        added = False
        for part in low.split(" and "):
            for kind, predicate in (("diets", "follows_diet"), ("conditions", "has_condition"), ("relationship", "relationship_status")):  # fmt: skip
                if self._vocabulary.is_a(part, kind):
                    reading.add(said.subject, predicate, part, rule="copula.several", confidence=0.88 * said.weight, kind="topic", **said.common)  # fmt: skip
                    added = True
                    break
        return added

    def _job(self, reading: Reading, said: Said) -> None:
        subject, item, common, weight = said.subject, said.item, said.common, said.weight
        reading.add(subject, "works_as", noun_phrase(item, reading.time_tokens, prepositions=("of",)), rule="copula.job", confidence=0.9 * weight, kind="topic", **common)  # fmt: skip
        for prep in [*item.children, *item.head.children]:
            if prep.dep_ == "prep" and prep.lower_ in {"at", "for", "with"} and prep.i > item.i:
                for place in (c for c in prep.children if c.dep_ == "pobj" and proper(c)):
                    reading.add(subject, "works_at", noun_phrase(place, reading.time_tokens, prepositions=("of",)), rule="copula.job", confidence=0.88 * weight, kind="organisation", **common)  # fmt: skip

    def _kinship(self, reading: Reading, subject: Named, item: Any, common: dict[str, Any]) -> bool:
        """The complement is a relative of somebody's: "Mei is my wife"."""
        if subject.speaker or common["polarity"] == "-":
            return False
        other = reading.namer.name(item)
        if reading.namer.animal(item) and other is not None and other.owner and not other.given:
            kin.relate(reading, Named(subject.name, "animal", role=item.lower_, role_name=other.name, given=subject.name, owner=other.owner, owner_is_speaker=other.owner_is_speaker), rule="copula.kin", confidence=0.9)  # fmt: skip
            return True
        if not reading.namer.kin_word(item):
            return False
        if other is None or not other.role or other.given:
            return False
        kin.relate(reading, Named(subject.name, "person", role=other.role, role_name=other.role_name, given=subject.name, owner=other.owner, owner_is_speaker=other.owner_is_speaker), rule="copula.kin", confidence=0.9)  # fmt: skip
        return True

    def _at_school(self, phrase: str, obj: Any) -> bool:
        """A place where one is to learn: "at university", "at Mill Lane Primary"."""
        bare = not any(c.dep_ in {"det", "poss"} for c in obj.children)
        schools = self._vocabulary.is_a(phrase, "schools")
        return schools and bare and (is_name(obj) or obj.lower_ in {"university", "uni", "college"})

    def _prepositional(self, reading: Reading, said: Said) -> bool:
        subject, item, common, weight = said.subject, said.item, said.common, said.weight
        clause = said.clause
        for obj in [c for c in item.children if c.dep_ == "pobj"]:
            phrase = noun_phrase(obj, reading.time_tokens)
            if item.lower_ == "from" and proper(obj) and said.clause.lemma == "be":
                reading.add(subject, "from_place", phrase, rule="copula.from", confidence=0.9 * weight, kind="place", **{**common, "tense": "present"})  # fmt: skip
            elif item.lower_ == "on" and self._vocabulary.is_a(phrase, "medicines"):
                reading.add(subject, "takes_medicine", phrase, rule="copula.medicine", confidence=0.92 * weight, **common)  # fmt: skip
            elif item.lower_ == "on" and self._vocabulary.is_a(phrase, "diets"):
                reading.add(subject, "follows_diet", phrase, rule="copula.diet", confidence=0.85 * weight, kind="topic", **common)  # fmt: skip
            elif (
                item.lower_ == "in"
                and proper(obj)
                and clause.perfect
                and any(s.anchor == "since" for s in common["times"])
            ):
                reading.add(subject, "lives_in", phrase, rule="copula.been", confidence=0.85 * weight, kind="place", **{**common, "tense": "present"})  # fmt: skip
            elif item.lower_ == "in" and obj.lower_ in _JOINED and clause.lemma == "be":  # fmt: skip
                reading.add(subject, "member_of", phrase, rule="copula.group", confidence=0.75 * weight, kind="organisation", **common)  # fmt: skip
            elif item.lower_ == "at" and self._at_school(phrase, obj):
                reading.add(subject, "studies_at", phrase, rule="copula.school", confidence=0.82 * weight, kind="organisation", **common)  # fmt: skip
            elif (
                item.lower_ in {"at", "with"}
                and (proper(obj) or self._vocabulary.is_a(phrase, "workplaces"))
                and clause.perfect
                and any(s.anchor == "since" for s in common["times"])
            ):
                reading.add(subject, "works_at", phrase, rule="copula.been_at", confidence=0.8 * weight, kind="organisation", **{**common, "tense": "present"})  # fmt: skip
            elif item.lower_ in {"at", "with"} and clause.stopped and proper(obj):
                reading.add(subject, "works_at", phrase, rule="copula.work", confidence=0.85, kind="organisation", **common)  # fmt: skip
            else:
                continue
            return True
        return False
