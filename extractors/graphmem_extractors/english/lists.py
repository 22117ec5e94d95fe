"""Facts told as a list: "Birthdays: Mum 3 May, Dad 4 June"."""

from __future__ import annotations

import re

from graphmem_extractors.english.names import shown
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.vocabulary import Vocabulary
from graphmem_extractors.english.whose import Named

_HEADING = re.compile(
    r"^\s*(?P<head>(?:[\w'-]+ ){0,3}?[\w'-]+)(?: (?:for|of|in|at) [\w' ]{2,30})?\s*:\s+(?P<rest>.+)$",
    re.DOTALL,
)
_PAIR = re.compile(
    r"^\s*(?:and )?(?P<who>me|i|[A-Z][\w-]+|[a-z]+)(?:'s)?(?: is| has| gets| -|:|=)? (?P<what>[^\s].{0,40})$"
)
_PREDICATES = {"birthdays": "birthday_on", "bdays": "birthday_on", "numbers": "phone_is", "phones": "phone_is", "phone numbers": "phone_is", "emails": "email_is", "mails": "email_is", "allergies": "allergic_to", "jobs": "works_as", "ages": "age_is", "diets": "follows_diet", "favourites": "favorite_is", "favorites": "favorite_is"}  # fmt: skip


class ListReader:
    """Reads a heading, a colon, and at least two pairs of a person and a value."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._kin = vocabulary.kin

    def read(self, reading: Reading) -> None:
        """Add one fact per pair."""
        found = _HEADING.match(reading.said)
        if found is None:
            return
        predicate = self._predicate(found.group("head"))
        pairs = [
            _PAIR.match(part) for part in re.split(r"[,;]| and ", found.group("rest").rstrip(" .!"))
        ]
        known = [(self._who(reading, p.group("who")), p.group("what")) for p in pairs if p]
        told = [(who, what) for who, what in known if who is not None]
        if found.group("head").lower().strip() in self._kin and len(told) >= 2:
            self._relatives(reading, found.group("head").lower().strip(), told)
            return
        if not predicate or len(told) < 2 or len(told) < len(pairs):
            return
        for who, what in told:
            reading.add(who, predicate, what, rule="list.pair", confidence=0.85, kind="value")

    def _relatives(self, reading: Reading, word: str, told: list[tuple[Named, str]]) -> None:
        """Relatives with their ages: "kids: Ella 9, Max 6"."""
        predicate = self._kin[word]["predicate"]
        for who, what in told:
            if predicate != "name_is":
                reading.add(reading.speaker, predicate, who.name, rule="list.kin", confidence=0.88, kind="person")  # fmt: skip
            if re.fullmatch(r"\(?\d{1,3}\)?", what.strip()):
                reading.add(who, "age_is", what.strip(" ()"), rule="list.kin", confidence=0.88, kind="value")  # fmt: skip

    def _predicate(self, heading: str) -> str:
        low = heading.lower().strip()
        for word in (low, low.rsplit(" ", 1)[-1]):
            if word in _PREDICATES:
                return _PREDICATES[word]
        if not low.endswith("s") or low.endswith("ss"):
            return ""
        return re.sub(r"\W+", "_", low[:-1]) + "_is"

    def _who(self, reading: Reading, word: str) -> Named | None:
        low = word.lower()
        if low in {"me", "i"}:
            return reading.speaker
        if low in self._kin:
            return Named(f"{reading.message.speaker}'s {shown(low)}", "person")
        return Named(word, "person") if word[:1].isupper() else None
