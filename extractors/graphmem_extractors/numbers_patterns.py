"""The rules that read values, the most specific first; words come from the lexicon `numbers`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from graphmem.lexicon import Lexicon
from graphmem_extractors.numbers_han import HAN_NUMERAL, han_number

Normal = Callable[[re.Match[str]], str | None]
_SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "CNY", "￥": "CNY", "₹": "INR"}
_WORDS = {
    "euro": "EUR", "euros": "EUR", "dollar": "USD", "dollars": "USD", "bucks": "USD", "pound": "GBP",
    "pounds": "GBP", "quid": "GBP", "yen": "JPY", "yuan": "CNY", "rmb": "CNY", "franc": "CHF", "francs": "CHF",
    "元": "CNY", "块": "CNY", "块钱": "CNY", "圆": "CNY", "人民币": "CNY", "美元": "USD", "美金": "USD", "刀": "USD",
    "欧元": "EUR", "日元": "JPY", "港币": "HKD", "港元": "HKD", "英镑": "GBP", "韩元": "KRW", "卢布": "RUB",
}  # fmt: skip
_CODES = frozenset({"usd", "eur", "gbp", "chf", "cny", "jpy", "inr", "aud", "cad", "sek", "nok", "dkk", "pln"})  # fmt: skip
_AMOUNT = r"\d{1,3}(?:[,' ]\d{3})+(?:\.\d{1,2})?(?!\d)|\d+(?:[.,]\d{1,2})?(?!\d)"
_HAN_AMOUNT = rf"[{HAN_NUMERAL}]{{1,12}}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, the kind it reads, and its normal form (None refuses the match).

    Where the pattern has a group `v`, that is the value; else the whole match is.
    """

    kind: str
    pattern: re.Pattern[str]
    normal: Normal
    partial: bool = False


def rules_for(lexicon: Lexicon, language: str) -> tuple[Rule, ...]:
    """The rules of a language, in order of precedence."""
    table = lexicon.table("numbers", language)
    return (
        *_shapes(lexicon),
        *(_chinese(table) if language == "zh" else _english(table)),
        *_plain(language),
    )


def _rule(kind: str, pattern: str, normal: Normal, *, partial: bool = False) -> Rule:
    return Rule(kind, re.compile(pattern, re.IGNORECASE), normal, partial)


def _shapes(lexicon: Lexicon) -> tuple[Rule, ...]:
    """What is known by its shape in any language."""
    secrets = "|".join(lexicon.words("numbers", "en", "secret_shapes"))
    return (
        _rule("url", r"(?<![\w@.])(?:https?://|www\.)[^\s<>\"'，。；！？、（）]{2,500}(?<![.,;:!?)\]])", _said),
        _rule("email", r"(?<![a-z0-9.+-])[a-z0-9._+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,5}[a-z]{2,24}(?![\w-])", _lower),
        _rule("ip", r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?![\w]|\.\d)", _address_of_host),
        _rule("url", r"(?<![\w@.-])(?:[a-z0-9-]{1,63}\.){1,4}(?:com|org|net|io|dev|app|cn|de|uk|eu|co|ai|info|example|fr|es|it|nl|ch|at)(?:/[^\s<>\"'，。；！？、（）]{0,300})?(?![\w@-])", _host),
        _rule("password", secrets, _said),
        _rule("account", r"(?<![\w])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,4})?(?!\w)", _iban),
        _rule("account", r"(?<![\w.-])[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])\d{3}[\dX](?!\w)", _upper),
        _rule("card", r"(?<![\w.+-])(?:\d[ -]?){12,18}\d(?![\w-]|\.\d)", _card),
        _rule("phone", r"(?<![\w.+-])(?:\+|00)[1-9][\d ()./-]{6,22}\d(?![\w-])", _international),
        _rule("phone", r"(?<![\w.-])1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?![\w-])", _digits),
        _rule("phone", r"(?<![\w.-])0\d{2,3}[ -]\d{7,8}(?![\w-])|(?<![\w.-])400[ -]?\d{3}[ -]?\d{4}(?![\w-])", _digits),
        _rule("phone", r"(?<![\w.-])(?:\(\d{3}\) ?|\d{3}[-. ])?\d{3}[-.]\d{4}(?![\w-]|\.\d)", _digits),
        _rule("percent", r"(?<![\w.])\d+(?:[.,]\d+)?\s?(?:%|％|percent\b|per cent\b)", _percent),
    )  # fmt: skip


def _english(table: Any) -> tuple[Rule, ...]:
    currencies, measures = "|".join(table["currencies"]), "|".join(table["measures"])
    streets = "|".join(table["streets"])
    link = (
        r"(?:\s+(?:number|no\.?|code|is now|is|was|=|to)|['’]s)?\s*(?:is\s+|[:=]\s*|#\s*|are\s+)?"
    )
    word = r"(?P<v>(?=[\w-]*\d)[A-Z0-9](?:[\w/-]{0,38}[A-Z0-9])?)(?![\w-])"
    return (
        _rule("password", rf"(?<!\w)(?:{'|'.join(table['password'])})(?:\s+(?:for|to|of)\s+[\w' ]{{1,30}}?)?(?:\s+(?:is now|is|was|=|to)|\s*[:=])\s*[\"'“]?(?P<v>(?!in\b|the\b|on\b|not\b|now\b|a\b|my\b|same\b|still\b|stored\b|under\b|too\b)[^\s\"'”,;]{{3,80}}(?<![.!?]))", _said),
        _rule("phone", r"(?:ending|ends|finishing)\s+(?:in|with|on)\s+(?P<v>\d{3,4})(?!\d)|last (?:three|four|3|4) digits(?:\s+\w+)?(?:\s+are|:)?\s+(?P<v2>\d{3,4})(?!\d)", _digits, partial=True),
        _rule("phone", rf"(?<!\w)(?:{'|'.join(table['phone'])})(?:\s+[a-z]+)?{link}(?P<v>\d[\d ().-]{{5,16}}\d)(?![\w-])", _local_phone),
        _rule("money", rf"(?<![\w.])(?P<symbol>[€$£¥₹])\s?(?P<amount>{_AMOUNT})(?P<mult>\s?(?:k|m|million|bn)\b)?", _money),
        _rule("money", rf"(?<![\w.])(?P<amount>{_AMOUNT})(?P<mult>k)?\s?(?P<symbol>[€$£¥₹])(?!\w)", _money),
        _rule("money", rf"(?<![\w.])(?P<amount>{_AMOUNT})(?P<mult>k)?\s?(?P<word>{currencies})\b", _money),
        _rule("money", rf"(?<!\w)(?P<word>usd|eur|gbp|chf|cny|jpy)\s?(?P<amount>{_AMOUNT})", _money),
        _rule("account", rf"(?<!\w)(?:{'|'.join(table['account'])}){link}{word}", _upper),
        _rule("plate", rf"(?<!\w)(?:{'|'.join(table['plate'])}){link}(?P<v>[A-Z]{{1,3}}[ -]?\d[A-Z0-9 -]{{1,8}}[A-Z0-9])(?!\w)", _upper),
        _rule("code", rf"(?<!\w)(?:{'|'.join(table['code'])}){link}{word}", _said),
        _rule("phone", r"(?<![\w.,-])\d{3} \d{3} \d{3,4}(?![\w-]| \d)|(?<![\w.,-])0\d{2,4} \d{3,4} ?\d{3,4}(?![\w-]| \d)", _digits),
        _rule("address", rf"(?<![\w/-])\d{{1,5}}[a-z]?\s+(?:[A-Z][\w'’.-]+\s+){{1,3}}(?:{streets})(?!\w)(?:,?\s*(?:apt|flat|unit|apartment|suite)\.?\s*\w+)?", _street),
        _rule("measure", rf"(?<![\w.])(?P<amount>{_AMOUNT})\s?(?P<unit>{measures})(?![\w])", _measure),
    )  # fmt: skip


def _chinese(table: Any) -> tuple[Rule, ...]:
    currencies, measures = "|".join(table["currencies"]), "|".join(table["measures"])
    link = r"(?:[是为：:=]|改成了?|换成了?|改|现在是|变成了?|尾号)?\s*"
    word = r"(?P<v>(?=[\w-]*\d)[A-Za-z0-9](?:[A-Za-z0-9_/-]{0,38}[A-Za-z0-9#])?)(?![A-Za-z0-9])"
    latin = r"(?P<v>[!-~]{3,60})(?=[^!-~]|$)"
    gap = r"[^\d，。；！？\n:：]{0,6}?"
    return (
        _rule("password", rf"(?:{'|'.join(table['password'])})(?:[^\s!-~，。；！？\n]{{0,6}})?[：:是为=\s]*{latin}", _said),
        _rule("phone", r"尾号(?:[^\d，。；\n]{0,4})(?P<v>\d{3,4})(?!\d)|最后[三四]位(?:是)?(?P<v2>\d{3,4})(?!\d)", _digits, partial=True),
        _rule("plate", rf"[{table['provinces']}][A-Z][·• ]?[A-Z0-9]{{5,6}}(?![A-Za-z0-9])", _upper),
        _rule("money", rf"(?<![\w.])(?P<symbol>[€$£¥￥₹])\s?(?P<amount>{_AMOUNT})(?P<mult>[万千亿])?", _money),
        _rule("money", rf"(?<![\d.])(?P<yuan>\d{{1,6}}|{_HAN_AMOUNT})块(?P<tenth>\d|[{HAN_NUMERAL}])(?:毛|角)?(?![\d个只条天次斤])", _tenths),
        _rule("money", rf"(?<![\d.])(?P<amount>{_AMOUNT}|{_HAN_AMOUNT})(?P<mult>[万千亿])?\s?(?P<word>{currencies})(?![电布板里面])", _money),
        _rule("account", rf"(?:{'|'.join(table['account'])}){link}{word}", _upper),
        _rule("code", rf"(?:{'|'.join(table['code'])}){link}{word}", _said),
        _rule("phone", rf"(?:{'|'.join(table['phone'])}){gap}[：:是]?\s*(?P<v>\d[\d -]{{5,14}}\d)(?![\w-])", _local_phone),
        _rule("percent", rf"百分之(?P<han>[{HAN_NUMERAL}\d.]{{1,8}})", _percent_han),
        _rule("address", r"[\u4e00-\u9fff]{2,14}(?:路|街|巷|里|弄|道|胡同|村|镇|小区|花园|苑)\s?\d{1,5}(?:号|弄|栋|幢)(?:[院楼])?(?:\s?\d{1,3}(?:号楼|栋|幢|单元|座))*(?:\s?\d{1,5}(?:室|户|号)?)?", _said),
        _rule("address", r"\d{1,3}(?:号楼|栋|幢)\s?(?:\d{1,2}单元)?\s?\d{2,5}(?:室)?", _said),
        _rule("measure", rf"(?<![\d.])(?P<amount>{_AMOUNT}|{_HAN_AMOUNT}|半)\s?(?:个)?(?P<unit>{measures})(?![a-z])(?!号|路|点|分之)", _measure),
        _rule("money", rf"(?:{'|'.join(table['price'])})(?:了|到|给)?\s?(?P<v>(?P<amount>\d{{2,7}}|[一二两三四五六七八九]百[一二三四五六七八九]?|[一二两三四五六七八九]千[一二三四五六七八九]?|[一二两三四五六七八九十]{{1,3}}万[一二三四五六七八九]?))(?![\d年月日号点天个:：.%-]|[{HAN_NUMERAL}]|[\u4e00-\u9fff]{{0,1}}[号])", _money),
    )  # fmt: skip


def _plain(language: str) -> tuple[Rule, ...]:
    mixed = r"(?<![\w.-])(?=[A-Z0-9-]*\d)(?=[A-Z0-9-]*[A-Z])[A-Z0-9]+(?:-[A-Z0-9]+)*(?![\w-]|\.\d)"
    if language == "zh":
        mixed = mixed.replace(r"(?<![\w.-])", "(?<![A-Za-z0-9.-])").replace(r"(?![\w-]|\.\d)", r"(?![A-Za-z0-9-]|\.\d)")  # fmt: skip
    return (
        Rule("code", re.compile(mixed), _coded),
        _rule("code", r"(?<![\w./:-])\d+(?:-\d+){2,}(?![\w-])", _not_date),
        _rule("number", rf"(?<![\w.,:/-])(?:{_AMOUNT})(?![\d:/-]|[.,]\d)", _number),
    )


# --- normal forms ----------------------------------------------------------------------------------


def _text(found: re.Match[str]) -> str:
    groups = found.groupdict()
    return groups.get("v") or groups.get("v2") or found[0]


def _said(found: re.Match[str]) -> str:
    return _text(found)


def _lower(found: re.Match[str]) -> str:
    return _text(found).lower()


def _host(found: re.Match[str]) -> str | None:
    return found[0].lower() if re.search(r"[a-z]", found[0].split(".")[0], re.IGNORECASE) else None


def _upper(found: re.Match[str]) -> str:
    return _text(found).upper()


def _street(found: re.Match[str]) -> str | None:
    return found[0] if re.search(r"\d+[a-z]?\s+[A-Z]", found[0]) else None


def _digits(found: re.Match[str]) -> str:
    return re.sub(r"\D", "", _text(found))


def _local_phone(found: re.Match[str]) -> str | None:
    digits = _digits(found)
    return digits if 6 <= len(digits) <= 13 else None


def _address_of_host(found: re.Match[str]) -> str | None:
    parts = found[0].split(":")[0].split(".")
    return found[0] if all(int(part) < 256 for part in parts) else None


def _iban(found: re.Match[str]) -> str | None:
    """Checked by ISO 13616: the number modulo 97 is 1."""
    text = found[0].replace(" ", "").upper()
    if not 15 <= len(text) <= 34:
        return None
    turned = "".join(str(int(char, 36)) for char in text[4:] + text[:4])
    return text if int(turned) % 97 == 1 else None


def _card(found: re.Match[str]) -> str | None:
    """Checked by the Luhn formula (ISO/IEC 7812-1)."""
    digits = _digits(found)
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1:
        return None
    doubled = (int(d) * 2 if i % 2 else int(d) for i, d in enumerate(reversed(digits)))
    return digits if sum(n - 9 if n > 9 else n for n in doubled) % 10 == 0 else None


def _international(found: re.Match[str]) -> str | None:
    import phonenumbers  # noqa: PLC0415 - loads slowly, needed seldom

    text = found[0]
    try:
        number = phonenumbers.parse(f"+{text[2:]}" if text.startswith("00") else text, None)
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_possible_number(number):
        return None
    return str(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))


def _value_of(text: str, multiple: str = "") -> Decimal | None:
    if text == "半":
        return Decimal("0.5")
    if text[0] in HAN_NUMERAL:
        number = han_number(text)
        value = None if number is None else Decimal(number)
    else:
        value = _decimal(text)
    scale = {
        "k": 1000,
        "千": 1000,
        "万": 10_000,
        "m": 10**6,
        "million": 10**6,
        "亿": 10**8,
        "bn": 10**9,
    }
    return None if value is None else value * scale.get(multiple.strip().lower(), 1)


def _decimal(text: str) -> Decimal | None:
    plain = re.sub(r"[,' ](?=\d{3}(?!\d))", "", text).replace(",", ".")
    try:
        return Decimal(plain)
    except InvalidOperation:
        return None


def _money(found: re.Match[str]) -> str | None:
    groups = found.groupdict()
    value = _value_of(found["amount"], groups.get("mult") or "")
    if value is None:
        return None
    word = (groups.get("word") or "").lower()
    if word in {"毛", "角"}:
        value /= 10
    code = _SYMBOLS.get(groups.get("symbol") or "") or _WORDS.get(word.removeprefix("万"))
    code = word.upper() if word in _CODES else code
    return f"{code} {_plainly(value)}" if code else _plainly(value)


def _tenths(found: re.Match[str]) -> str | None:
    whole, tenth = _value_of(found["yuan"]), han_number(found["tenth"])
    return None if whole is None or tenth is None else f"CNY {_plainly(whole + Decimal(tenth) / 10)}"  # fmt: skip


def _plainly(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _percent(found: re.Match[str]) -> str | None:
    value = _decimal(re.sub(r"[^\d.,]", "", found[0]).rstrip("."))
    return None if value is None else _plainly(value / 100)


def _percent_han(found: re.Match[str]) -> str | None:
    value = _value_of(found["han"])
    return None if value is None else _plainly(value / 100)


def _measure(found: re.Match[str]) -> str | None:
    value = _value_of(found["amount"])
    return None if value is None else f"{_plainly(value)} {found['unit'].lower()}"


def _coded(found: re.Match[str]) -> str | None:
    return found[0] if len(found[0]) >= 4 else None


def _not_date(found: re.Match[str]) -> str | None:
    return None if re.fullmatch(r"(?:19|20)\d\d-\d{1,2}-\d{1,2}", found[0]) else found[0]


def _number(found: re.Match[str]) -> str | None:
    value = _decimal(found[0])
    return None if value is None else _plainly(value)
