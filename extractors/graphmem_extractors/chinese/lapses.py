"""What hangs on an event or a thing told before: its place, its hour, its last day, when it lapses."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from graphmem.when import When
from graphmem_extractors.chinese.scene import Coming, Scene
from graphmem_extractors.chinese.vocabulary import Vocabulary
from graphmem_extractors.chinese.work import Work

_PLACE = re.compile(
    r"(?:地点|地址|位置|集合点|会场|地方|集合地点)?(?:就|是)?(?:定)?(?:在|(?<=[点址置场方])(?:是|：|:))(?P<place>[^，。]{2,18}?)(?:那边|这边)?$"
)
_ADDRESS = re.compile(
    r"[\u4e00-\u9fff]{2,}[路街巷弄里][0-9一二三四五六七八九十]+[号弄幢栋].*"
    r"|.{2,12}(?:大厦|广场|体育馆|会议室|酒店|餐厅|饭店|公园)[^，。]{0,8}$"
)
_STAY = re.compile(r"(?:再|就)?(?:待|呆|住|玩|留|休|放|请)(?:到|至)?")
_EVENTS = frozenset({"scheduled_at", "plans_to", "located_in"})
_CODES = frozenset({"code_is", "password_is"})
_BEFORE_DATE = re.compile(r"(?:放到|还有|要|将|于|在|就|的)+$")


class Lapses:
    """Completes what was told before."""

    def __init__(self, words: Vocabulary) -> None:
        self._words = words
        self._expiry = words.patterns["expiry_words"]

    def read(self, scene: Scene) -> bool:
        """Whether the clause only completes something told before."""
        return self._expires(scene) or self._placed(scene) or self._lasts(scene)

    def at_hour(self, work: Work, coming: Coming) -> bool:
        """A bare clock time gives the event before its hour (下午两点入场)."""
        span, last = coming.best, work.candidates[-1] if work.candidates else None
        if span is None or span.when is None or span.when.precision != "instant" or last is None:
            return False
        day = last.happens_at
        if last.predicate not in _EVENTS or day is None or day.precision != "day":
            return False
        moment = datetime.combine(day.start.date(), span.when.start.timetz())
        work.candidates[-1] = replace(last, happens_at=When.of(moment))
        return True

    def _lasts(self, scene: Scene) -> bool:
        """待到8号: the last day of the event or stay told before."""
        work, clause = scene.work, scene.spot.clause
        last = work.candidates[-1] if work.candidates else None
        if last is None or last.predicate not in _EVENTS or scene.head.subject is not None:
            return False
        for span in work.times.within(clause.start, clause.end):
            if span.anchor == "until" and _STAY.match(scene.piece.text):
                day = work.times.day_of(span)
                stays = last.predicate == "located_in"
                valid_to = (span.until or span.when) if stays else last.valid_to
                work.candidates[-1] = replace(last, expires_at=day, valid_to=valid_to)
                return True
        return False

    def _placed(self, scene: Scene) -> bool:
        """The place of the event that was told just before (在康明眼科; 梧桐里9号)."""
        work, event = scene.work, scene.work.thread.event
        if event is None or scene.head.subject is not None or not work.candidates:
            return False
        match = _PLACE.match(scene.piece.text) or _ADDRESS.match(scene.piece.text)
        if work.candidates[-1].object != event.name or match is None:
            return False
        text = match.groupdict().get("place") or match.group()
        work.add(
            replace(
                scene.candidate("event.place", 0.8),
                entity=event.name,
                entity_kind="event",
                predicate="located_in",
                object=self._words.particles.sub("", text),
                object_kind="place",
            )
        )
        return True

    def _expires(self, scene: Scene) -> bool:
        """到期, 过期, 有效: the thing before it lapses then."""
        work, span = scene.work, scene.coming.best
        if span is None or span.when is None or scene.coming.carried:
            return False
        if self._expiry.search(scene.spot.clause.text) is None:
            return False
        last = work.candidates[-1] if work.candidates else None
        day = work.times.day_of(span)
        if last is not None and last.predicate in _CODES and not scene.head.topic:
            work.candidates[-1] = replace(last, expires_at=day)
            return True
        thing = self._lapsing(scene, span.start)
        if not thing:
            return False
        work.add(
            replace(
                scene.candidate("event.expiry", 0.85),
                entity=thing,
                entity_kind="thing",
                predicate="expires_on",
                object=span.text,
                object_kind="value",
                expires_at=day,
            )
        )
        return True

    def _lapsing(self, scene: Scene, before: int) -> str:
        """The name of what lapses: the topic, the words before the date, or the last thing."""
        if scene.head.topic:
            return scene.head.topic
        if scene.head.subject is not None and scene.head.subject.kind == "thing":
            return scene.head.subject.name
        words = scene.work.text[scene.spot.clause.start : before]
        words = _BEFORE_DATE.sub("", words).strip()
        if 1 < len(words) <= 8:
            return words
        last = scene.work.candidates[-1] if scene.work.candidates else None
        if scene.work.thread.thing is not None:
            return scene.work.thread.thing.name
        return last.entity if last is not None and last.predicate == "number_is" else ""
