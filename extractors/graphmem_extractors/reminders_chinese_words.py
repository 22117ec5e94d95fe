"""The Chinese patterns of reminders, built once from the lexicon."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphmem_extractors.reminders_base import any_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ChineseWords:
    """What each pattern finds: `order` 提醒我 (group `call` for 叫我, which needs a cue), `naming` 叫我小王就行,
    `called` what 叫我 may be followed by, `reporter` who tells of an order, `note` 记得, `conditions` a cue
    with something to do (groups `it`, `do`), `head` a cue alone, `vague` 到时候, `doing` something to
    do, `soft` 顺便 and the like, `after` an afterthought, `closing` 的时候, `done` what is no plan.
    """

    order: re.Pattern[str]
    naming: re.Pattern[str]
    called: re.Pattern[str]
    reporter: re.Pattern[str]
    note: re.Pattern[str]
    conditions: tuple[re.Pattern[str], ...]
    head: re.Pattern[str]
    vague: re.Pattern[str]
    doing: re.Pattern[str]
    chore: re.Pattern[str]
    soft: re.Pattern[str]
    soft_end: re.Pattern[str]
    after: re.Pattern[str]
    closing: re.Pattern[str]
    alarm: re.Pattern[str]
    done: re.Pattern[str]
    fiction: re.Pattern[str]
    may: re.Pattern[str]

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> ChineseWords:
        """The patterns of a lexicon's table `reminders_zh`."""
        orders, calls = any_of(table["orders"]), any_of(table["with_cue"])
        passing, meeting = any_of(table["passing"]), any_of(table["meeting"])
        soft, closing = any_of(table["softeners"]), any_of(table["closing"])
        verb = rf"(?!{'|'.join(table['not_actions'])})[{table['actions']}]"
        return cls(
            order=re.compile(rf"(?P<order>{orders})|(?P<call>{calls})"),
            naming=re.compile("|".join(table["naming"])),
            called=re.compile(rf"[{table['verbs_after_call']}]|一下|再"),
            reporter=re.compile(rf"{any_of(table['reporters'])}(?:[^，。\s]{{0,3}})?$"),
            note=re.compile(any_of(table["notes"])),
            conditions=_conditions(table, verb),
            head=_head(table),
            vague=re.compile(any_of(table["vague"])),
            doing=re.compile(rf"[，, ]?{soft}*(?P<do>{verb}.*)"),
            chore=re.compile(rf"[：:，, ]?{soft}*(?P<do>{any_of(table['chores'])}.*)"),
            soft=re.compile(rf"^{soft}+"),
            soft_end=re.compile(rf"{soft}+$"),
            after=re.compile(rf"[，,。 ]\s*{any_of(table['afterthoughts'])}.*$", re.DOTALL),
            closing=re.compile(rf"{closing}$"),
            alarm=re.compile(any_of(table["alarm"])),
            done=re.compile("|".join(table["done"])),
            fiction=re.compile("|".join(table["not_orders"])),
            may=re.compile(
                rf"{orders}|{calls}|{passing}|{meeting}|{any_of(table['notes'])}|下班|放学|睡前|上班|出门|起床|饭|到|回|去|等|下了|每|以后|之后"
            ),
        )


def _conditions(table: Mapping[str, Any], verb: str) -> tuple[re.Pattern[str], ...]:
    passing, meeting = any_of(table["passing"]), any_of(table["meeting"])
    arriving, following = any_of(table["arriving"]), any_of(table["next_time"])
    soft, closing, waiting = (rf"{any_of(table[name])}" for name in ("softeners", "closing", "waiting"))  # fmt: skip
    thing = r"(?P<it>(?![的了着过那这])[^，,。！!？?\s]{1,10}?)"
    again = rf"{following}(?:我|咱)?(?:再)?"
    marked = rf"[，, ]?(?:{soft}|(?=把)){soft}*(?P<do>{verb}.*)"
    told = rf"{soft}*(?P<do>{verb}.*|说.*)"
    patterns = (
        rf"{waiting}?(?:下班|放学|回家)?(?:的?路上)?{passing}{thing}{closing}?[，, ]?{soft}*(?P<do>{verb}.*)",
        rf"{again}(?:要是|如果)?{meeting}{thing}{closing}?[，, ]?{told}",
        rf"{again}(?:去|到|来|回|路过|经过|用|打|买|做){thing}{closing}?{marked}",
        rf"(?:要是|如果)?{meeting}{thing}(?:(?:的话|的时候|时|了)?[，, ]?(?:记得|别忘了?|顺便|帮我)|的话[，, ]?){told}",
        rf"等(?!我|会|一下|下){thing}(?:回来|到货|过来|到|来|好|完|下班|放学|出院)了?[，, ]?{soft}*(?P<do>{verb}.*)",
        rf"{waiting}?{arriving}{thing}{closing}?{marked}",
        rf"{waiting}?(?P<it>(?![我他她咱])[^，,。！!？?\s]{{2,6}}?)(?:走|散|睡|吃完|洗完|开完|结束|到齐|离开|停|干|凉|熟)了?(?:以后|之后|后)[，, ]?{soft}*(?P<do>(?:把|给)?{verb}?.*)",
    )
    return tuple(re.compile(pattern) for pattern in patterns)


def _head(table: Mapping[str, Any]) -> re.Pattern[str]:
    passing, meeting = any_of(table["passing"]), any_of(table["meeting"])
    arriving, following = any_of(table["arriving"]), any_of(table["next_time"])
    waiting, closing = any_of(table["waiting"]), any_of(table["closing"])
    again = rf"{following}(?:我|咱)?(?:再)?(?:{meeting}|{passing}|{arriving}|去|用|打|做|买)?"
    own = rf"(?:{waiting}?(?:{passing}|{arriving})|{again}|(?:要是|如果)?(?:{meeting}|{passing}))"
    return re.compile(
        rf"等(?P<it2>[^，,。\s我会]{{1,8}}?)(?:回来|到货|过来|到|来|好|完)?了?$|(?P<it3>[^，,。\s]{{1,8}}?)一(?:到|来|好|完)$|{own}(?P<it>[^，,。\s]{{1,12}}?){closing}?$|(?P<it4>[^，,。\s]{{2,10}}?)(?:那天|的时候|时|之后|以后|后)$"
    )
