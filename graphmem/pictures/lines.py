"""How wide a text is, and where it breaks, without asking a font: Chinese characters are a full em."""

from __future__ import annotations

import unicodedata

_NARROW = frozenset("iljtfrI.,:;'|!()[] ")
MOST_LINES = 4


def width(text: str) -> float:
    """The width in em, on the safe side for a common sans-serif face."""
    return sum(map(_em, text))


def broken(text: str, most: float) -> list[str]:
    """At most four lines of at most `most` em; what does not fit ends in an ellipsis."""
    lines: list[str] = []
    line = ""
    for word in _words(" ".join(text.split())):
        if line and width(line + word) > most:
            lines.append(line.rstrip())
            line = word.lstrip()
        else:
            line += word
        while width(line) > most:
            cut = _fitting(line, most)
            lines.append(line[:cut])
            line = line[cut:]
    lines.append(line.rstrip())
    if len(lines) > MOST_LINES:
        lines = lines[:MOST_LINES]
        last = lines[-1]
        lines[-1] = last[: max(1, _fitting(last, most - 1))] + "…"
    return lines


def is_wide(character: str) -> bool:
    """Whether a character takes a full em, as Chinese ones do."""
    return unicodedata.east_asian_width(character) in {"W", "F"}


def _em(character: str) -> float:
    if is_wide(character):
        return 1.0
    if unicodedata.combining(character):
        return 0.0
    if character in _NARROW:
        return 0.36
    return 0.76 if character.isupper() else 0.61


def _words(text: str) -> list[str]:
    """Words with the blank before them; a full-width character is a word of its own."""
    words: list[str] = []
    for character in text:
        if not words or is_wide(character) or character == " " or is_wide(words[-1][-1]):
            words.append(character)
        else:
            words[-1] += character
    return words


def _fitting(text: str, most: float) -> int:
    """How many characters fit, at least one."""
    used = 0.0
    for place, character in enumerate(text):
        used += _em(character)
        if used > most:
            return max(1, place)
    return len(text)
