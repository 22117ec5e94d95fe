"""The words of chat exports, as sets and patterns ready to be matched."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphmem.lexicon import Lexicon
from graphmem.model import Role

# Marks that steer the direction of writing or have no width. The joiners U+200C and U+200D are left:
# they are part of emoji and of Persian spelling.
_INVISIBLE = dict.fromkeys(
    (0x200B, 0x200E, 0x200F, 0xFEFF, 0x2060, 0x061C, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
)
_BLANKS = re.compile(r"\s+")
# "<Media omitted>" in any language: angle brackets around words, and nothing else.
_IN_ANGLES = re.compile(r"<(?!\w+[:：])(?=[^<>]*(?:\s|[^\x00-\x7f]))[^<>\n]{3,60}>")
_SHORT = 120  # characters of a text that a messenger writes by itself


def visible(text: str) -> str:
    """`text` without direction marks and zero-width blanks."""
    return text.translate(_INVISIBLE)


def name_of(text: str) -> str:
    """A speaker's name as it should be shown: visible, blanks squeezed, without the "~" of unknown contacts."""
    return _BLANKS.sub(" ", visible(text)).strip().removeprefix("~").strip()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Role names, half-day words, notices and placeholders, case-folded."""

    roles: Mapping[str, Role]
    shared_names: frozenset[str]
    not_names: frozenset[str]
    am: frozenset[str]
    pm: frozenset[str]
    notices: tuple[str, ...]
    placeholders: frozenset[str]
    own_texts: re.Pattern[str]
    attached: re.Pattern[str]
    suffixes: tuple[str, ...]
    chat_files: tuple[str, ...]

    @classmethod
    def of(cls, lexicon: Lexicon) -> Vocabulary:
        """The table "chatlogs" of the lexicon."""

        def words(name: str) -> tuple[str, ...]:
            return tuple(word.casefold() for word in lexicon.words("chatlogs", None, name))

        roles: dict[str, Role] = {}
        for role in ("user", "assistant", "system", "tool"):
            roles.update(dict.fromkeys(words(role), role))
        return cls(
            roles=roles,
            shared_names=frozenset(words("assistant_beside_user")),
            not_names=frozenset(words("not_names")),
            am=frozenset(map(_half_day, words("am"))),
            pm=frozenset(map(_half_day, words("pm"))),
            notices=words("notices"),
            placeholders=frozenset(words("placeholders")),
            own_texts=re.compile(
                "|".join(lexicon.words("chatlogs", None, "own_texts")), re.IGNORECASE
            ),
            attached=_attached(words("attached")),
            suffixes=words("suffixes"),
            chat_files=words("chat_files"),
        )

    def role_of(self, name: str) -> Role | None:
        """The role that a name stands for, None where it is somebody's own name."""
        return self.roles.get(name.casefold())

    def says_nothing(self, text: str) -> bool:
        """Whether a text is only the placeholder of something left out of the export, or what the
        messenger wrote in somebody's name.
        """
        said = text.strip()
        return (
            said.casefold() in self.placeholders
            or _IN_ANGLES.fullmatch(said) is not None
            or (len(said) < _SHORT and self.own_texts.fullmatch(said) is not None)
        )

    def with_files_named(self, text: str) -> str:
        """`text` with "<attached: cat.jpg>" and "cat.jpg (file attached)" as "[attachment: cat.jpg]"."""
        return self.attached.sub(lambda found: f"[attachment: {found[1] or found[2]}]", text)

    def is_notice(self, text: str) -> bool:
        """Whether a text has the wording of a messenger's own notices."""
        folded = text.casefold()
        return any(notice in folded for notice in self.notices)

    def without_suffix(self, text: str) -> str:
        """`text` without what a messenger appended to it."""
        folded = text.casefold()
        for suffix in self.suffixes:
            if folded.endswith(suffix) and len(folded) == len(text):
                return text[: -len(suffix)].rstrip()
        return text

    def hour(self, hour: int, half: str | None) -> int:
        """An hour 0 to 23 of a clock time with its half-day word, if it has one."""
        if half is None or hour > 12:
            return hour
        word = _half_day(half.casefold())
        if word in self.pm:
            return hour % 12 + 12
        return hour % 12 if word in self.am else hour

    def half_days(self) -> str:
        """A pattern for any half-day word, blanks within it allowed."""
        return _alternatives(sorted(self.am | self.pm, key=len, reverse=True))


def _attached(words: Sequence[str]) -> re.Pattern[str]:
    """The two ways of naming a file that was sent: in angle brackets, and in front of words in round ones."""
    told = "|".join(map(re.escape, words))
    return re.compile(
        rf"<[^<>:：\n]{{2,20}}[:：]\s?([^<>\n]{{1,200}}\.\w{{1,5}})>|^([^\n/]{{1,200}}\.\w{{1,5}}) \((?:{told})\)",
        re.IGNORECASE | re.MULTILINE,
    )


def _half_day(word: str) -> str:
    return _BLANKS.sub("", word).replace(".", "")


def _alternatives(words: Sequence[str]) -> str:
    return "|".join(r"\.?\s?".join(map(re.escape, word)) + r"\.?" for word in words)
