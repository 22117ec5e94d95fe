"""Words of a text, in both languages: normal forms, language, index terms, sentences, passages."""

from __future__ import annotations

import hashlib
import itertools
import re
import threading
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any

from graphmem.lexicon import Lexicon

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LATIN_WORD = re.compile(r"[A-Za-z]+")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SPACES = re.compile(r"\s+")
_EAST_ASIAN = (
    "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
)
# A Chinese year, month or day; a run of East Asian characters, or a word or code such as "192.0.2.44", "a.b@c.org", "plum-barn-90".
_TOKEN = re.compile(
    rf"(?P<date>\d+[年月日号])"
    rf"|(?P<asian>[{_EAST_ASIAN}]+)"
    rf"|(?P<word>[^\W_{_EAST_ASIAN}]+(?:[-._/:@+&#'][^\W_{_EAST_ASIAN}]+)*(?:\+\+|#)?)"
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PART = re.compile(r"[^\W\d_]+|\d+")
_JOINTS = re.compile(r"[-._/:@+&#']")
_DIGIT = re.compile(r"\d")
_RULES = 1  # raised when `terms` changes
_LONGEST_TERM = 100  # characters; more is a blob, not a word anybody asks for
_SHORT = 2000  # characters of a text whose terms are remembered for a while
_NEGATED = re.compile(r"n't$|^cannot$")
_APOSTROPHES = str.maketrans("’‘ʼ＇", "''''")


def clean(text: str) -> str:
    """`text` with lone surrogates replaced by U+FFFD and NULs by blanks, so that every layer below takes it."""
    return _SURROGATE.sub("\ufffd", text).replace("\x00", " ")


def key(name: str) -> str:
    """The normal form under which names are looked up: NFKC, case-folded, blanks squeezed."""
    folded = unicodedata.normalize("NFKC", name).casefold().replace("’", "'")
    return _SPACES.sub(" ", folded).strip()


def language_of(text: str) -> str:
    """ "zh" where Han characters carry the text, else "en" (a script count beats libraries on short text)."""
    han = len(_HAN.findall(text))
    return "zh" if han and han * 2 >= len(_LATIN_WORD.findall(text)) else "en"


def terms(text: str, language: str | None = None) -> list[str]:
    """The terms under which `text` is found by keyword, in order, repeated as often as they occur.

    Each script is read by its own rules wherever it stands; `language` ("en", "zh") is a hint that no
    rule has needed so far. English: case-folded, stemmed (Snowball), stop
    words out, negations kept ("don't" gives "not"). Numbers and codes: whole and in parts. Chinese:
    words, pairs of loose characters, characters; both spellings of width. The terms hold no blanks.
    """
    del language
    return list(_recent_terms(text) if len(text) <= _SHORT else _all_terms(text))


def day_terms(day: date) -> list[str]:
    """The terms under which a day is found: "2023-05-08", "2023", "may", "2023年", "5月", "五月", "8日"."""
    english = _stem(_stops("en").months[day.month - 1])
    chinese = _stops("zh").months[day.month - 1]
    numbers = [f"{day.year}年", f"{day.month}月", f"{day.day}日"]
    return [day.isoformat(), str(day.year), english, chinese, *numbers]


def terms_version() -> str:
    """Changes whenever `terms` may give something else for the same text, so that an index can tell."""
    used = [f"{name} {version(name)}" for name in ("PyStemmer", "rjieba")]
    tables = [
        sorted(Lexicon.load().table("stopwords", language).items()) for language in ("en", "zh")
    ]
    told = repr((_RULES, unicodedata.unidata_version, used, tables))
    return hashlib.blake2b(told.encode(), digest_size=8).hexdigest()


def meaningful(text: str, language: str | None = None) -> frozenset[str]:
    """The content words of `text`, to test whether two statements share a topic; `language` as in `terms`.

    Stop words, generic words ("thing", "really", 东西) and negations are out; numbers and codes are in.
    """
    del language
    found: set[str] = set()
    for kind, token in _tokens(text):
        generic = _stops("en" if kind == "word" else "zh").generic
        found.update(set(_terms_of(kind, token, fine=False)) - generic)
    return frozenset(found)


# --- tokens ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Stops:
    words: frozenset[str]
    generic: frozenset[str]
    characters: frozenset[str]
    negations: frozenset[str]
    months: tuple[str, ...]
    abbreviations: frozenset[str]


@cache
def _stops(language: str) -> _Stops:
    table = Lexicon.load().table("stopwords", language)
    generic = frozenset([*table["generic"], *table["negations"]])
    stemmed = frozenset(_stem(word) for word in generic) if language == "en" else generic
    return _Stops(
        words=frozenset(table["words"]),
        generic=stemmed,
        characters=frozenset(table.get("characters", ())),
        negations=frozenset(table["negations"]),
        months=tuple(table["months"]),
        abbreviations=frozenset(table.get("abbreviations", ())),
    )


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    folded = unicodedata.normalize("NFKC", clean(text)).casefold().translate(_APOSTROPHES)
    for match in _TOKEN.finditer(_THOUSANDS.sub("", folded)):
        yield match.lastgroup or "", match.group()


def _all_terms(text: str) -> tuple[str, ...]:
    return tuple(
        itertools.chain.from_iterable(
            _terms_of(kind, token, fine=True) for kind, token in _tokens(text)
        )
    )


_recent_terms = lru_cache(maxsize=1024)(_all_terms)  # a text is indexed, compared and ranked


_of_this_thread = threading.local()  # a stemmer keeps a cache and may not be shared


def _stem(word: str) -> str:
    stemmer = getattr(_of_this_thread, "stemmer", None)
    if stemmer is None:
        import Stemmer  # noqa: PLC0415

        stemmer = _of_this_thread.stemmer = Stemmer.Stemmer("english")
    return str(stemmer.stemWord(word))


@cache
def _segmenter() -> Any:
    import rjieba  # noqa: PLC0415

    return rjieba


def _terms_of(kind: str, token: str, *, fine: bool) -> tuple[str, ...]:
    if len(token) <= _LONGEST_TERM:
        return _known_terms(kind, token, fine)
    return tuple(_made_terms(kind, token, fine))


@lru_cache(maxsize=30_000)
def _known_terms(kind: str, token: str, fine: bool) -> tuple[str, ...]:  # noqa: FBT001 - hashed as it is
    return tuple(_made_terms(kind, token, fine))


def _made_terms(kind: str, token: str, fine: bool) -> Iterator[str]:  # noqa: FBT001 - as above
    if kind == "asian":
        yield from _asian_terms(token, fine=fine)
    elif kind == "date":
        yield from (token.replace("号", "日"), token[:-1])
    else:
        yield from _latin_terms(token)


def _latin_terms(token: str) -> Iterator[str]:
    plain = (token if token.isascii() else _without_accents(token)).removesuffix("'s")
    if _NEGATED.search(plain):
        yield from _word_terms(_NEGATED.sub("", plain))
        yield "not"
        return
    if plain.isalpha():
        yield from _word_terms(plain)
        return
    if len(plain) <= _LONGEST_TERM:
        yield plain.replace("'", "")
    for piece in _JOINTS.split(plain):
        if piece not in {"", plain} and not piece.isalpha():
            yield piece[:_LONGEST_TERM]
        for part in _PART.findall(piece):
            if part.isdigit():
                yield from () if part == piece else (part[:_LONGEST_TERM],)
            elif len(part) > 1:
                yield from _word_terms(part)


def _word_terms(word: str) -> Iterator[str]:
    if word and word not in _stops("en").words:
        yield _stem(word[:_LONGEST_TERM])


def _without_accents(word: str) -> str:
    parted = unicodedata.normalize("NFKD", word)
    if not any("a" <= letter <= "z" for letter in parted):
        return word
    return "".join(letter for letter in parted if not unicodedata.combining(letter))


def _asian_terms(run: str, *, fine: bool) -> Iterator[str]:
    """Words; `fine` adds shorter words inside long ones, pairs of single characters (names that the
    segmenter does not know), and the characters themselves.
    """
    stops = _stops("zh")
    cut = list(_segmenter().cut_for_search(run) if fine else _segmenter().cut(run))
    kept = [word for word in cut if word not in stops.words]
    yield from kept
    if not fine:
        yield from (
            w[1] for w in kept if len(w) == 2 and w[0] in stops.negations
        )  # 不吃 is about 吃
        return
    for first, second in itertools.pairwise(cut):
        if len(first) == len(second) == 1 and not {first, second} & stops.characters:
            yield first + second
    single = set(kept)
    yield from (letter for letter in run if letter not in stops.characters | single)


# --- sentences and passages ------------------------------------------------------------------------

_SENTENCE_END = re.compile(r"[。！？!?…]+[”’」』）)\"'\]】]*|\.+[”’」』）)\"'\]】]*(?=\s|$)|\n+")
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘]{1,12}$")
_CLAUSE_END = re.compile(r"[，、；：,;:]\s*|\s+")
_SHORT, _LONG, _ALONE, _TAIL = 200, 400, 300, 80  # characters of a passage


def sentences(text: str) -> list[tuple[int, int]]:
    """The sentences of `text` as half-open spans without outer blanks, in order; between them stand only blanks."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if _ends(text, start, match):
            spans.extend(_stripped(text, start, match.end()))
            start = match.end()
    spans.extend(_stripped(text, start, len(text)))
    return spans


def passages(text: str) -> list[tuple[int, int]]:
    """The passages of `text` as half-open spans without outer blanks: the units of search.

    Up to 300 characters are one passage; longer texts are cut at sentence ends into passages of about
    200 to 400 characters, sentences longer than that at clause ends. Takes linear time.
    """
    whole = _stripped(text, 0, len(text))
    if not whole or whole[0][1] - whole[0][0] <= _ALONE:
        return whole
    found: list[tuple[int, int]] = []
    start = end = -1
    for piece_start, piece_end in _pieces(text):
        if start < 0:
            start = piece_start
        elif (
            end - start >= _SHORT or piece_end - piece_start >= _SHORT
        ) and piece_end - start > _LONG:
            found.append((start, end))
            start = piece_start
        end = piece_end
    if found and end - start < _TAIL and end - found[-1][0] <= _LONG + _TAIL:
        start = found.pop()[0]
    found.append((start, end))
    return found


def _stripped(text: str, start: int, end: int) -> list[tuple[int, int]]:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    right = len(part.rstrip())
    return [(start + left, start + right)] if right > left else []


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether punctuation ends the sentence: not after "Dr.", an initial, or before a small letter."""
    mark = match.group()
    if not mark.startswith("."):
        return mark[0] not in "!?" or _free(text, match.end())
    after = text[match.end() : match.end() + 80].lstrip()
    if after[:1].islower():
        return False
    if mark.startswith(".."):
        return True
    word = _LAST_WORD.search(text[max(start, match.start() - 12) : match.start()])
    if word is None:
        return True
    last = word.group().casefold()
    initial = len(last) == 1 and last.isalpha() and word.group().isupper() and last != "i"
    return not (bool(after) and (initial or last in _stops("en").abbreviations))


def _free(text: str, at: int) -> bool:
    """Whether nothing of a code or address ("a?b=c") goes on at `at`."""
    following = text[at : at + 1]
    return not (following.isascii() and (following.isalnum() or following in set("=&/_-")))


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Sentences, those that are too long cut at clause ends, or anywhere."""
    for start, end in sentences(text):
        at = start
        while end - at > _LONG:
            cuts = [m.end() for m in _CLAUSE_END.finditer(text, at + _SHORT, at + _LONG)]
            cut = cuts[-1] if cuts else at + _LONG
            yield from _stripped(text, at, cut)
            at = cut
        yield from _stripped(text, at, end)
