"""Facts said without a verb: "asthmatic here", "no eggs for me", "chef at the Ritz"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphmem.protocols import TimeSpan
from graphmem_extractors.english.names import shown
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.verbs import subjects_of
from graphmem_extractors.english.vocabulary import Vocabulary
from graphmem_extractors.english.whose import Named

_SPLIT = re.compile(r",| and | or |&|/")
_DENIED = re.compile(
    r"\b(?:don't|do not|never|not|stop|nobody|no one)(?: ever| dare)? $", re.IGNORECASE
)
_ARTICLE = re.compile(r"^(?:a|an|the|my|some|any|so|no|and|also|but) ", re.IGNORECASE)

_SENTENCE_WORDS = frozenset({"i", "am", "is", "are", "was", "were", "as", "my", "we", "have", "has", "had", "live", "work", "it", "that", "he", "she", "they", "you", "who", "be", "been", "do", "does", "did"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Form:
    pattern: re.Pattern[str]
    entry: Mapping[str, Any]


class EllipsisReader:
    """Matches the forms `[[ellipses]]` of the topic extract_en in the words of a sentence."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._free: Mapping[str, str] = vocabulary.table("free_from")
        self._forms = [
            _Form(
                re.compile(entry["pattern"], 0 if "[A-Z]" in entry["pattern"] else re.IGNORECASE),
                entry,
            )
            for entry in vocabulary.table("ellipses")
        ]

    def read(self, reading: Reading) -> None:
        """Add what the sentence says without a verb."""
        body = self._body(reading)
        for form in self._forms:
            for text, offset in self._places(form, reading, body):
                found = form.pattern.match(text, offset)
                if found and self._add(reading, form, found):
                    break

    def _body(self, reading: Reading) -> str:
        parsed = reading.sentence.parsed
        if reading.sentence.elided:
            parsed = re.sub(r"^I (?:am |was |have )?", "", parsed)
        return parsed

    def _places(self, form: _Form, reading: Reading, body: str) -> list[tuple[str, int]]:
        where = form.entry["where"]
        if where == "raw":
            return [(reading.said.strip(), 0)]
        lowered = body[:1].lower() + body[1:]
        if where == "start":
            return [(body, 0), (lowered, 0)]
        if where == "part":
            starts = [
                0,
                *(
                    hit.end()
                    for hit in re.finditer(
                        r"[,:(]\s*(?:and |but |so |also )?|\b(?:and|but|so) ", body
                    )
                ),
            ]
            return [(words, start) for words in (body, lowered) for start in starts]
        return [(lowered, hit.start()) for hit in re.finditer(r"\b\w", body)]

    def _add(self, reading: Reading, form: _Form, found: re.Match[str]) -> bool:
        entry = form.entry
        if entry.get("bare") and (reading.clauses and not _only_be(reading)):
            return False
        if _DENIED.search(found.string[: found.start()]):
            return False
        subject = self._subject(reading, entry, found)
        if subject is None:
            return False
        raw = found.group("o").strip(" .,!'")
        if entry["where"] == "raw" and raw.lower().startswith(("no ", "not ")):
            return False
        words = list(_SPLIT.split(raw) if entry.get("split") else [raw])
        added = False
        for word in words:
            text = _ARTICLE.sub("", word.strip()).strip()
            if not text or ("class" in entry and not self._vocabulary.is_a(text, entry["class"])):
                continue
            if _SENTENCE_WORDS & set(re.split(r"[\s']", text.lower())):
                continue
            if text.lower() in self._vocabulary.words("pronouns") or self._known(
                reading, subject, entry, text
            ):
                continue
            predicate = entry["predicate"]
            if (
                predicate == "eats"
                and not self._vocabulary.is_a(text, "foods")
                and self._vocabulary.is_a(text, "drinks")
            ):
                predicate = "drinks"
            reading.add(
                subject, predicate, text, rule=f"ellipsis.{entry['predicate']}", kind="topic",
                polarity=entry.get("polarity", "+"), tense=entry.get("tense", "present"),
                confidence=entry.get("confidence", 0.87),
                times=_near(reading, found),
            )  # fmt: skip
            free = self._free.get(text.lower()) if entry.get("polarity") == "-" else None
            if free and entry["predicate"] == "eats":
                reading.add(subject, "follows_diet", free, rule="ellipsis.follows_diet", kind="topic", confidence=0.85, times=_near(reading, found))  # fmt: skip
            added = True
        if added and entry.get("place"):
            place = found.group("p").removeprefix("the ").strip(" .,")
            reading.add(subject, entry["place"], place, rule=f"ellipsis.{entry['place']}", confidence=0.86, kind="organisation")  # fmt: skip
        return added

    def _known(self, reading: Reading, subject: Named, entry: Mapping[str, Any], text: str) -> bool:
        return any(
            c.entity == subject.name and text.lower() in c.object.lower() and (c.predicate == entry["predicate"] or c.slot == "diet")
            for c in reading.candidates
        )  # fmt: skip

    def _subject(
        self, reading: Reading, entry: Mapping[str, Any], found: re.Match[str]
    ) -> Named | None:
        name = found.groupdict().get("n")
        if not name and entry.get("whose") == "subject" and reading.clauses:
            return next(iter(subjects_of(reading.clauses[0], reading)), None)
        if not name:
            return reading.speaker
        low = name.lower()
        if "'" in name:
            return None
        if low in {"me", "i", "myself"}:
            return reading.speaker
        if low in self._vocabulary.kin:
            return Named(f"{reading.message.speaker}'s {shown(low)}", "person")
        if name[:1].isupper() and low not in {
            "also",
            "now",
            "strictly",
            "so",
            "and",
            "fully",
            "currently",
            "still",
            "officially",
        }:
            return Named(name, "person")
        return (
            reading.speaker
            if low in {"also", "now", "strictly", "so", "and", "fully", "still"}
            else None
        )


def _near(reading: Reading, found: re.Match[str]) -> list[TimeSpan]:
    """The times inside the matched words or right behind them, in the same breath."""
    added = len(reading.sentence.parsed) - len(found.string)
    first = reading.sentence.place(added + found.start())
    last = reading.sentence.place(min(added + found.end(), len(reading.sentence.places) - 1))
    return [
        s for s in reading.spans if s.anchor in {"since", "until"} and first <= s.start <= last + 2
    ]


def _only_be(reading: Reading) -> bool:
    return all(clause.lemma == "be" for clause in reading.clauses)
