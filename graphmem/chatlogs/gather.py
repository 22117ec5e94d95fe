"""Messages of text exports run over several lines: a header starts one, other lines go on with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from graphmem.chatlogs.decode import Line
from graphmem.chatlogs.items import Draft, Problem
from graphmem.chatlogs.vocabulary import Vocabulary, visible
from graphmem.model import Role

_LONGEST = 1 << 20


@dataclass(slots=True)
class Gathered:
    """A message whose further lines are still to come; without speaker it is a notice."""

    line: Line
    first: str
    speaker: str | None
    time: datetime | None = None
    role: Role = "user"
    unnamed: bool = False  # the speaker is the role itself
    more: list[str] = field(default_factory=list)
    size: int = 0

    def add(self, text: str) -> None:
        """One more line; beyond the limit only the size is kept."""
        self.size += len(text) + 1
        if self.size <= _LONGEST:
            self.more.append(text)
        else:
            self.more.clear()


def gather(
    found: Iterable[Line],
    start: Callable[[Line, str], Gathered | None],
    name: str,
    conversation: str,
    words: Vocabulary,
) -> Iterator[Draft | Problem]:
    """The messages of a text export. `start` tells whether a line begins one.

    Lines before the first header are passed over; a line that is not text is a problem.
    """
    held: Gathered | None = None
    for line in found:
        if line.text is None:
            place = f"{name}, line {line.number}, byte {line.start}"
            yield Problem(place, line.fault, "a line of text", line.position)
            continue
        begun = start(line, line.text)
        if begun is None:
            if held is not None:
                held.add(line.text)
            continue
        if held is not None:
            yield from _finished(held, name, conversation, words, line.position)
        held = begun
    if held is not None:
        yield from _finished(held, name, conversation, words, held.line.position)


def _finished(
    held: Gathered, name: str, conversation: str, words: Vocabulary, position: int
) -> Iterator[Draft | Problem]:
    if held.speaker is None and not held.unnamed:
        return
    place = f"{name}, line {held.line.number}, byte {held.line.start}"
    if held.size > _LONGEST:
        met = f"a message of {held.size} characters"
        yield Problem(place, met, f"at most {_LONGEST}", position)
        return
    text = visible("\n".join([held.first, *held.more])).strip()
    if words.says_nothing(text):
        return
    is_bot = held.speaker is not None and words.role_of(held.speaker) == "assistant"
    yield Draft(
        text=words.with_files_named(words.without_suffix(text)),
        speaker=held.speaker,
        role="assistant" if is_bot else held.role,
        time=held.time,
        conversation=conversation,
        place=place,
        position=position,
    )
