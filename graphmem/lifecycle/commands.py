"""Spoken orders about scheduled events (R3.4): reschedule, cancel, correct. Pure.

An order is the owner's own decision and is carried out at once. A statement that something was moved
("the meeting got moved to Friday") is no order: it goes to review like any other. Where it is not clear
which event is meant, nothing is recognised, and the rules of nomination apply.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from graphmem.lexicon import Lexicon
from graphmem.lifecycle.phrases import Book, Normal, stem
from graphmem.lifecycle.reading import Reading, read, shared_terms
from graphmem.lifecycle.values import values_in
from graphmem.model import Fact, State
from graphmem.protocols import TimeSpan
from graphmem.when import When

Order = Literal["reschedule", "cancel", "correct"]
_CONTRAST = re.compile(r"\bnot\b|不是|而非")
_DENIED = re.compile(r"(?:\bnot|\binstead of|不是|而非)(?: at| on)?\s*$")  # the wrong value follows
_HOUR = re.compile(r"(\d{1,2})(?::(\d{2}))?")
_BARE = 2
_LIVE = frozenset({State.CURRENT, State.UNSURE})
_CLOCK_ONLY = re.compile(
    r"(?:at )?\d{1,2}(?:[:.]\d{2})?(?: ?[ap]\.?m\.?)?(?: o'?clock)?|noon|midnight"
    r"|(?:上午|下午|早上|晚上|中午|凌晨)?[\d一二三四五六七八九十两]+(?:点钟?|[:：时])(?:半|[一三]刻|[\d一二三四五六七八九十]+分?)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Command:
    """An order: what to do with which fact, the new time where one is said, and the words for it."""

    order: Order
    fact: Fact
    when: When | None
    cue: str


@dataclass(frozen=True, slots=True)
class _Words:
    leads: frozenset[str]
    reschedule: tuple[str, ...]
    toward: frozenset[str]
    cancel: tuple[str, ...]
    cancel_phrases: Book
    told: tuple[str, ...]
    excuses: tuple[str, ...]


def may_command(
    text: str, *, language: str, lexicon: Lexicon, spans: Sequence[TimeSpan] = ()
) -> bool:
    """Whether `text` could be an order at all, whatever is scheduled: most statements cannot."""
    return bool(_cue_of_correction(text, language, lexicon)) or (
        _order(text, language, lexicon, spans)[0] is not None
    )


def command(
    text: str,
    scheduled: Sequence[Fact],
    *,
    language: str,
    lexicon: Lexicon,
    spans: Sequence[TimeSpan] = (),
) -> Command | None:
    """The order in `text` about one of the `scheduled` facts, or None.

    `scheduled` are facts with a time of their own, newest last; `spans` the times found in `text`.
    The event meant is the one that shares words with the text, or stands at the time named as the
    old one, or, for a bare pronoun, the one said last.
    """
    live = [fact for fact in scheduled if fact.state in _LIVE and fact.text != text]
    if not live:
        return None
    corrected = _correction(text, live, language, lexicon, spans)
    if corrected is not None:
        return corrected
    order, cue = _order(text, language, lexicon, spans)
    if order is None:
        return None
    old_span, new_span = _times(spans, order)
    fact = _meant(read(text, language, lexicon), live, old_span, cue=cue, lexicon=lexicon)
    if fact is None:
        return None
    when = _composed(new_span, fact) if order == "reschedule" else None
    return Command(order, fact, when, cue)


def _order(
    text: str, language: str, lexicon: Lexicon, spans: Sequence[TimeSpan]
) -> tuple[Order | None, str]:
    if text.rstrip().endswith(("?", "？")):
        return None, ""
    words = _words_of(lexicon, language)
    normal = Normal.of(text, language)
    for clause in normal.clauses(exact=True, joint="" if language == "zh" else " "):
        found = _order_zh(clause, words) if language == "zh" else _order_en(clause, words)
        if found[0] == "reschedule" and not spans:
            continue
        if found[0] is not None:
            return found
    for cue in words.cancel_phrases.find(normal).get(("cancel",), ()):
        if language == "zh" or cue.at == 0:
            return "cancel", cue.phrase
    return None, ""


def _order_en(clause: str, words: _Words) -> tuple[Order | None, str]:
    tokens = clause.split()
    while tokens and tokens[0] in words.leads and stem(tokens[0]) not in words.reschedule:
        tokens = tokens[1:]
    if not tokens:
        return None, ""
    if tokens[0] in words.cancel:
        return "cancel", tokens[0]
    if tokens[0] in words.reschedule and words.toward & set(tokens[1:]):
        return "reschedule", tokens[0]
    return None, ""


def _order_zh(clause: str, words: _Words) -> tuple[Order | None, str]:
    if clause.endswith("了") or any(word in clause for word in words.told):
        return None, ""
    for verb in words.cancel:
        before, found, _ = clause.partition(verb)
        if found and (not before or _only_leads(before, words) or before.startswith(("把", "将"))):
            return "cancel", verb
    for verb in words.reschedule:
        before, found, after = clause.partition(verb)
        if found and before and after:
            return "reschedule", verb
    return None, ""


def _only_leads(text: str, words: _Words) -> bool:
    rest = text
    while rest:
        lead = next((word for word in words.leads if rest.startswith(word)), "")
        if not lead:
            return False
        rest = rest[len(lead) :]
    return True


def _times(spans: Sequence[TimeSpan], order: Order) -> tuple[TimeSpan | None, TimeSpan | None]:
    """The time the event stands at and the one it is to have, as far as they are said."""
    timed = [span for span in spans if span.when is not None]
    if order == "cancel":
        return (timed[0] if timed else None), None
    if len(timed) >= 2:
        return timed[0], timed[-1]
    return None, (timed[0] if timed else None)


def _meant(
    reading: Reading,
    live: Sequence[Fact],
    old: TimeSpan | None,
    *,
    cue: str,
    lexicon: Lexicon,
) -> Fact | None:
    """The one fact that fits best, or None where none or several do."""
    ranked: list[tuple[float, int]] = []
    for at, fact in enumerate(live):
        other = read(fact.text, fact.language, lexicon)
        words = len(shared_terms(reading, other))
        events = "event" in reading.topics and "event" in other.topics
        at_time = _stands_at(fact, old)
        if old is not None and fact.happens_at is not None and not at_time:
            continue
        score = 2.0 * words + (1.5 if at_time else 0.0) + (0.5 if events and words else 0.0)
        ranked.append((score, at))
    if not ranked:
        return None
    best = max(score for score, _ in ranked)
    fitting = [at for score, at in ranked if score == best]
    if best > 0:
        chosen = fitting[-1] if _one_chain(live, fitting) else None
    else:
        chosen = fitting[-1] if _points_back(reading, cue) else None
    return None if chosen is None else live[chosen]


def _one_chain(live: Sequence[Fact], fitting: Sequence[int]) -> bool:
    """True where the facts are claims of one statement, so that any of them stands for the event."""
    sources = {live[at].sources for at in fitting}
    return len(fitting) == 1 or (len(sources) == 1 and () not in sources)


def _points_back(reading: Reading, cue: str) -> bool:
    """True where nothing but a pronoun says what is meant."""
    return "back" in reading.marks and not reading.terms - {stem(cue), cue}


def _stands_at(fact: Fact, span: TimeSpan | None) -> bool:
    if span is None or span.when is None or fact.happens_at is None:
        return False
    return fact.happens_at.interval.overlaps(span.when.interval)


def _composed(span: TimeSpan | None, fact: Fact) -> When | None:
    """The new time; an hour without a day is meant on the event's own day."""
    if span is None or span.when is None:
        return None
    when = span.when
    if (
        fact.happens_at is not None
        and when.precision == "instant"
        and _CLOCK_ONLY.fullmatch(span.text.strip())
    ):
        day = fact.happens_at.start.astimezone(when.start.tzinfo)
        return When.of(when.start.replace(year=day.year, month=day.month, day=day.day))
    return when


def _cue_of_correction(text: str, language: str, lexicon: Lexicon) -> str:
    known = read(text, language, lexicon).marks.get("correct")
    return known.phrase if known is not None else _excused(text, _words_of(lexicon, language))


def _correction(
    text: str,
    live: Sequence[Fact],
    language: str,
    lexicon: Lexicon,
    spans: Sequence[TimeSpan],
) -> Command | None:
    """ "Sorry, it's 14:30, not 15:30": a word of correction, the wrong value and the right one."""
    cue = _cue_of_correction(text, language, lexicon)
    if not cue:
        return None
    reading = read(text, language, lexicon)
    fitting: list[Fact] = []
    for fact in live:
        other = values_in(fact.text, fact.language)
        if _mends(reading.values, other) and _may_mean(reading, fact, lexicon):
            fitting.append(fact)
    if not fitting or not _one_chain(fitting, range(len(fitting))):
        return None
    fact = fitting[-1]
    right = [
        span
        for span in spans
        if span.when is not None
        and not _stands_at(fact, span)
        and not _DENIED.search(text[: span.start].casefold())
    ]
    when = _composed(right[0], fact) if right else _by_value(reading.values, fact)
    return Command("correct", fact, when, cue)


def _by_value(values: Mapping[str, frozenset[str]], fact: Fact) -> When | None:
    """The one new hour that the text names, on the day and the half of the day of the event."""
    fresh = values.get("clock", frozenset()) - values_in(fact.text, fact.language).get(
        "clock", frozenset()
    )
    found = _HOUR.fullmatch(next(iter(fresh))) if len(fresh) == 1 else None
    if found is None or fact.happens_at is None or fact.happens_at.precision != "instant":
        return None
    before = fact.happens_at.start
    hour = int(found[1]) % 12 + (12 if before.hour >= 12 else 0)
    return When.of(before.replace(hour=hour, minute=int(found[2] or 0)))


def _excused(text: str, words: _Words) -> str:
    """The excuse with which a text sets one value against another: "sorry, it's 13:30, not 12:30"."""
    low = text.casefold()
    if _CONTRAST.search(low) is None:
        return ""
    return next((each for each in words.excuses if low.startswith(each)), "")


def _mends(new: Mapping[str, frozenset[str]], old: Mapping[str, frozenset[str]]) -> bool:
    """True where the text names a value of the old fact together with another of its kind."""
    ours, theirs = _by_sort(new), _by_sort(old)
    return any(
        sort in theirs and values & theirs[sort] and values - theirs[sort]
        for sort, values in ours.items()
    )


def _by_sort(values: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Values by kind, where hours and bare numbers are one ("at 11, not 10")."""
    found: dict[str, frozenset[str]] = {}
    for kind, each in values.items():
        sort = "clock" if kind == "n" else kind
        found[sort] = found.get(sort, frozenset()) | each
    return found


def _may_mean(reading: Reading, fact: Fact, lexicon: Lexicon) -> bool:
    other = read(fact.text, fact.language, lexicon)
    bare = len(reading.terms) <= _BARE and not reading.names  # hardly more than the cue itself
    return bool(shared_terms(reading, other)) or "back" in reading.marks or bare


@lru_cache(maxsize=8)
def _words_of(lexicon: Lexicon, language: str) -> _Words:
    table = lexicon.table("commands", language)
    return _Words(
        leads=frozenset(table["leads"]),
        reschedule=tuple(table["reschedule"]),
        toward=frozenset(table["toward"]),
        cancel=tuple(table["cancel"]),
        cancel_phrases=Book({("cancel",): table["cancel_phrases"]}, language),
        told=tuple(table.get("told", ())),
        excuses=tuple(table["excuses"]),
    )
