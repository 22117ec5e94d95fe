"""What of a model's answer is believed: only what stands in the text, in the words of the text. Pure.

A fact is dropped, with a word of reason in the trace, unless it has the fields of the schema and no others,
a canonical predicate, an entity that is the speaker, a relative the text speaks of or a name in the text,
an object inside a quote that stands in the text, and a sign that agrees with the quote's negations. So an
order hidden in a message can at most make the model quote that message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphmem.lexicon import Lexicon
from graphmem.protocols import AliasCandidate, Candidate, Extraction, Trace, Turn
from graphmem.words import key, sentences

RULE = "model"
CONFIDENCE = 0.7  # below what a clear rule gives: nothing of a model's own is calibrated
MOST_FACTS = 8
LONGEST_NAME, LONGEST_OBJECT, LONGEST_QUOTE = 60, 120, 400
_FIELDS = frozenset({"entity", "predicate", "object", "polarity", "tense", "quote"})
_VALUES = frozenset({"date", "number", "time", "value"})
_RELATIVE = re.compile(r"(?P<owner>.+?)(?:'s\s+(?P<en>.+)|的(?P<zh>.+))")
_HAN = re.compile(r"[\u3400-\u9fff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ufffd]")


@dataclass(frozen=True, slots=True)
class _Whose:
    name: str
    alias: AliasCandidate | None = None


class Answers:
    """Checks answers against the lexicon's predicates and relatives. Thread-safe."""

    def __init__(self, lexicon: Lexicon) -> None:
        table = lexicon.table("predicates")
        self._kinds: Mapping[str, str] = {
            name: entry.get("object", "thing")
            for name, entry in table.items()
            if entry.get("asked", True) and entry.get("object") != "time"
        }
        self._single = frozenset(name for name, entry in table.items() if entry.get("single"))
        self._relatives = _relatives(lexicon)
        self._pronouns = frozenset(lexicon.words("stopwords", "en", "words"))
        self._negated, self._harmless = _negations(lexicon)
        self._speaker = frozenset(lexicon.words("model", None, "speaker"))
        self._denials = frozenset(lexicon.words("model", None, "denials"))

    @property
    def predicates(self) -> tuple[str, ...]:
        """The predicates that a model may use."""
        return tuple(self._kinds)

    def checked(self, facts: Sequence[Any], turn: Turn, known: Sequence[Candidate]) -> Extraction:
        """The facts that pass, beside the `known` ones, and a trace of what was dropped and why."""
        candidates: list[Candidate] = []
        aliases: list[AliasCandidate] = []
        trace: list[Trace] = []
        for fact in facts[:MOST_FACTS]:
            found = self._candidate(fact, turn)
            if isinstance(found, str):
                trace.append(Trace(rule=f"{RULE}.dropped", span=(0, 0), reason=found))
                continue
            candidate, alias = found
            if self._is_known(candidate, (*known, *candidates)):
                continue
            candidates.append(candidate)
            trace.append(Trace(rule=f"{RULE}.{candidate.predicate}", span=candidate.span))
            aliases += [alias] if alias is not None else []
        if len(facts) > MOST_FACTS:
            left = len(facts) - MOST_FACTS
            trace.append(
                Trace(rule=f"{RULE}.dropped", span=(0, 0), reason=f"{left} facts too many")
            )
        return Extraction(candidates=tuple(candidates), aliases=tuple(aliases), trace=tuple(trace))

    def _is_known(self, new: Candidate, known: Sequence[Candidate]) -> bool:
        """What a rule read stays: no second reading of the same object, or of a topic with one value."""
        return any(
            key(one.entity) == key(new.entity)
            and (
                key(one.object) == key(new.object)
                or (one.predicate == new.predicate and new.predicate in self._single)
            )
            for one in known
        )

    def _candidate(self, fact: Any, turn: Turn) -> tuple[Candidate, AliasCandidate | None] | str:
        """The claim with an alias of its entity, or why it is not believed."""
        if not isinstance(fact, dict) or fact.keys() != _FIELDS:
            return "not the fields that were asked for"
        if not all(isinstance(value, str) for value in fact.values()):
            return "a field is not text"
        predicate, polarity, tense = fact["predicate"], fact["polarity"], fact["tense"]
        if predicate not in self._kinds:
            return "a predicate of its own"
        if polarity not in {"+", "-"} or tense not in {"present", "past", "future"}:
            return "a polarity or tense of its own"
        if (tense == "future") is not (predicate == "plans_to"):
            return "a plan told as done"
        text = turn.message.text
        quote = fact["quote"].strip()
        start = text.find(quote)
        if not quote or len(quote) > LONGEST_QUOTE or start < 0:
            return "its quote does not stand in the message"
        told = _standing_in(fact["object"], quote)
        if told is None:
            return "its object does not stand in its quote"
        whose = self._whose(fact["entity"].strip(), turn)
        if whose is None or key(whose.name) == key(told):
            return "its entity does not stand in the message"
        if not self._agrees(quote, predicate, polarity):
            return "its sign does not agree with the sentence"
        kind = self._kinds[predicate]
        span = (start, start + len(quote))
        candidate = Candidate(
            entity=whose.name,
            predicate=predicate,
            object=told,
            polarity=polarity,
            tense=tense,
            text=_sentence(text, span),
            span=span,
            rule=f"{RULE}.{predicate}",
            confidence=CONFIDENCE,
            object_kind="value" if kind in _VALUES else kind,
        )
        return candidate, whose.alias

    def _whose(self, entity: str, turn: Turn) -> _Whose | None:
        """The speaker, a relative or acquaintance whom the text speaks of, or a name in the text."""
        message = turn.message
        speaker = self._speaker | {key(message.speaker)}
        if key(entity) in speaker:
            return _Whose(message.speaker)
        if len(entity) > LONGEST_NAME or _CONTROL.search(entity):
            return None
        related = _RELATIVE.fullmatch(entity)
        if related and key(related["owner"]) in speaker:
            return self._relative(related, turn)
        plain = key(entity)
        if not plain or plain in self._relatives or plain in self._pronouns:
            return None
        like_a_name = entity[0].isupper() or (len(entity) >= 2 and _HAN.match(entity))
        return _Whose(entity) if like_a_name and _has_words(message.text, entity) else None

    def _relative(self, related: re.Match[str], turn: Turn) -> _Whose | None:
        word = (related["en"] or related["zh"]).strip()
        plain = self._relatives.get(key(word))
        if plain is None or not _has_words(turn.message.text, word):
            return None
        joint = "'s " if related["en"] else "的"
        name = f"{turn.message.speaker}{joint}{word}"
        if plain == key(word):
            return _Whose(name)
        return _Whose(name, AliasCandidate(name, f"{turn.message.speaker}{joint}{plain}"))

    def _agrees(self, quote: str, predicate: str, polarity: str) -> bool:
        denied = self._harmless.sub(" ", quote.replace("’", "'"))
        negated = self._negated.search(denied) is not None
        if polarity == "-":
            return negated
        return not negated or predicate in self._denials


def _standing_in(words: str, quote: str) -> str | None:
    """The words as the quote has them, None where it has not."""
    told = words.strip().strip('.,;:!?。，；：！？"“”')
    if not told or len(told) > LONGEST_OBJECT or _CONTROL.search(told):
        return None
    found = _whole(told).search(quote)
    return found.group() if found else None


def _has_words(text: str, words: str) -> bool:
    return _whole(words).search(text) is not None


def _whole(words: str) -> re.Pattern[str]:
    """Matches the words where they are not part of a longer Latin word or number."""
    left = r"(?<![A-Za-z0-9])" if words[:1].isascii() and words[:1].isalnum() else ""
    right = r"(?![A-Za-z0-9])" if words[-1:].isascii() and words[-1:].isalnum() else ""
    return re.compile(left + re.escape(words) + right, re.IGNORECASE)


def _sentence(text: str, span: tuple[int, int]) -> str:
    """The sentence that holds a span, or the span itself where it runs over several."""
    for start, end in sentences(text):
        if start <= span[0] and span[1] <= end:
            return text[start:end]
    return text[slice(*span)]


def _relatives(lexicon: Lexicon) -> Mapping[str, str]:
    """Words for people around somebody, in both languages, with the plainest word for the same person."""
    found: dict[str, str] = {}
    for entry in lexicon.table("family", "en")["kin"]:
        for word in entry["words"]:
            plural = entry.get("plural", False)
            found[key(word)] = key(word if plural else entry.get("canonical", word))
    chinese = lexicon.table("family", "zh")
    for group in ("kin", "circle"):
        for entry in chinese[group].values():
            found.update((key(word), key(word)) for word in entry["words"])
    for names in chinese["same"]["names"]:
        found.update((key(word), key(names[0])) for word in names if key(word) in found)
    return found


def _negations(lexicon: Lexicon) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Negations, and the words that look like one."""
    english = "|".join(map(re.escape, lexicon.words("stopwords", "en", "negations")))
    chinese = "".join(lexicon.words("stopwords", "zh", "negations"))
    harmless = "|".join(map(re.escape, lexicon.words("model", None, "not_negations")))
    negated = rf"\b(?:{english}|cannot)\b|n't\b|[{re.escape(chinese)}]"
    return re.compile(negated, re.IGNORECASE), re.compile(harmless, re.IGNORECASE)
