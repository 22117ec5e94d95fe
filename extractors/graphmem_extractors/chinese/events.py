"""Scheduled things, plans and wishes: what a clause says about the time to come."""

from __future__ import annotations

import re
from dataclasses import replace

from graphmem_extractors.chinese.clauses import Piece, Spot
from graphmem_extractors.chinese.lapses import Lapses
from graphmem_extractors.chinese.objects import Span
from graphmem_extractors.chinese.reading import ClauseReader
from graphmem_extractors.chinese.scene import Coming, Scene, scene_of, with_subject
from graphmem_extractors.chinese.subjects import Head, Subject
from graphmem_extractors.chinese.vocabulary import Vocabulary
from graphmem_extractors.chinese.work import Work

_LONGEST = 16
_COMES = re.compile(r"来|到|走|过来|回来|上门|到家|回家|来家里|来我家")
_MOVES = re.compile(r"搬(?:进去|过去|进|家|走|回去|出去)?|飞|走|出发|动身|启程")
_BIRTHDAY = re.compile(r"生日(?!会|宴|聚|派对|蛋糕|礼物)")
_STAYS_AWAY = re.compile(r"(?P<event>.{2,12}?)(?:我|咱|就)?不(?:去|参加|来)了?$")
_LONGEST_PLAN = 20
_SERIOUS = re.compile(r"手术|化疗|住院|透析|穿刺")
_SERVICE = re.compile(r"带|来|约|上门|叫|让|给")
_BEFORE_TIME = re.compile(
    r"(?:定在|(?:还是|又|再)?(?:改到|改回|改成|推到|推迟到|延到|提前到|挪到)|安排在|排在|约在|安排|定|约|在|从|到|是)+$"
)

_MORNING = re.compile(r"(?:早上|早晨|清晨|早起|上午|空腹)")
_PART_OF_DAY = re.compile(r"(?:早上|早晨|清晨|早起|上午|空腹|中午|下午|傍晚|晚上|夜里|睡前|早晚)")
_TAKEN = re.compile(r"[吃喝服抽练]")
_DOSED = re.compile(r"毫克|微克|毫升|[片粒颗滴]|mg|药", re.IGNORECASE)
_AHEAD = re.compile(r"[要会得约想请]|打算|准备|记得|[去来](?!年)|一起|今[天晚早]|明|后天")


class Events:
    """Reads events and plans with a vocabulary."""

    def __init__(self, words: Vocabulary, reader: ClauseReader) -> None:
        self._words = words
        self._reader = reader
        self._lapses = Lapses(words)
        self._kinds = words.patterns
        self._owner = re.compile(rf"(?:我们?|咱们?|他|她)(?:的|家)?(?:{words.kin_pattern})?(?=.)")

    def read(self, work: Work, spot: Spot, piece: Piece, head: Head) -> None:
        """Add what the clause schedules, plans, wishes or lets expire, if anything."""
        scene = scene_of(work, spot, piece, head)
        birthday = _BIRTHDAY.search(spot.clause.text)
        if birthday or spot.clause.closer in {"：", ":"} or self._lapses.read(scene):
            return
        if scene.subject.kind not in {"self", "person", "thing"}:
            return
        if self._goal_named(scene) or self._planned(scene):
            return
        booked = self._kinds["booked"].search(piece.text)
        finished = not booked and self._kinds["finished"].search(piece.text)
        repeats = scene.work.times.only_repeats(spot.clause.start, spot.clause.end)
        habit = not repeats and self._kinds["habitual"].search(spot.clause.text)
        aside = self._kinds["feelings"].search(piece.text) or habit or self._every_day(scene)
        if not scene.coming.spans or finished or aside:
            return
        if scene.coming.carried:
            self._duty_read(scene)
        elif not self._scheduled(scene):
            self._lapses.at_hour(work, scene.coming)
        self._command(work, spot.clause.text)

    def _every_day(self, scene: Scene) -> bool:
        """What is eaten or drunk in the mornings, or by the dose, is a habit and no event to come."""
        said = scene.spot.clause.text
        if _AHEAD.search(said) or self._kinds["events"].search(said):
            return False
        if not all(_PART_OF_DAY.fullmatch(span.text) for span in scene.coming.spans):
            return False
        morning = all(_MORNING.fullmatch(span.text) for span in scene.coming.spans)
        return bool(_TAKEN.search(said)) and (morning or bool(_DOSED.search(said)))

    def _scheduled(self, scene: Scene) -> bool:
        """An event noun, or something to do at a time to come."""
        act = self._phrase(scene)
        if act is None or self._present(scene, act.text):
            return False
        if self._kinds["hour_words"].match(act.text) and self._lapses.at_hour(
            scene.work, scene.coming
        ):
            return True
        stays = _STAYS_AWAY.match(act.text)
        if stays and self._kinds["events"].search(stays.group("event")):
            missed = Span(stays.group("event"), act.start, act.start + stays.end("event"))
            self._add(scene, "attends", missed, negated=True)
            return True
        if _COMES.fullmatch(act.text) and scene.head.subject and scene.subject.kind == "person":
            when = scene.coming.spans[0]
            self._add(scene, "scheduled_at", Span(when.text, when.start, when.end))
            return True
        if self._kinds["delivered"].match(act.text) and scene.work.thread.thing is not None:
            when = scene.coming.spans[0]
            thing = with_subject(scene, scene.work.thread.thing)
            self._add(thing, "scheduled_at", Span(when.text, when.start, when.end))
            return True
        best = scene.coming.best
        if _MOVES.fullmatch(act.text) and best is not None and best.end <= act.start:
            whole = Span(best.text + act.text, best.start, act.end)
            self._add(scene, "plans_to", whole)
            return True
        dropped = self._kinds["dropped"].search(act.text)
        if dropped and self._kinds["events"].search(act.text, 0, dropped.start()):
            kept = act.text[: dropped.start()]
            self._add(scene, "scheduled_at", replace(act, text=kept), negated=True)
            return True
        if act.text[0] in "不没别":
            return self._called_off(scene, act)
        named = self._kinds["events"].search(act.text)
        if named is None and not self._is_act(scene, act):
            return False
        if self._kinds["trifles"].search(act.text) or (named is None and len(act.text) < 2):
            return False
        if named and self._kinds["impersonal_events"].search(act.text) and self._unowned(scene):
            when = scene.coming.spans[0]
            event = with_subject(scene, Subject(named.group(), "event"))
            self._add(event, "scheduled_at", Span(when.text, when.start, when.end))
            return True
        exact = scene.coming.best is None or scene.coming.best.kind == "instant"
        served = with_subject(scene, self._served(scene, act.text))
        self._add(served, "scheduled_at" if named or exact else "plans_to", act)
        return True

    def _called_off(self, scene: Scene, act: Span) -> bool:
        """端午不回了: what was to happen then does not."""
        best = scene.coming.best
        if best is None or best.end > act.start or best.kind == "instant" or best.anchor != "at":
            return False
        if not self._kinds["called_off"].match(act.text):
            return False
        text = best.text + act.text[1:].split("了")[0]
        if len(text) > _LONGEST:
            return False
        self._add(scene, "plans_to", Span(text, best.start, best.start + len(text)), negated=True)
        return True

    def _is_act(self, scene: Scene, act: Span) -> bool:
        """Whether the words begin with a verb for something one does."""
        if self._kinds["acts"].match(act.text):
            return True
        first = [word for word in scene.piece.tagged if word.start == act.start]
        verb = bool(first) and first[0].tag in {"v", "vn"} and len(act.text) > 1
        return verb and self._kinds["stative"].match(act.text) is None

    def _unowned(self, scene: Scene) -> bool:
        return scene.head.subject is None or scene.head.subject.kind == "thing"

    def _present(self, scene: Scene, act: str) -> bool:
        """Where or what somebody is now is no event (这周都在长沙出差, 今年上三年级)."""
        spans = [s for s in scene.coming.spans if s.when is not None and s.kind != "repeat"]
        now = scene.work.times.said_at
        inside = [s for s in spans if s.when is not None and s.when.start <= now]
        state = act.startswith(("在", "都在", "人在")) or self._kinds["present_states"].match(act)
        return bool(inside) and len(inside) == len(spans) and bool(state)

    def _served(self, scene: Scene, act: str) -> Subject:
        """Who comes to serve the speaker is not whose appointment it is (中介带看房)."""
        kin = scene.head.subject.kin if scene.head.subject else None
        served = kin is not None and not kin.family and _SERVICE.match(act) is not None
        return scene.speaker if served or scene.subject.kind == "thing" else scene.subject

    def _phrase(self, scene: Scene) -> Span | None:
        """The longest stretch of the clause beside its times, without subject and adverbs."""
        clause, piece, head = scene.spot.clause, scene.piece, scene.head
        start, end, text = max(clause.start, piece.offset), clause.end, scene.work.text
        if head.subject is not None and head.subject.kind != "thing":
            start = piece.offset + head.rest
        stretches: list[Span | None] = []
        at = start
        for span in scene.coming.spans:
            if span.end <= start or span.start >= end:
                continue
            before = _BEFORE_TIME.sub("", text[at : max(at, span.start)])
            stretches.append(self._trimmed(before, at))
            at = max(at, span.end)
        stretches.append(self._trimmed(text[at:end], at))
        good = [span for span in stretches if span is not None and len(span.text) <= _LONGEST]
        named = [span for span in good if self._kinds["events"].search(span.text)]
        return max(named or good, key=lambda span: len(span.text), default=None)

    def _trimmed(self, text: str, at: int) -> Span | None:
        """The words of an event without what only leads in or out."""
        before = None
        while before != text:
            before = text
            for lead in (self._kinds["event_edges"].match(text), self._owner.match(text)):
                if lead and lead.end() < len(text) and text == before:
                    at, text = at + lead.end(), text[lead.end() :]
            text = self._words.particles.sub("", text).rstrip(" ，,的")
        return Span(text, at, at + len(text)) if text else None

    def _planned(self, scene: Scene) -> bool:
        """打算, 准备, 想 with what is planned or wished."""
        if scene.subject.kind == "thing":
            return False
        piece, times = scene.piece, scene.work.times
        for lead in self._reader.leads(piece, scene.head, times, plain=True):
            for name, predicate in (("plan_words", "plans_to"), ("wish_words", "wants")):
                match = self._kinds[name].match(piece.text, lead.at)
                if match is None or lead.past:
                    continue
                rest = times.skip(piece.offset + match.end()) - piece.offset
                act = self._trimmed(piece.text[rest:], piece.offset + rest)
                if act is None or not 2 <= len(act.text) <= _LONGEST_PLAN:
                    return False
                passing = self._kinds["passing_wishes"].match(act.text)
                if not passing and not self._kinds["trifles"].search(act.text):
                    own = scene.coming if not scene.coming.carried else Coming(())
                    self._add(replace(scene, coming=own), predicate, act, negated=lead.negated)
                return True
        return False

    def _duty_read(self, scene: Scene) -> None:
        """Who brings or does what at a time told before (我带烤架)."""
        match = self._kinds["duty_words"].match(scene.piece.text, scene.head.rest)
        if match is None or scene.head.subject is None or scene.subject.kind == "thing":
            return
        act = self._trimmed(scene.piece.text[match.start() :], scene.piece.offset + match.start())
        if act is not None and len(act.text) <= _LONGEST:
            self._add(scene, "plans_to", act)

    def _goal_named(self, scene: Scene) -> bool:
        """A list of goals (今年的目标：...)."""
        sentence = scene.spot.sentence
        opened = self._kinds["goal_openers"].search(scene.work.text, sentence.start, sentence.end)
        if opened is None or opened.end() > scene.piece.offset:
            return False
        act = self._trimmed(scene.piece.text, scene.piece.offset)
        if act is None or not 2 <= len(act.text) <= _LONGEST:
            return False
        self._add(replace(scene, coming=Coming(())), "wants", act)
        return True

    def _command(self, work: Work, text: str) -> None:
        if self._kinds["cancel_words"].search(text):
            work.command = "cancel"
        elif self._kinds["move_words"].search(text):
            work.command = "reschedule"

    def _add(self, scene: Scene, predicate: str, act: Span, *, negated: bool = False) -> None:
        work, best = scene.work, scene.coming.best
        work.add(
            replace(
                scene.candidate(f"event.{predicate}", 0.84),
                predicate=predicate,
                object=act.text,
                polarity="-" if negated else "+",
                tense="future",
                object_kind="event" if predicate == "scheduled_at" else "topic",
                importance=5 if _SERIOUS.search(act.text) else 3,
                happens_at=best.when if best else None,
                expires_at=work.times.day_of(best) if best else None,
            )
        )
        work.thread.event = Subject(act.text, "event")
        work.thread.thing = Subject(act.text, "thing")
