"""Facts from verbs: each clause against the verb frames of the lexicon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from graphmem.protocols import TimeSpan
from graphmem_extractors.english.clauses import Clause
from graphmem_extractors.english.phrases import conjuncts, noun_phrase, verb_phrase
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.vocabulary import Vocabulary
from graphmem_extractors.english.whose import Named, is_name
from graphmem_extractors.frame import timed

Frame = Mapping[str, Any]

_THINGS = frozenset({"it", "this", "that", "these", "those", "there"})
_JOB_NOUNS = frozenset(
    "job gig position role post offer internship contract placement work apprenticeship traineeship shift".split()
)
_NO = frozenset({"no", "zero"})


class VerbReader:
    """Matches clauses with the frames `[[frames]]` of the topic extract_en."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._frames: dict[str, list[Frame]] = {}
        for frame in vocabulary.table("frames"):
            for lemma in frame["verbs"]:
                self._frames.setdefault(lemma, []).append(frame)
        self._skills = vocabulary.words("skills")

    def read(self, reading: Reading) -> None:
        """Add what the verbs of the sentence state."""
        for clause in reading.clauses:
            if clause.mode == "not_fact":
                reading.left("verb.not_fact", f"{clause.lemma}: {clause.reason}")
                continue
            subjects = subjects_of(clause, reading)
            if not subjects:
                continue
            for subject in subjects:
                self._clause(reading, clause, subject)

    def _clause(self, reading: Reading, clause: Clause, subject: Named) -> None:
        times = reading.times_of(clause)
        if clause.mode == "ability":
            self._ability(reading, clause, subject, times)
            return
        frames = [f for f in self._frames.get(clause.lemma, ()) if _fits(f, clause)]
        if clause.mode in {"plan", "wish"}:
            self._plan(reading, clause, subject, times, frames)
            return
        fired = False
        for frame in frames:
            if fired and not frame.get("extra"):
                continue
            fired = self._state(reading, (clause, subject), times, frame) or fired
        if not fired and clause.lemma in {"quit", "stop"}:
            _stopped_habit(reading, subject, times)

    def _objects(self, reading: Reading, clause: Clause, frame: Frame) -> list[Any]:
        return [item for item in objects_of(clause, frame) if self._suits(reading, item, frame)]

    def _suits(self, reading: Reading, item: Any, frame: Frame) -> bool:
        phrase = noun_phrase(item, reading.time_tokens, prepositions=())
        if item.i in reading.time_tokens and frame["object"] != "time":
            return False
        if frame["predicate"] == "kin":
            return item.lower_ in self._vocabulary.kin
        if "class" in frame and not self._vocabulary.is_a(phrase, frame["class"]):
            named = frame["class"] in {"schools", "vehicles"} and self._vocabulary.is_a(
                noun_phrase(item, reading.time_tokens), frame["class"]
            )
            if not named:
                return False
        if "not_class" in frame and self._vocabulary.is_a(item.lower_, frame["not_class"]):
            return False
        if frame.get("proper") and not proper(item):
            return False
        return not frame.get("person") or is_person(reading, item)

    def _plan(
        self,
        reading: Reading,
        clause: Clause,
        subject: Named,
        times: list[TimeSpan],
        frames: list[Frame],
    ) -> None:
        for frame in frames:
            if clause.reason == "have to" and frame["predicate"] == "takes_medicine":
                for item in self._objects(reading, clause, frame):
                    reading.add(subject, "takes_medicine", noun_phrase(item, reading.time_tokens), rule="verb.takes_medicine", confidence=0.85, times=times)  # fmt: skip
                    return
        if (
            clause.lemma in {"be", "see", "let", "wait", "guess", "say", "need", "have"}
            and not times
        ):
            return
        if clause.reason in {"have to", "must", "will"} and not times:
            reading.left("verb.plan", f"{clause.reason} without a time")
            return
        if clause.negated:
            reading.left("verb.plan", "negated")
            return
        if any(
            inner.governor == clause.lemma and inner.verb.head.i == clause.verb.i
            for inner in reading.clauses
        ):
            return
        phrase = verb_phrase(clause.verb, reading.time_tokens)
        predicate = "wants" if clause.mode == "wish" else "plans_to"
        reading.add(
            subject, predicate, phrase, rule=f"verb.{clause.mode}", kind="topic",
            confidence=0.82 * clause.weight, tense="future" if predicate == "plans_to" else "present",
            times=times,
        )  # fmt: skip

    def _ability(
        self, reading: Reading, clause: Clause, subject: Named, times: list[TimeSpan]
    ) -> None:
        verb = clause.verb
        for frame in self._frames.get(verb.lemma_, ()):
            if frame.get("negated") and clause.negated:
                for item in self._objects(reading, clause, frame):
                    reading.add(subject, frame["predicate"], noun_phrase(item, reading.time_tokens), rule=f"verb.{frame['predicate']}", confidence=0.92, kind="topic")  # fmt: skip
                return
            if frame["predicate"] in {"eats", "drinks", "speaks", "plays", "drives"}:
                objects = self._objects(reading, clause, frame)
                if objects and (clause.negated or frame["predicate"] == "speaks"):
                    for item in objects:
                        reading.add(subject, frame["predicate"], noun_phrase(item, reading.time_tokens), rule="verb.can", confidence=0.85, polarity="-" if clause.negated else "+", important=frame["predicate"] == "eats")  # fmt: skip
                    return
        if verb.lemma_ in self._skills and not times:
            reading.add(subject, "can", verb_phrase(verb, reading.time_tokens), rule="verb.can", confidence=0.75, kind="topic", polarity="-" if clause.negated else "+")  # fmt: skip

    def _state(
        self, reading: Reading, said: tuple[Clause, Named], times: list[TimeSpan], frame: Frame
    ) -> bool:
        clause, subject = said
        objects = self._objects(reading, clause, frame)
        if not objects:
            return False
        outcome = judged(clause, frame, times)
        if outcome == "skip":
            return False
        if outcome == "plan":
            phrase = verb_phrase(clause.verb, reading.time_tokens)
            reading.add(subject, "plans_to", phrase, rule="verb.plan", kind="topic", confidence=0.8 * clause.weight, tense="future", times=times)  # fmt: skip
            return True
        confidence = frame.get("confidence", 0.9) * clause.weight
        if frame["object"] == "placed":
            return self._placed(reading, clause, frame, objects[0])
        if frame["predicate"] == "kin":
            return self._kin(reading, clause, subject, objects)
        for item in objects:
            negative = (clause.negated or clause.stopped or _none_of(item)) != bool(
                frame.get("flip")
            )
            if frame.get("negated"):
                if not clause.negated:
                    return False
                negative = False
            reading.add(
                subject, frame["predicate"], self._words(reading, clause, frame, item),
                rule=f"verb.{frame['predicate']}", kind=frame.get("kind", "thing"),
                polarity="-" if negative else "+",
                tense="past" if outcome == "past" else "present",
                confidence=confidence * (0.85 if outcome == "past" else 1.0),
                times=times,
            )  # fmt: skip
            self._beside(reading, subject, frame, item, times)
        return True

    def _placed(self, reading: Reading, clause: Clause, frame: Frame, thing: Any) -> bool:
        """Where something was put: "I keep my passport in the top drawer"."""
        named = reading.namer.name(thing)
        for prep in [*clause.verb.children, *thing.children]:
            if (
                prep.dep_ == "prep"
                and prep.lower_ in frame["prep"]
                and named is not None
                and named.kind != "person"
            ):
                place = next(
                    (
                        c
                        for c in prep.children
                        if c.dep_ == "pobj" and c.i not in reading.time_tokens
                    ),
                    None,
                )
                if (
                    place is not None
                    and place.pos_ in {"NOUN", "PROPN"}
                    and not self._vocabulary.is_a(place.lower_, "abstract_places")
                ):
                    words = noun_phrase(place, reading.time_tokens, prepositions=("of", "in", "at"))
                    reading.add(named, "located_in", words, rule="verb.located_in", confidence=0.82 * clause.weight, kind="place", polarity="-" if clause.negated else "+")  # fmt: skip
                    return True
        return False

    def _kin(self, reading: Reading, clause: Clause, subject: Named, objects: list[Any]) -> bool:
        """Relatives somebody has: "I have two brothers, Tom and Eli"."""
        for item in objects:
            entry = self._vocabulary.kin[item.lower_]
            if entry["predicate"] in {"name_is", "knows"} or clause.negated:
                return False
            called = called_name(item)
            words = called or noun_phrase(item, reading.time_tokens, prepositions=())
            reading.add(subject, entry["predicate"], words, rule="verb.kin", confidence=0.85 * clause.weight, kind="person")  # fmt: skip
            if called:
                reading.namer.context.mention(called, "person", entry.get("gender", ""))
            elif subject.speaker:
                reading.namer.context.mention(
                    f"{subject.name}'s {item.lower_}", "person", entry.get("gender", "")
                )
        return True

    def _words(self, reading: Reading, clause: Clause, frame: Frame, item: Any) -> str:
        if frame["predicate"] == "located_in":
            return noun_phrase(item, reading.time_tokens, prepositions=("of", "in", "at"))
        if frame["object"] in {"ing", "to"}:
            return verb_phrase(item, reading.time_tokens)
        if frame.get("verbal"):
            return verb_phrase(clause.verb, reading.time_tokens)
        if frame.get("bare"):
            return str(clause.lemma)
        if frame.get("kind") == "person" or frame["predicate"] == "has_pet":
            named = reading.namer.name(item)
            if named is not None and (named.given or named.kind == "person"):
                return named.name
        if frame["predicate"] == "has_pet":
            called = called_name(item)
            if called:
                pet = Named(called, "animal")
                reading.add(pet, "is_a", noun_phrase(item, reading.time_tokens, prepositions=()), rule="verb.has_pet", confidence=0.85, kind="topic")  # fmt: skip
                reading.namer.context.mention(called, "animal")
                return called
            reading.namer.context.mention(
                f"{reading.message.speaker}'s {item.text.lower()}", "animal"
            )
        return noun_phrase(item, reading.time_tokens)

    def _beside(
        self, reading: Reading, subject: Named, frame: Frame, item: Any, times: list[TimeSpan]
    ) -> None:
        """The employer beside the job: "as a nurse at Charité"."""
        for predicate in frame.get("also", ()):
            for child in [*item.children, *item.head.head.children]:
                if (
                    child.dep_ == "prep"
                    and child.lower_ in {"at", "for", "with"}
                    and child.i > item.i
                ):
                    for place in (c for c in child.children if c.dep_ == "pobj" and proper(c)):
                        reading.add(subject, predicate, noun_phrase(place, reading.time_tokens, prepositions=("of",)), rule=f"verb.{predicate}", confidence=0.88, kind="organisation", times=times)  # fmt: skip


def subjects_of(clause: Clause, reading: Reading) -> list[Named]:
    """Whom the clause is about; empty where that is nobody in particular."""
    if clause.subject is None:
        return []
    if clause.subject == "speaker":
        return [Named(reading.message.speaker, "person", speaker=True)]
    found = []
    for token in conjuncts(clause.subject):
        named = reading.namer.name(token)
        if named is not None:
            found.append(named)
    return found


def judged(
    clause: Clause, frame: Frame, times: list[TimeSpan]
) -> Literal["now", "past", "plan", "skip"]:
    """What the tense of a clause makes of a frame: a fact now, history, a plan, or nothing."""
    aspect = frame["aspect"]
    since = any(span.anchor == "since" or span.kind == "duration" for span in times)
    if clause.habit:
        return "past" if aspect in {"state", "habit", "holds"} else "skip"
    if clause.tense == "future":
        return "plan"
    if aspect in {"event", "done"}:
        if clause.negated and aspect == "done":
            return "skip"
        if clause.tense == "past" or clause.perfect:
            return "skip" if clause.negated else "now"
        if clause.progressive:
            return "plan"
        if frame["object"] == "comp" or clause.passive:
            return "now"
        if frame.get("flip") and clause.tense == "present":
            return "skip"
        return "skip"
    if frame.get("progressive") and not clause.progressive:
        return "skip"
    if aspect == "habit":
        return "skip" if (clause.tense == "past" and not clause.stopped) else "now"
    if aspect == "holds" and clause.lemma == "get":
        return (
            "now"
            if clause.tense == "past" or clause.perfect
            else "plan"
            if clause.progressive
            else "skip"
        )
    if aspect == "holds" and clause.progressive:
        return "plan" if frame.get("scheduled") else "skip"
    if clause.tense == "past" and not (since and clause.perfect) and aspect in {"state", "holds"}:
        return "now" if clause.perfect and since else "past"
    return "now"


def objects_of(clause: Clause, frame: Frame) -> list[Any]:
    """The tokens that stand where the frame expects its object."""
    verb = clause.verb
    where = frame["object"]
    found: list[Any] = []
    if where == "direct":
        found = [c for c in verb.children if c.dep_ in {"dobj", "attr", "oprd"} and c.i > verb.i]
        if not found and "class" in frame:
            found = _misread(verb)
    elif where == "employer":
        return [
            place
            for c in verb.children
            if c.dep_ in {"dobj", "nsubjpass"} and c.lower_ in _JOB_NOUNS
            for prep in [*c.children, *verb.children]
            if prep.dep_ == "prep" and prep.lower_ in frame["prep"]
            for place in prep.children
            if place.dep_ == "pobj"
        ]
    elif where == "placed":
        return [c for c in verb.children if c.dep_ == "dobj"]
        if verb.lemma_ == "be":
            found = []
    elif where == "prep":
        found = [
            obj
            for prep in _prepositions(verb)
            if prep.lower_ in frame["prep"]
            for obj in prep.children
            if obj.dep_ in {"pobj", "pcomp"}
        ] or (_deeper(verb, frame["prep"]) if frame.get("kind") == "place" else [])
    elif where == "comp":
        return [
            c
            for c in verb.children
            if c.dep_ in {"acomp", "attr", "dobj", "oprd", "advmod"} and c.i > verb.i
        ]
    elif where in {"ing", "to"}:
        tag = "VBG" if where == "ing" else "VB"
        return [
            conj
            for c in verb.children
            if c.dep_ in {"xcomp", "ccomp", "dobj"} and c.tag_ == tag
            for conj in conjuncts(c)
        ]
    elif where == "none":
        plain = not any(c.dep_ in {"dobj", "prep", "xcomp", "ccomp"} for c in verb.children)
        return [verb] if plain else []
    return [item for head in found for item in conjuncts(head)]


def _deeper(verb: Any, prepositions: list[str]) -> list[Any]:
    """A place whose preposition the parser hung on a companion: "lives with her mum in Bergen"."""
    return [
        place
        for prep in verb.children
        if prep.dep_ == "prep" and prep.lower_ in {"with", "as", "alone", "near"}
        for person in prep.children
        if person.dep_ == "pobj"
        for inner in person.children
        if inner.dep_ == "prep" and inner.lower_ in prepositions
        for place in inner.children
        if place.dep_ == "pobj" and is_name(place)
    ]


def _misread(verb: Any) -> list[Any]:
    """The word after a verb, where the parser took a noun for a verb ("can't eat gluten")."""
    for step in range(1, 4):
        if verb.i + step >= len(verb.doc):
            break
        token = verb.nbor(step)
        if token.dep_ in {"det", "amod", "poss"} or token.pos_ in {"DET", "ADV"}:
            continue
        return [token] if token.tag_ in {"VB", "VBP", "NN", "NNS", "JJ"} else []
    return []


def _stopped_habit(reading: Reading, subject: Named, times: list[TimeSpan]) -> None:
    """What "used to smoke, quit in 2017" says of the habit told just before."""
    for index, known in enumerate(reading.candidates):
        if known.entity == subject.name and known.tense == "past" and known.polarity == "+":
            ended = timed(replace(known, polarity="-", tense="present", valid_from=None), times)
            reading.candidates[index] = replace(ended, rule="verb.stopped", confidence=0.85)


def _prepositions(verb: Any) -> list[Any]:
    found = [c for c in verb.children if c.dep_ in {"prep", "agent", "prt"}]
    for child in verb.children:
        if child.dep_ in {"advmod", "dobj", "npadvmod", "prt"}:
            found.extend(c for c in child.children if c.dep_ == "prep" and child.dep_ != "dobj")
    chained = [c for prep in found for c in prep.children if c.dep_ == "prep"]
    return found + chained


def _fits(frame: Frame, clause: Clause) -> bool:
    particles = frame.get("particle")
    if particles and not ("" in particles or clause.particles & set(particles)):
        return False
    return not (
        frame.get("subject") == "person"
        and clause.subject != "speaker"
        and clause.subject is not None
        and clause.subject.lower_ in _THINGS
    )


def _none_of(item: Any) -> bool:
    return any(c.dep_ in {"det", "neg"} and c.lower_ in _NO for c in item.children)


def proper(token: Any) -> bool:
    """A name, or one bare lower-case word where a name is expected."""
    if is_name(token):
        return True
    bare = not any(c.dep_ in {"det", "poss", "amod", "nummod"} for c in token.children)
    return (
        bare
        and token.tag_ in {"NN", "NNP", "JJ"}
        and len(token.text) > 2
        and token.lower_
        not in {
            "home",
            "work",
            "bed",
            "school",
            "town",
            "church",
            "pieces",
            "sleep",
            "abroad",
            "uni",
            "college",
            "hospital",
            "court",
            "there",
            "here",
            "class",
            "lunch",
            "dinner",
            "today",
            "time",
            "scratch",
            "bits",
            "shock",
            "person",
            "general",
            "charge",
            "nature",
            "war",
            "public",
            "heart",
            "all",
        }
    )


def is_person(reading: Reading, token: Any) -> bool:
    """Whether the phrase names a person: a relative or a name."""
    named = reading.namer.name(token)
    return named is not None and named.kind == "person" and not named.speaker


def called_name(noun: Any) -> str:
    """The name in "a cat called Luna", "a dog named Rex", "a puppy, Biscuit"."""
    from graphmem_extractors.english.whose import full_name  # noqa: PLC0415

    for child in noun.children:
        if child.dep_ in {"acl", "relcl"} and child.lemma_ in {"call", "name", "dub"}:
            for inner in child.children:
                if inner.dep_ in {"oprd", "attr", "dobj", "npadvmod"}:
                    return full_name(inner)
        if child.dep_ == "appos" and is_name(child):
            return full_name(child)
    return ""
