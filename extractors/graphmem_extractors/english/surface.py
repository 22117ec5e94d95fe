"""From a chat message to sentences a parser can read: splitting, fillers, and words left out.

Everything keeps its place: characters are replaced one for one, and a sentence whose subject was
left out ("vegan now btw") is parsed with it put back ("I'm vegan now"), the offset remembered.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphmem_extractors.english.vocabulary import Vocabulary

MAX_CHARACTERS = 6000
MAX_SENTENCES = 80
MAX_SENTENCE = 700

_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3\U000e0020-\U000e007f]+"
)
_SMILEY = re.compile(r"(?<!\S)(?:[:;=]['-]?[)(DPpO/|3]+|<3+|xD|XD|\^\^)(?!\S)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|no|nr|vs|approx|apt|ave|rd|blvd|dept|e\.g|i\.e|inc|ltd|co|jr|sr|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|tel|ext|min|max|ca|a\.m|p\.m)|\b[A-Za-z]|\d)\.$",
    re.IGNORECASE,
)
_BREAK = re.compile(r"[.!?…]+[)\"'”’]*(?=\s|$)|\n+|;(?=\s)|\s[-–—]{1,2}\s|—|[.!?]{2,}")

_IS = (
    r"(?:(?:now|still|also|not|really|officially|currently|only|just|both|almost|very|so|super|deathly|severely) )*"
    r"(?:a|an|the|my|our|his|vegan|vegetarian|veggie|pescatarian|allergic|called|named|at|in|on|from|scared|afraid|terrified|off|"
    r"diabetic|asthmatic|coeliac|pregnant|married|engaged|single|divorced|retired|based|left-handed|into|turning|moving|going|"
    r"getting|working|living|studying|been|\d)\b"
)
_NORMAL = (
    (re.compile(r"\bi[' ]?m\b(?! \w+ed in)", re.IGNORECASE), "I'm"),
    (
        re.compile(
            r"\b(ca|do|does|did|wo|is|are|was|were|have|has|could|would|should)nt\b", re.IGNORECASE
        ),
        r"\1n't",
    ),
    (re.compile(r"\bive\b", re.IGNORECASE), "I've"),
    (re.compile(r"\b(\w+)[ -]in[ -]law(s?)\b", re.IGNORECASE), r"\1inlaw\2"),
    (re.compile(r"\bex[ -](wife|husband|girlfriend|boyfriend)\b", re.IGNORECASE), r"ex\1"),
    (re.compile(rf"(?<=\w)(?<!\bthat)(?<!\bit)'s (?={_IS})", re.IGNORECASE), " is "),
    (re.compile(r"\bw/ ?(?=\w)"), "with "),
    (
        re.compile(r"\b(\d+) ?(?:yo|y/o|yr old|yrs old|y\.o\.)(?!\w)", re.IGNORECASE),
        r"\1 years old",
    ),
    (re.compile(r"\bthe missus\b", re.IGNORECASE), "my missus"),
    (re.compile(r"\bgonna\b", re.IGNORECASE), "going to"),
    (re.compile(r"\bwanna\b", re.IGNORECASE), "want to"),
    (re.compile(r"\bu\b(?=[ ,.!?]|$)"), "you"),
    (re.compile(r"\bfav(?:e|s)?\b", re.IGNORECASE), "favourite"),
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as the parser sees it.

    `start` and `end` are its place in the message; character i of `parsed` stands at `places[i]`
    in the message. `elided` says that the subject was left out and put back.
    """

    start: int
    end: int
    parsed: str
    places: tuple[int, ...]
    elided: bool = False

    def place(self, index: int) -> int:
        """Where the character `index` of `parsed` stands in the message."""
        return self.places[index] if index < len(self.places) else self.end


def plain(text: str) -> str:
    """`text` with emoji, control characters and curly quotes replaced one for one."""
    text = text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"')
    text = _EMOJI.sub(lambda hit: "\n".ljust(len(hit.group())), text)
    text = _SMILEY.sub(lambda hit: "\n".ljust(len(hit.group())), text)
    return re.sub(r"[\x00-\x09\x0b-\x1f\x7f\ufffd\u200b-\u200f\u2028\u2029]", " ", text)


def spans(text: str) -> list[tuple[int, int]]:
    """Sentence spans of a plain text, bounded in number and length; blank ones left out."""
    text = text[:MAX_CHARACTERS]
    found: list[tuple[int, int]] = []
    start = 0
    for hit in _BREAK.finditer(text):
        if hit.group() == "." and _inside(text, hit.start(), hit.end()):
            continue
        end = hit.end() if hit.group().strip() and hit.group().strip()[0] in ".!?…" else hit.start()
        _keep(found, text, start, end)
        start = hit.end()
    _keep(found, text, start, len(text))
    return found[:MAX_SENTENCES]


def _inside(text: str, dot: int, end: int) -> bool:
    """The full stop belongs to an abbreviation, an initial or a date."""
    if _ABBREVIATION.search(text[max(0, dot - 6) : dot + 1]) is None:
        return False
    following = text[end:].lstrip()[:1]
    one_letter_or_digit = (
        not text[dot - 1 : dot].isdigit() or following.islower() or following.isdigit()
    )
    if (
        text[dot - 1 : dot].isalpha()
        and text[dot - 2 : dot - 1] in {" ", ""}
        and text[dot - 1] == "I"
    ):
        return False
    return one_letter_or_digit and following != ""


def _keep(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    part = part.strip()
    if not re.search(r"\w", part):
        return
    begin = start + left
    while len(part) > MAX_SENTENCE:
        cut = part.rfind(" ", 0, MAX_SENTENCE)
        cut = cut if cut > MAX_SENTENCE // 2 else MAX_SENTENCE
        found.append((begin, begin + cut))
        begin += cut
        part = part[cut:]
    if part.strip():
        found.append((begin, begin + len(part)))


_FINITE = frozenset({"is", "are", "was", "costs", "moved", "got", "starts", "gets", "has", "postponed", "pushed", "cancelled", "canceled", "rescheduled", "needs", "would", "could", "might", "will", "can", "should", "makes", "helps", "sounds", "takes", "keeps", "gives", "seems"})  # fmt: skip


_RUN_ON = re.compile(
    r"(?:,| -)?\s{1,3}(?:and |but |so |then |plus )*(?=(?:i|i'm|im|i've|ive|i'd|i'll|we|we're|we've|we'll|he|he's|she|she's|they|they're|they've|it's)\s+\w)",
    re.IGNORECASE,
)
_NOT_ALONE = re.compile(
    r"^\W*(?:if|when|whenever|once|because|since|after|before|while|although|though|unless|until|as|where|had|whether|that|next time|every time|in case)\b|\b(?:if|that|because|when|who|which|where|think|thinks|say|says|said|told|know|hope|wish|guess|sure|so|than|since|while|until|till|before|after|once|as|what|how|why|whether|unless|though|although)\W*$|\b(?:said|says|told|asked)\b[^,]*$",
    re.IGNORECASE,
)


def parts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A long sentence cut where two were run together: ", and I ...", "... she ..."."""
    body = text[start:end]
    found: list[tuple[int, int]] = []
    last = 0
    for hit in _RUN_ON.finditer(body):
        cut = hit.group().strip()
        if not cut or hit.end() <= last:
            continue
        left, right = body[last : hit.start()], body[hit.end() :]
        if len(left.split()) < 3 or len(right.split()) < 3 or _NOT_ALONE.search(left):
            continue
        found.append((start + last, start + hit.start()))
        last = hit.end()
    found.append((start + last, end))
    return found


class Restorer:
    """Makes sentences parseable: blanks fillers, capitalises, puts the left-out subject back."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._filler = vocabulary.pattern("fillers")
        self._opener = vocabulary.pattern("openers")
        self._past = vocabulary.words("elided_verbs")
        self._adverbs = vocabulary.words("leading_adverbs")
        self._be = vocabulary.pattern("elided_be")
        kinds = ("diets", "conditions", "nationalities", "relationship")
        words = sorted({re.escape(w) for kind in kinds for w in vocabulary.words(kind)})
        self._contracted = re.compile(
            rf"(?<=\w)'s (?=(?:{'|'.join(words)})(?:[,.!]|$| and | but | from | now| too))",
            re.IGNORECASE,
        )

    def sentence(self, text: str, start: int, end: int) -> Sentence:
        """The sentence text[start:end] ready to parse."""
        body = self._blanked(text[start:end])
        kept = [
            i for i, c in enumerate(body) if not (c.isspace() and (i == 0 or body[i - 1].isspace()))
        ]
        squeezed = "".join(" " if body[i].isspace() else body[i] for i in kept)
        lead = len(squeezed) - len(squeezed.lstrip(" ,.!-–:)"))
        squeezed, places = squeezed[lead:], [start + i for i in kept[lead:]]
        for pattern, replacement in (*_NORMAL, (self._contracted, " is ")):
            squeezed, places = _replaced(pattern, replacement, squeezed, places)
        prefix = self._missing(squeezed)
        squeezed = _cased(squeezed, first=not prefix)
        if prefix and squeezed[1:2].islower():
            squeezed = squeezed[0].lower() + squeezed[1:]
        first = places[0] if places else start
        return Sentence(
            start, end, prefix + squeezed, (*(first,) * len(prefix), *places), bool(prefix)
        )

    def _blanked(self, body: str) -> str:
        body = self._filler.sub(lambda hit: " " * len(hit.group()), body)
        for _ in range(3):
            hit = self._opener.match(body)
            if not hit or not hit.group().strip():
                break
            body = " " * hit.end() + body[hit.end() :]
        return body

    def _missing(self, body: str) -> str:
        """The words to put before a sentence without a subject, or ''."""
        words = re.findall(r"[\w']+", body.lower()[:80])
        while words and words[0] in self._adverbs:
            words.pop(0)
        if not words:
            return ""
        first, second = words[0], words[1] if len(words) > 1 else ""
        if self._be.match(body):
            return "I was " if first in {"born", "raised"} else "I am "
        if first == "been":
            return "I have "
        if first in self._past:
            return "I "
        if (
            first.endswith("ed")
            and len(first) > 4
            and first not in self._vocabulary.words("not_verbs")
            and second not in {"is", "are", "was", "were", "by"}
        ):
            return "I "
        if (
            first.endswith("ing")
            and len(first) > 4
            and first in self._vocabulary.words("elided_progressive")
            and not set(words[1:8]) & _FINITE
        ):
            return "I am "
        return ""


def _replaced(
    pattern: re.Pattern[str], replacement: str, text: str, places: list[int]
) -> tuple[str, list[int]]:
    """`text` with all matches replaced, and the places kept in step."""
    pieces: list[str] = []
    kept: list[int] = []
    last = 0
    for hit in pattern.finditer(text):
        new = hit.expand(replacement)
        pieces += [text[last : hit.start()], new]
        kept += places[last : hit.start()]
        old = places[hit.start() : hit.end()]
        kept += [old[min(i, len(old) - 1)] for i in range(len(new))]
        last = hit.end()
    if not last:
        return text, places
    return "".join([*pieces, text[last:]]), kept + places[last:]


def _cased(body: str, *, first: bool) -> str:
    body = re.sub(r"\bi\b(?=$|[\s'])", "I", body)
    if body[:1].islower() and first and body[1:2].islower():
        body = body[0].upper() + body[1:]
    return body
