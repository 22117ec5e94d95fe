"""Chinese numerals read as numbers, colloquial short forms included (三百八 is 380, 两万三 is 23000)."""

from __future__ import annotations

DIGITS = {
    **{char: index for index, char in enumerate("零一二三四五六七八九")},
    **{char: index for index, char in enumerate("〇壹贰叁肆伍陆柒捌玖")},
    "两": 2,
    "俩": 2,
    "仨": 3,
}
_TENS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_MYRIADS = {"万": 10_000, "萬": 10_000, "亿": 100_000_000}
HAN_NUMERAL = "零〇一二两俩仨三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟萬"


def han_number(text: str) -> int | None:
    """The value of `text` in Arabic or Chinese digits, None where it is no number.

    廿 and fractions are not read. 二〇二四 is read digit by digit.
    """
    if text.isascii():
        return int(text) if text.isdigit() and len(text) <= 15 else None
    if text and all(char in DIGITS for char in text):
        return int("".join(str(DIGITS[char]) for char in text)) if len(text) <= 15 else None
    return _positional(text)


def _positional(text: str) -> int | None:
    total = section = 0
    digit: int | None = None
    last_unit = 1
    zero = False
    for char in text:
        if char in DIGITS:
            if digit is not None and digit:
                return None
            digit = DIGITS[char]
            zero = zero or digit == 0
        elif char in _TENS:
            last_unit = _TENS[char]
            section += (1 if digit is None else digit) * last_unit
            digit, zero = None, False
        elif char in _MYRIADS:
            last_unit = _MYRIADS[char]
            counted = section + (digit or 0)
            total = total + counted * last_unit if char in "万萬" else (total + counted) * last_unit
            section, digit, zero = 0, None, False
        else:
            return None
    if digit is not None:
        short = last_unit > 10 and not zero and text[-1] in DIGITS
        section += digit * (last_unit // 10 if short else 1)
    return total + section
