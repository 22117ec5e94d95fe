"""Facts from verbs: each clause against the verb frames of the lexicon."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from graphmem.protocols import TimeSpan
from graphmem_extractors.english.clauses import Clause
from graphmem_extractors.english.fitting import Fitting, for_others
from graphmem_extractors.english.objects import Frame, called_names, proper
from graphmem_extractors.english.phrases import conjuncts, noun_phrase, verb_phrase
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.tenses import judged
from graphmem_extractors.english.vocabulary import Vocabulary
from graphmem_extractors.english.whose import Named
from graphmem_extractors.frame import timed

_JOURNEYS = frozenset(
    {"fly", "leave", "go", "travel", "drive", "visit", "meet", "start", "sail", "move"}
)
_NO = frozenset({"no", "zero"})
_LISTENER = frozenset({"you", "your", "yours", "u"})
_LIVING = frozenset({"likes", "dislikes", "prefers", "bought", "wants", "knows", "believes", "speaks", "has_pet", "visited", "married_to", "partner_of", "follows_diet", "recommended", "repaired", "kin"})  # fmt: skip


class VerbReader:
    """Matches clauses with the frames `[[frames]]` of the topic extract_en."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._frames: dict[str, list[Frame]] = {}
        for frame in vocabulary.table("frames"):
            for lemma in frame["verbs"]:
                self._frames.setdefault(lemma, []).append(frame)
        self._fitting = Fitting(vocabulary)
        self._alone = vocabulary.words("whole_verbs") | vocabulary.words("skills")
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
        frames = [f for f in self._frames.get(clause.lemma, ()) if _fits(f, clause, subject)]
        if clause.mode in {"plan", "wish"}:
            self._plan(reading, clause, subject, times, frames)
            return
        fired = False
        for frame in frames:
            if fired and not frame.get("extra"):
                continue
            stated = self._state(reading, (clause, subject), times, frame)
            fired = fired or (stated and not frame.get("extra"))
        if not fired and subject.kind == "person":
            self._ahead(reading, clause, subject, times)
        if not fired and clause.lemma in {"quit", "stop"}:
            _stopped_habit(reading, subject, times)

    def _ahead(
        self, reading: Reading, clause: Clause, subject: Named, times: list[TimeSpan]
    ) -> None:
        """What is going to happen, told in the present: "she's running the 10k this Saturday"."""
        now = reading.message.said_at
        ahead = any(t.when is not None and t.kind in {"date", "instant", "interval"} and t.when.end > now and t.anchor == "at" for t in times)  # fmt: skip
        moving = clause.tense == "present" and clause.lemma in _JOURNEYS
        if (
            ahead
            and not clause.negated
            and not clause.perfect
            and ((clause.progressive and clause.tense == "present") or moving)
        ):
            phrase = verb_phrase(clause.verb, reading.time_tokens)
            if clause.verb.tag_ in {"VBZ", "VBP"}:
                phrase = " ".join([clause.lemma, *phrase.split()[1:]])
            if len(phrase.split()) > 1:
                reading.add(subject, "plans_to", phrase, rule="verb.ahead", kind="topic", confidence=0.8 * clause.weight, tense="future", times=times)  # fmt: skip

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
                for item in self._fitting.objects(reading, clause, frame):
                    reading.add(subject, "takes_medicine", noun_phrase(item, reading.time_tokens), rule="verb.takes_medicine", confidence=0.85, times=times)  # fmt: skip
                    return
        if clause.lemma in {"be", "let", "wait", "guess", "say", "need", "have"} and not times:
            return
        if clause.reason in {"have to", "must", "will"} and not times:
            reading.left("verb.plan", f"{clause.reason} without a time")
            return
        now = reading.message.said_at
        over = any(t.when is not None and t.anchor == "at" and t.when.end < now for t in times)
        if clause.negated or over or subject.kind != "person":
            reading.left("verb.plan", "negated, over, or nobody's")
            return
        if any(
            inner.governor == clause.lemma and inner.verb.head.i == clause.verb.i
            for inner in reading.clauses
        ):
            return
        phrase = verb_phrase(clause.verb, reading.time_tokens)
        wished = next((c for c in clause.verb.children if c.dep_ == "dobj"), None)
        if clause.reason == "would like" and wished is not None:
            phrase = noun_phrase(wished, reading.time_tokens)
        told = phrase.lower().split()
        if not told or (
            len(told) < 3 and told[-1:] and told[-1] in self._vocabulary.words("pronouns")
        ):
            return
        predicate = "wants" if clause.mode == "wish" else "plans_to"
        if predicate == "wants" and clause.tense == "past":
            reading.left("verb.wish", "wanted once")
            return
        if (clause.reason != "would like" or wished is None) and self._idle(clause, phrase, times):
            reading.left("verb.plan", f"says too little: {phrase}")
            return
        reading.add(
            subject, predicate, phrase, rule=f"verb.{clause.mode}", kind="topic",
            confidence=0.82 * clause.weight, tense="future" if predicate == "plans_to" else "present",
            times=times,
        )  # fmt: skip

    def _idle(self, clause: Clause, phrase: str, times: list[TimeSpan]) -> bool:
        """A plan or wish that names nothing: "make it happen", "keep going", "tell you more"."""
        told = {word.strip("'") for word in phrase.lower().split()}
        if len(told) == 1 and not times and clause.verb.lemma_ not in self._alone:
            return True
        if told & _LISTENER:
            return True
        told_by = {"NOUN", "PROPN", "NUM", "ADJ", "VERB", "X"}
        idle = self._vocabulary.words("pronouns") | self._vocabulary.words("light_verbs")
        named = any(
            t.pos_ in told_by and t.lower_ not in idle and t.lower_ in told
            for t in clause.verb.subtree
            if t.i > clause.verb.i
        )
        light = clause.verb.lemma_ in self._vocabulary.words("light_verbs") or len(told) > 1
        return not named and not times and (light or clause.governor == "keep")

    def _ability(
        self, reading: Reading, clause: Clause, subject: Named, times: list[TimeSpan]
    ) -> None:
        verb = clause.verb
        for frame in self._frames.get(verb.lemma_, ()):
            if frame.get("negated") and clause.negated:
                for item in self._fitting.objects(reading, clause, frame):
                    reading.add(subject, frame["predicate"], noun_phrase(item, reading.time_tokens), rule=f"verb.{frame['predicate']}", confidence=0.92, kind="topic")  # fmt: skip
                return
            if frame["predicate"] in {"eats", "drinks", "speaks", "plays", "drives"}:
                objects = self._fitting.objects(reading, clause, frame)
                ill = clause.negated and self._vocabulary.pattern("reactions").search(
                    reading.message.text
                )
                if objects and ill and frame["predicate"] == "eats":
                    for item in objects:
                        reading.add(subject, "allergic_to", noun_phrase(item, reading.time_tokens), rule="verb.reaction", confidence=0.85)  # fmt: skip
                    return
                if objects and (clause.negated or frame["predicate"] == "speaks"):
                    for item in objects:
                        reading.add(subject, frame["predicate"], noun_phrase(item, reading.time_tokens), rule="verb.can", confidence=0.85, polarity="-" if clause.negated else "+", important=frame["predicate"] == "eats")  # fmt: skip
                    return
        several = clause.subject != "speaker" and (clause.subject.lower_ in {"we", "they"} or clause.subject.tag_ == "NNS")  # fmt: skip
        if verb.lemma_ in self._skills and not times and not several:
            reading.add(subject, "can", verb_phrase(verb, reading.time_tokens), rule="verb.can", confidence=0.75, kind="topic", polarity="-" if clause.negated or clause.stopped else "+")  # fmt: skip

    def _state(
        self, reading: Reading, said: tuple[Clause, Named], times: list[TimeSpan], frame: Frame
    ) -> bool:
        clause, subject = said
        objects = self._fitting.objects(reading, clause, frame)
        if not objects:
            return False
        if frame.get("timed") and not times:
            return False
        if frame.get("whose") == "object":
            patient = next((c for c in clause.verb.children if c.dep_ == "dobj"), None)
            named = reading.namer.name(patient) if patient is not None else None
            if named is None:
                return False
            subject = named
        if frame.get("own_trade") and for_others(reading, clause.verb, objects[0], kin=True):
            return False
        if frame.get("for_self") and for_others(reading, clause.verb, objects[0]):
            return False
        if frame.get("for_self"):
            times = []  # the day of buying is not said to be the first day of driving
        outcome = judged(clause, frame, times, now=reading.message.said_at)
        if outcome == "skip":
            return False
        if outcome == "plan":
            phrase = verb_phrase(clause.verb, reading.time_tokens)
            reading.add(subject, "plans_to", phrase, rule="verb.plan", kind="topic", confidence=0.8 * clause.weight, tense="future", times=times)  # fmt: skip
            return True
        if frame["aspect"] == "over":
            times = [replace(span, anchor="until") for span in times]
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
            for words in self._wordings(reading, clause, frame, item):
                if set(words.lower().split()) & _LISTENER:
                    continue
                reading.add(
                    subject, frame["predicate"], words,
                    rule=f"verb.{frame['predicate']}", kind=frame.get("kind", "thing"),
                    polarity="-" if negative else "+",
                    tense="past" if outcome == "past" else "present",
                    confidence=confidence * (0.85 if outcome == "past" else 1.0),
                    times=times,
                    important=frame["aspect"] == "birthday" and bool(subject.role),
                )  # fmt: skip
                if frame["aspect"] == "done" and frame.get("kind") == "thing":
                    reading.namer.context.mention(words, "thing")
            common = {"tense": "past" if outcome == "past" else "present", "times": times}
            self._beside(reading, subject, frame, item, common)
        return True

    def _placed(self, reading: Reading, clause: Clause, frame: Frame, thing: Any) -> bool:
        """Where something was put: "I keep my passport in the top drawer"."""
        named = reading.namer.name(thing)
        if any(
            c.dep_ == "prt" or c.lower_ in {"up", "off", "down", "away"}
            for c in clause.verb.children
        ):
            return False
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
            names = called_names(item)
            for words in names or [noun_phrase(item, reading.time_tokens, prepositions=())]:
                reading.add(subject, entry["predicate"], words, rule="verb.kin", confidence=0.85 * clause.weight, kind="person")  # fmt: skip
            for called in names:
                reading.namer.context.mention(called, "person", entry.get("gender", ""))
            if not names and subject.speaker:
                reading.namer.context.mention(
                    f"{subject.name}'s {item.lower_}", "person", entry.get("gender", "")
                )
        return True

    def _wordings(self, reading: Reading, clause: Clause, frame: Frame, item: Any) -> list[str]:
        """The object as words; several where it names several ("two cats, Miso and Ramen")."""
        if frame["predicate"] == "speaks" and "class" in frame:
            return [self._language(item)]
        if frame["predicate"] == "located_in":
            return [noun_phrase(item, reading.time_tokens, prepositions=("of", "in", "at"))]
        if frame["object"] in {"ing", "to"}:
            phrase = verb_phrase(item, reading.time_tokens)
            bare = " " not in phrase and item.lemma_ in self._vocabulary.words("light_verbs")
            return [] if bare else [phrase]
        if frame.get("verbal"):
            return [verb_phrase(clause.verb, reading.time_tokens)]
        if "says" in frame:
            return [frame["says"]]
        if frame.get("bare"):
            return [clause.lemma]
        if frame.get("kind") == "person" or frame["predicate"] == "has_pet":
            named = reading.namer.name(item)
            if named is not None and (named.given or named.kind == "person"):
                return [named.name]
        if frame.get("kind") in {"person", "animal"} and (names := called_names(item)):
            return self._called(reading, frame, item, names)
        if frame["predicate"] == "has_pet":
            pet = f"{reading.message.speaker}'s {item.text.lower()}"
            reading.namer.context.mention(pet, "animal")
        if frame["predicate"] in {"eats", "drinks"} or frame["aspect"] == "done":
            return [noun_phrase(item, reading.time_tokens, prepositions=("of", "for") if frame["aspect"] == "done" else ("of",))]  # fmt: skip
        return [noun_phrase(item, reading.time_tokens)]

    def _language(self, item: Any) -> str:
        """The language without how much of it: "Swiss German", but "Turkish" of "some Turkish"."""
        before = item.nbor(-1) if item.i else item
        kind = before.head.i == item.i and before.text[:1].isupper() and before.i < item.i
        if kind and not self._vocabulary.is_a(before.text, "languages"):
            return f"{before.text} {item.text}"
        return str(item.text)

    def _called(self, reading: Reading, frame: Frame, item: Any, names: list[str]) -> list[str]:
        for name in names:
            if frame["predicate"] == "has_pet" and item.tag_ == "NN":
                words = noun_phrase(item, reading.time_tokens, prepositions=())
                reading.add(Named(name, "animal"), "is_a", words, rule="verb.has_pet", confidence=0.85, kind="topic")  # fmt: skip
            reading.namer.context.mention(name, frame["kind"])
        return names

    def _beside(
        self,
        reading: Reading,
        subject: Named,
        frame: Frame,
        item: Any,
        common: dict[str, Any],
    ) -> None:
        """The employer beside the job, the school beside the subject: "as a nurse at Charité"."""
        for predicate in frame.get("also", ()):
            beside = {"at"} if predicate == "studies_at" else {"at", "for", "with"}
            for child in [*item.children, *item.head.children, *item.head.head.children]:
                if child.dep_ != "prep" or child.lower_ not in beside or child.i == item.head.i:
                    continue
                for place in (c for c in child.children if c.dep_ == "pobj" and proper(c)):
                    if child.lower_ == "with" and self._vocabulary.is_a(place.text, "given_names"):
                        continue
                    if place.i not in reading.time_tokens:
                        reading.add(subject, predicate, noun_phrase(place, reading.time_tokens, prepositions=("of",)), rule=f"verb.{predicate}", confidence=0.88, kind="organisation", **common)  # fmt: skip


def subjects_of(clause: Clause, reading: Reading) -> list[Named]:
    """Whom the clause is about; empty where that is nobody in particular."""
    if clause.subject is None:
        return []
    if clause.subject == "speaker":
        return [Named(reading.message.speaker, "person", speaker=True)]
    found = []
    tokens = [clause.subject] if clause.verb.dep_ == "relcl" else conjuncts(clause.subject)
    if len(tokens) > 1 and clause.verb.tag_ == "VBZ" and clause.lemma != "be":
        tokens = tokens[-1:]  # "..., and Jo, my boss, sings": a run-on, not a plural
    for token in tokens:
        named = reading.namer.name(token)
        if named is not None:
            found.append(named)
    return found


def _stopped_habit(reading: Reading, subject: Named, times: list[TimeSpan]) -> None:
    """What "used to smoke, quit in 2017" says of the habit told just before."""
    for index, known in enumerate(reading.candidates):
        if known.entity == subject.name and known.tense == "past" and known.polarity == "+":
            ended = timed(replace(known, polarity="-", tense="present", valid_from=None), times)
            reading.candidates[index] = replace(ended, rule="verb.stopped", confidence=0.85)


def _fits(frame: Frame, clause: Clause, subject: Named) -> bool:
    particles = frame.get("particle")
    if particles and not ("" in particles or clause.particles & set(particles)):
        return False
    if subject.kind == "thing" and frame["predicate"] in _LIVING:
        return False
    if frame.get("intransitive") and any(c.dep_ == "dobj" for c in clause.verb.children):
        return False
    wanted = frame.get("subject")
    return wanted is None or (wanted == "person") == (subject.kind == "person")


def _none_of(item: Any) -> bool:
    return any(c.dep_ in {"det", "neg"} and c.lower_ in _NO for c in item.children)
