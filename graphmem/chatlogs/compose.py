"""From drafts to messages: the rules that all formats share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from graphmem.chatlogs.items import Draft, Item, Options, Problem
from graphmem.chatlogs.source import Source
from graphmem.chatlogs.vocabulary import name_of, visible
from graphmem.errors import BrokenFile, InvalidMessage, UnreadableFile
from graphmem.model import Message
from graphmem.words import clean

_LONGEST = 4 << 20
_STEP = timedelta(seconds=1)


def compose(
    logs: Iterable[tuple[Source, Iterable[Draft | Problem]]],
    *,
    options: Options,
    default_time: datetime,
) -> Iterator[Item]:
    """Number the items of one or more logs and complete their drafts.

    Text loses only outer blanks, marks without width, lone surrogates and NULs. A draft without words
    is passed over. A draft without time comes one second after the message before it in its
    conversation, else at the conversation's own time, else at `default_time` and later by the second.
    A log that turns out to be broken is a problem, and the next one is read.
    """
    number = done = 0
    clock = _Clock(default_time)
    for source, drafts in logs:
        for draft in _safely(drafts, source):
            content = (
                draft
                if isinstance(draft, Problem)
                else _message(draft, clock, source.name, options)
            )
            if content is not None:
                number += 1
                yield Item(content, number, done + min(draft.position, source.size))
        done += source.size


def _safely(drafts: Iterable[Draft | Problem], source: Source) -> Iterator[Draft | Problem]:
    try:
        yield from drafts
    except (BrokenFile, UnreadableFile) as cause:
        yield Problem(source.name, cause.met, cause.expected, source.size)
    except OSError as cause:
        met = f"reading failed: {cause.strerror or cause}"
        yield Problem(source.name, met, "a file that stays readable", source.size)


class _Clock:
    """Gives a time to drafts without one, so that the order holds."""

    def __init__(self, default: datetime) -> None:
        self._next = default
        self._conversation = ""
        self._last: datetime | None = None

    def time(self, draft: Draft) -> datetime:
        if draft.conversation != self._conversation:
            self._conversation, self._last = draft.conversation, None
        moment = draft.time
        if moment is None and self._last is not None:
            moment = self._last + _STEP
        if moment is None:
            moment = draft.fallback
        if moment is None:
            moment = self._next
        if draft.time is None and draft.fallback is None:
            self._next = max(self._next, moment) + _STEP
        self._last = moment
        return moment


def _message(
    draft: Draft, clock: _Clock, source: str, options: Options
) -> Message | Problem | None:
    text = clean(visible(draft.text)).strip()
    if not text:
        return None
    if len(text) > _LONGEST:
        return Problem(
            draft.place,
            f"a message of {len(text)} characters",
            f"at most {_LONGEST}",
            draft.position,
        )
    try:
        return Message(
            text=text,
            speaker=_speaker(draft, options),
            role=draft.role,
            said_at=clock.time(draft),
            source=f"{source}#{draft.mark}" if draft.mark else source,
            conversation=clean(draft.conversation).strip(),
        )
    except (InvalidMessage, OverflowError) as cause:
        return Problem(draft.place, str(cause), "a message", draft.position)


def _speaker(draft: Draft, options: Options) -> str:
    name = name_of(clean(draft.speaker)) if draft.speaker else ""
    owner = options.me or "user"
    if not name:
        return owner if draft.role == "user" else draft.role
    if draft.role == "user" and options.words.role_of(name) == "user":
        return owner
    return name
