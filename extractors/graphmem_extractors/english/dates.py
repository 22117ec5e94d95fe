"""Birthdays and expiry dates, by the words before a date."""

from __future__ import annotations

import re
from dataclasses import replace

from graphmem.protocols import TimeSpan
from graphmem_extractors.english.owners import Owners
from graphmem_extractors.english.reading import Reading
from graphmem_extractors.english.whose import Named

_BIRTHDAY = re.compile(r"\b(?:birthday|b-?day|bday|birth ?date|date of birth|dob)\b", re.IGNORECASE)
_EXPIRY = re.compile(r"\b(?:expires?|valid (?:until|till|to|through)|good (?:until|till|through)|runs out|lapses|expiry(?: date)?|due (?:on|by)?)\b", re.IGNORECASE)  # fmt: skip


class DateReader:
    """Reads "X's birthday is DATE" and "X expires on DATE"."""

    def __init__(self, owners: Owners) -> None:
        self._owners = owners

    def read(self, reading: Reading, text: str) -> None:
        """Birthdays and expiry dates."""
        for span in reading.spans:
            if span.when is None or span.kind not in {"date", "instant"}:
                continue
            before = text[: span.start - reading.sentence.start]
            told = re.sub(
                r"^(?:on|by|until|till|in|since|for)(?: the)? ",
                "",
                span.text.strip(),
                flags=re.IGNORECASE,
            )
            birthday = list(_BIRTHDAY.finditer(before))
            if birthday and len(before) - birthday[-1].end() < 25:
                owner = self._owners.owner(reading, before[: birthday[-1].start()])
                if owner is None:
                    continue
                reading.add(
                    owner, "birthday_on", told, rule="value.birthday", confidence=0.92, kind="date"
                )
            expiry = list(_EXPIRY.finditer(before))
            if expiry and len(before) - expiry[-1].end() < 12:
                self._expiry(reading, before[: expiry[-1].start()], span, told)

    def _expiry(self, reading: Reading, before: str, span: TimeSpan, told: str) -> None:
        found = re.search(r"(?P<my>\b(?:my|our)\s+)?(?:\bthe\s+)?(?P<thing>[A-Za-z][\w'-]*(?: [a-z][\w'-]*){0,3}?)(?: is| are|'s)?\s*$", before)  # fmt: skip
        if found is None:
            return
        thing = re.sub(r"^(?:and|but|so) ", "", found.group("thing"))
        mine = re.match(r"(?:my|our) ", thing, re.IGNORECASE) is not None
        if thing.lower() in {"it", "which", "that", "they"}:
            known = reading.namer.context.thing()
            if known is None:
                return
            name = re.sub(r" number$", "", known[0])
        else:
            thing = re.sub(r"^(?:my|our|the) ", "", thing, flags=re.IGNORECASE)
            name = f"{reading.message.speaker}'s {thing}" if mine or found.group("my") or before.lower().lstrip().startswith(("my ", "our ")) else thing  # fmt: skip
        reading.namer.context.mention(name, "thing")
        reading.add(Named(name, "thing"), "expires_on", told, rule="value.expiry", confidence=0.85, kind="time", times=[_at(span)])  # fmt: skip


def _at(span: TimeSpan) -> TimeSpan:
    return replace(span, anchor="at")
