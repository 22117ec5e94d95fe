"""The same fact said again (R2.7): evidence for what is known, not a second fact. Pure.

Numbers, codes and negations are never merged away: "locker number 1" and "number 2" are two facts.
"""

from __future__ import annotations

from graphmem.lexicon import Lexicon
from graphmem.lifecycle.detail import names_instance
from graphmem.lifecycle.reading import Reading, read
from graphmem.lifecycle.subjects import SPEAKER
from graphmem.lifecycle.values import values_in
from graphmem.lifecycle.wording import MATTER_MARKS
from graphmem.model import Fact, Kind
from graphmem.words import key

_MEDICINE = "takes_medicine"
_NO_DOSE = frozenset(
    {"clock", "weekday", "month", "day", "year", "code", "n:年", "n:year", "n:天", "n:岁"}
)


def same_claim(a: Fact, b: Fact, lexicon: Lexicon) -> bool:
    """True where the two facts claim the same thing.

    Claims: the same entity, predicate, object, polarity and times. Notes: the same entity, content
    words, names, values, cues of change and negations.
    """
    if a.entity_id != b.entity_id or a.kind is not b.kind:
        return False
    if a.kind is Kind.CLAIM:
        return _same_triple(a, b) and not _other_dose(a, b) and not _other_detail(a, b, lexicon)
    if key(a.text) == key(b.text):
        return True
    one, other = read(a.text, a.language, lexicon), read(b.text, b.language, lexicon)
    return (
        bool(one.terms)
        and one.terms == other.terms
        and one.values == other.values
        and _about(one) == _about(other)
        and one.sides == other.sides
        and one.marks.keys() - MATTER_MARKS == other.marks.keys() - MATTER_MARKS
    )


def _about(reading: Reading) -> frozenset[str]:
    """Whom a statement is about; where it does not say, the speaker."""
    return frozenset().union(*reading.people) or frozenset({SPEAKER})


def _other_dose(a: Fact, b: Fact) -> bool:
    """True for one medicine in two doses: numbers are never merged away."""
    if a.predicate != _MEDICINE:
        return False
    one, other = values_in(a.text, a.language), values_in(b.text, b.language)
    kinds = (one.keys() & other.keys()) - _NO_DOSE
    return any(one[kind].isdisjoint(other[kind]) for kind in kinds)


def _other_detail(a: Fact, b: Fact, lexicon: Lexicon) -> bool:
    """True where one says which of a class it is ("my VW is a Touran"), and the other does not."""
    return names_instance(a.text, a.object, lexicon) != names_instance(b.text, b.object, lexicon)


def _same_triple(a: Fact, b: Fact) -> bool:
    return (
        a.predicate == b.predicate
        and a.polarity == b.polarity
        and a.tense == b.tense
        and key(a.object) == key(b.object)
        and (a.valid_from or b.valid_from) == (b.valid_from or a.valid_from)
        and (a.valid_to or b.valid_to) == (b.valid_to or a.valid_to)
        and a.happens_at == b.happens_at
    )
