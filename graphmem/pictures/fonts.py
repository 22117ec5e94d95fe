"""Which font has the characters of a picture; SVG and HTML leave that to whoever shows them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec

from graphmem.errors import ExtensionMissing
from graphmem.pictures.lines import is_wide

FALLBACK = "DejaVu Sans"


class MissingGlyphs(UserWarning):
    """No font on this machine has some characters of a picture; they are shown as boxes."""


def need_matplotlib() -> None:
    """Raises ExtensionMissing naming the extra."""
    if find_spec("matplotlib") is None:
        raise ExtensionMissing(
            "a picture as PNG needs matplotlib",
            expected="the extra `pictures`, or the format svg or html, which need nothing",
            next_step="pip install 'graphmem[pictures]'",
        )


def families(texts: Iterable[str]) -> list[str]:
    """The fonts to draw these texts with, best first. Warns MissingGlyphs where none has all of them."""
    wide = frozenset(char for text in texts for char in text if is_wide(char) and char.isalpha())
    if not wide:
        return [FALLBACK]
    found = _font_with(wide)
    if found is None:
        warnings.warn(
            "no font on this machine has Chinese characters, so they are shown as boxes; install one "
            "(Debian: apt-get install fonts-noto-cjk), or take svg or html",
            MissingGlyphs,
            stacklevel=4,
        )
        return [FALLBACK]
    return [FALLBACK, found]


def _font_with(characters: frozenset[str]) -> str | None:
    """The first installed font that has all of these, else the one that has most, None where none has any."""
    best, most = None, 0
    for name, file, index in installed():
        has = sum(ord(char) in covered(file, index) for char in characters)
        if has == len(characters):
            return name
        if has > most:
            best, most = name, has
    return best


def installed() -> list[tuple[str, str, int]]:
    """(family, file, place in it) of the fonts on this machine; likely ones first."""
    from matplotlib import font_manager  # noqa: PLC0415 - an extra

    entries = {
        (one.name, one.fname, getattr(one, "index", 0))
        for one in font_manager.fontManager.ttflist
        if "lastresort" not in one.name.replace(" ", "").lower()  # it has every character, as a box
    }
    likely = ("CJK", "Hei", "Song", "Sans GB", "PingFang", "YaHei", "Han", "Kai")
    return sorted(entries, key=lambda one: (not any(word in one[0] for word in likely), one))


@lru_cache(maxsize=256)
def covered(file: str, index: int) -> frozenset[int]:
    """The code points that a font file has."""
    from matplotlib.ft2font import FT2Font  # noqa: PLC0415 - an extra

    try:
        font = FT2Font(file, face_index=index) if index else FT2Font(file)
    except (RuntimeError, OSError, TypeError):
        return frozenset()
    return frozenset(font.get_charmap())
