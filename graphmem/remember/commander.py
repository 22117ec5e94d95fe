"""The one door for writes: every change, from whichever interface, goes through here (R2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from graphmem.config import Settings
from graphmem.embed.cached import RecentTexts
from graphmem.identity import digest, snapshot_id
from graphmem.lexicon import Lexicon
from graphmem.model import Event, Message, Receipt
from graphmem.plan import DecideConflict, Op, OpenConflict, Plan, RemoveConflict, RemoveFact
from graphmem.protocols import (
    Clock,
    Embedder,
    Extraction,
    GraphStore,
    SearchIndex,
    TimeGrammar,
)
from graphmem.readers.receipts import told as told_to
from graphmem.readers.searching import SearchSeen
from graphmem.readers.view import Seen
from graphmem.remember.ahead import Answer
from graphmem.remember.conversations import Conversations, Thread
from graphmem.remember.doubting import Doubter
from graphmem.remember.extraction import Extractors
from graphmem.remember.judging import JudgeStep
from graphmem.remember.keeping import Keeping
from graphmem.remember.modelling import ModelStep
from graphmem.remember.older import Gatherer
from graphmem.remember.orders import Orders
from graphmem.remember.planning import Planner
from graphmem.words import clean, language_of

_CLOSING = (DecideConflict, RemoveConflict, RemoveFact)


class Commander:
    """Validates, extracts, plans, writes in one transaction, brings the side index up to date."""

    def __init__(
        self,
        store: GraphStore,
        search: SearchIndex,
        embedder: Embedder | None,
        *,
        times: TimeGrammar,
        lexicon: Lexicon,
        settings: Settings,
        clock: Clock,
        folder: Path | None = None,
        reader: str | None = None,
    ) -> None:
        self._store = store
        self._reader = reader
        self._seen = store if reader is None else Seen(store, reader)
        self._search = search
        self._clock = clock
        self._settings = settings
        self._keeping = Keeping(lexicon)
        self._extractors = Extractors(settings.extractors, lexicon)
        self._model = ModelStep.of(settings.model, lexicon, folder)
        seen = self._seen  # what is said is weighed against what its reader may see
        looked = search if reader is None else SearchSeen(search, store, reader)
        self._gatherer = Gatherer(seen, looked, embedder)
        orders = Orders(seen, lexicon, times)
        judge = JudgeStep.of(settings.judge, lexicon, folder)
        doubter = Doubter(seen, self._gatherer, lexicon, judge)
        self._planner = Planner(
            seen,
            self._gatherer,
            orders,
            doubter,
            lexicon=lexicon,
            settings=settings,
            whole=store,
        )
        self._embedder = embedder
        self._conversations = Conversations(seen, search)
        self._waiting: int | None = None  # open conflicts, where that is known
        self._opened: int | None = 0  # by the present commit; None where it may have closed some

    def add(
        self, messages: Sequence[Message], *, read: Mapping[Message, Extraction] | None = None
    ) -> list[Receipt]:
        """Remember messages, in order; one event each, all of them in one commit.

        `read` holds what was read ahead in those that `unread` told of. A message that the memory has
        already changes nothing. Raises what the store raises; then none of the messages is kept.
        """
        if not messages:
            return []
        now = self._clock.now()
        keeping = [self._keeping.kept(_cleaned(message)) for message in messages]
        messages = [message for message, _ in keeping]
        told: dict[str, Receipt] = {}
        fresh: dict[str, Message] = {}
        ids = [self._id_of(message) for message in messages]
        for one, message in zip(ids, messages, strict=True):
            known = self._seen.snapshot(one) if one not in fresh else None
            if known is not None:
                told[one] = Receipt(stored=False, snapshot=known)
            else:
                fresh[one] = message
        extractions = self._read(fresh.values(), read or {})
        extractions = self._completed(fresh.values(), extractions, now)
        if self._embedder is not None and len(fresh) > 1:
            self._embedder.passages([message.text for message in fresh.values()])
        if fresh:
            with self._committed():
                for (one, message), extraction in zip(fresh.items(), extractions, strict=True):
                    plan, receipt = self._planner.plan(message, extraction, now=now, id_=one)
                    receipt = self._keeping.quiet(message, receipt)
                    told[one] = replace(receipt, event=self._write(plan).n)
        self._conversations.heard(fresh.values())
        waiting = self.open_conflicts()
        receipts = [
            replace(receipt, remarks=(*why, *receipt.remarks))
            for one, (_, why) in zip(ids, keeping, strict=True)
            for receipt in (self._said_once(told, one, waiting),)
        ]
        return receipts if self._reader is None else [told_to(one, self._seen) for one in receipts]

    def load(self, messages: Iterable[Message]) -> None:
        """Load the models for messages: that takes seconds, and needs no memory."""
        self._extractors.load(language_of(message.text) for message in messages)
        if self._embedder is not None:
            self._embedder.passages(["."])

    def unread(self, messages: Sequence[Message]) -> tuple[list[Message], Mapping[Thread, Message]]:
        """Those messages that are not known yet, as they are kept, to be read ahead; and the last one of
        each of their threads.
        """
        kept = [self._keeping.kept(_cleaned(message))[0] for message in messages]
        fresh = [one for one in kept if self._seen.snapshot(self._id_of(one)) is None]
        return list(dict.fromkeys(fresh)), self._conversations.before(fresh)

    def know_vectors(self, messages: Sequence[Message], answer: Answer) -> None:
        """Take over the vectors of messages, so that they need not be made; those of another embedder not."""
        if isinstance(self._embedder, RecentTexts) and self._embedder.name == answer.embedder:
            self._embedder.know([message.text for message in messages], answer.vectors)

    def read(self, message: Message) -> Extraction:
        """What the rules read in a message."""
        return self._read([message], {})[0]

    def preview(self, message: Message) -> Receipt:
        """What would be learnt from a message; stores nothing."""
        message, why = self._keeping.kept(_cleaned(message))
        known = self._planner.known(message)
        if known is not None:
            return Receipt(stored=False, snapshot=known)
        now = self._clock.now()
        [extraction] = self._completed([message], [self.read(message)], now)
        _, receipt = self._planner.plan(message, extraction, now=now)
        receipt = replace(receipt, stored=False, remarks=explained(message.text, extraction))
        receipt = self._keeping.quiet(message, receipt)
        return replace(receipt, remarks=(*why, *receipt.remarks))

    def open_conflicts(self) -> int:
        """How many conflicts wait for the owner."""
        if self._waiting is None:
            self._waiting = int(self._store.counts()["open_conflicts"])
        return self._waiting

    def others_wrote(self) -> None:
        """Forget what is remembered of the memory: another process has changed it."""
        self._waiting = None
        self._conversations.forget()

    def carry_out(
        self, kind: str, ops: Sequence[Op], *, undoes: int | None = None, undoable: bool = True
    ) -> Event | None:
        """Write an owner's own decision, or upkeep, as one event; nothing to write gives None."""
        if not ops:
            return None
        with self._committed():
            return self._write(
                Plan(
                    kind=kind,
                    at=self._clock.now(),
                    ops=tuple(ops),
                    undoes=undoes,
                    undoable=undoable,
                )
            )

    def _id_of(self, message: Message) -> str:
        """The message's id; another one where the same was said before and is not for this reader."""
        one = snapshot_id(message)
        hidden = self._store.snapshot(one) is not None and self._seen.snapshot(one) is None
        return digest("s", one, self._reader or "") if hidden else one

    @contextmanager
    def together(self) -> Iterator[None]:
        """Several decisions in one commit; an error takes all of them back."""
        try:
            with self._committed():
                yield
        finally:
            self._waiting = None

    def _read(
        self, messages: Iterable[Message], read: Mapping[Message, Extraction]
    ) -> list[Extraction]:
        some = list(messages)
        found = [read[message] for message in some if message in read]
        if len(found) < len(some):
            found = self._extractors.extract(some, before=self._conversations.before(some))
        return [
            self._keeping.marked(message, extraction)
            for message, extraction in zip(some, found, strict=True)
        ]

    def _completed(
        self, messages: Iterable[Message], found: list[Extraction], now: datetime
    ) -> list[Extraction]:
        """With what a configured model adds, before anything is locked or written."""
        if self._model is None:
            return found
        return [
            self._model.complete(message, extraction, now=now)
            for message, extraction in zip(messages, found, strict=True)
        ]

    @staticmethod
    def _said_once(told: dict[str, Receipt], one: str, waiting: int) -> Receipt:
        """The receipt of a message; the same message again in one batch was known by then."""
        receipt = replace(told[one], open_conflicts=waiting)
        told[one] = Receipt(stored=False, snapshot=receipt.snapshot)
        return receipt

    @contextmanager
    def _committed(self) -> Iterator[None]:
        """One commit; where it fails, the side index is brought back to what the graph has."""
        waiting, self._waiting = self._waiting, None
        committed = False
        try:
            with self._search.together(), self._store.transaction():
                self._opened = 0
                yield
            committed = True
        finally:
            if not committed:
                self._search.catch_up(self._store)
        if waiting is not None and self._opened is not None:
            self._waiting = waiting + self._opened

    def _write(self, plan: Plan) -> Event:
        event = self._store.apply(plan)
        self._search.update([event], self._store)
        if plan.ops and self._opened is not None:
            closing = any(isinstance(op, _CLOSING) for op in plan.ops)
            opened = sum(isinstance(op, OpenConflict) for op in plan.ops)
            self._opened = None if closing else self._opened + opened
        return event


def explained(text: str, extraction: Extraction) -> tuple[str, ...]:
    """Which rule fired on which words, line by line."""
    lines = [f"taken for: {extraction.worth.replace('_', ' ')}"]
    for trace in extraction.trace:
        start, end = trace.span
        words = f" on {text[start:end]!r}" if end > start else ""
        lines.append(f"{trace.rule}{words}" + (f": {trace.reason}" if trace.reason else ""))
    return tuple(lines)


def _cleaned(message: Message) -> Message:
    """The message with every text in it fit for the layers below."""
    return replace(
        message,
        text=clean(message.text),
        speaker=clean(message.speaker),
        source=clean(message.source),
        conversation=clean(message.conversation),
    )
