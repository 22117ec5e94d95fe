"""The tools: what an assistant may ask of the memory and do with it. Each calls one verb of the facade.

Everything here blocks; the SDK runs each call in a worker thread. Errors are graphmem's own and become
answers with isError in `graphmem.mcp.server`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from pydantic import Field

from graphmem.errors import ChangeRefused, InvalidMessage, UnknownId
from graphmem.mcp import shapes
from graphmem.memory import Memory
from graphmem.model import Decision, Message, Role, State
from graphmem.when import parse_moment

DELETING = {Decision.REPLACE_OLDER: "older", Decision.DISCARD_NEWER: "newer"}
LONGEST_NAME = 500  # characters
_SEARCH_HITS = 10

Text = Annotated[str, Field(description="The statement in the speaker's own words, whole.")]
Speaker = Annotated[
    str,
    Field(max_length=LONGEST_NAME, description="Who says it; empty for the owner of the memory."),
]
Moment = Annotated[
    str, Field(description="ISO time, such as 2025-03-01T09:30+01:00; empty for now.")
]
FactId = Annotated[str, Field(description="A fact's id, as recall, history and conflicts give it.")]
Deletion = Annotated[
    bool,
    Field(description="Must be true: the owner agreed that this is deleted for good."),
]


class Tools:
    """The tools on one memory."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    # --- remember ----------------------------------------------------------------------------------

    def remember(
        self,
        text: Text,
        role: Annotated[
            Role,
            Field(
                description="Whose turn it is. What the assistant, the system or a tool says is kept as "
                "said and never becomes a fact about the user."
            ),
        ] = "user",
        speaker: Speaker = "",
        said_at: Moment = "",
        conversation: Annotated[
            str,
            Field(
                max_length=LONGEST_NAME,
                description="The conversation it belongs to, where there is one.",
            ),
        ] = "",
    ) -> shapes.Written:
        """Remember one chat turn or statement. Facts are taken from it, nothing is overwritten: where it
        may replace something older a conflict is opened for the owner (see conflicts and resolve). The
        answer says what was learnt, what was not and why.
        """
        if not text.strip():
            raise InvalidMessage("text", "empty", expected="some words to remember")
        message = Message(
            text=text,
            role=role,
            speaker=speaker or (self._memory.settings.owner if role == "user" else role) or "user",
            said_at=self._moment(said_at) or self._memory.now(),
            conversation=conversation,
        )
        return shapes.written(self._memory.add(message))

    def update(
        self,
        fact_id: FactId,
        text: Annotated[str, Field(description="The new statement, whole.")],
    ) -> shapes.Written:
        """Give a fact a new version because the owner says that it changed. The old one is kept as history,
        replaced by the new one.
        """
        return shapes.changed(self._memory.update(self._seen(fact_id), text))

    def confirm(self, fact_id: FactId) -> shapes.Written:
        """Note that the owner confirmed a fact: it still holds. Only for what the owner has said; recalling a
        fact is no confirmation.
        """
        return shapes.changed(self._memory.confirm(self._seen(fact_id)))

    def forget(self, fact_id: FactId, confirm_deletion: Deletion = False) -> shapes.Written:
        """Delete a fact and its sentences for good, or a whole message by its id: the one thing that cannot be
        undone. Where a fact has only changed, use update or resolve: they keep the history. Needs
        confirm_deletion=true.
        """
        is_message = fact_id.startswith(shapes.MESSAGE)
        known = self._memory.snapshot(fact_id).id if is_message else self._seen(fact_id)
        self._agreed(confirm_deletion, f"{'message' if is_message else 'fact'} {fact_id}", "update")
        return shapes.changed(self._memory.forget(known))

    def resolve(
        self,
        conflict_id: Annotated[str, Field(description="The conflict's id, from conflicts.")],
        decision: Annotated[
            Decision,
            Field(
                description="The owner's: keep_both (both hold), mark_older_as_past (the newer holds, the "
                "older becomes history: the usual one), replace_older (the older is deleted), "
                "discard_newer (the newer is deleted)."
            ),
        ],
        confirm_deletion: Deletion = False,
    ) -> shapes.Written:
        """Decide a conflict as the owner said. replace_older and discard_newer delete for good and need
        confirm_deletion=true; the other two can be undone.
        """
        known = {one.id for one in self._memory.conflicts(open_only=False)}
        if conflict_id not in known:
            raise UnknownId(
                f"no conflict {conflict_id!r}",
                expected="the id of an open conflict",
                next_step="call conflicts to see them",
            )
        if decision in DELETING:
            self._agreed(
                confirm_deletion,
                f"the {DELETING[decision]} fact of {conflict_id}",
                "mark_older_as_past or keep_both, which delete nothing",
            )
        return shapes.changed(self._memory.resolve(conflict_id, decision))

    def due(
        self,
        record: Annotated[
            bool,
            Field(description="True: they are told to the owner now and not given again."),
        ] = True,
    ) -> shapes.DueShape:
        """Reminders that are due now and were not told yet. Tell them to the owner; with record=true they
        count as told.
        """
        found = self._memory.due(record=record)
        return shapes.DueShape(reminders=[shapes.due_shape(one) for one in found])

    # --- recall ------------------------------------------------------------------------------------

    def recall(
        self,
        question: Annotated[str, Field(description="The question, as the user asked it.")],
        about: Annotated[
            str, Field(description="Only what is about this person or thing; empty for all.")
        ] = "",
        at: Annotated[
            str, Field(description="Ask as if now were this time (ISO); empty for now.")
        ] = "",
        as_of: Annotated[
            str, Field(description="The memory as it stood at this date (ISO); empty for today.")
        ] = "",
        since: Annotated[
            str, Field(description="Only what was said or happens from then on (ISO).")
        ] = "",
        until: Annotated[
            str, Field(description="Only what was said or happens before (ISO).")
        ] = "",
        include: Annotated[
            Sequence[State],
            Field(
                description="States to search besides current and unsure. A question about the past "
                "finds history without it."
            ),
        ] = (),
        limit: Annotated[int, Field(ge=1, le=100, description="At most so many statements.")] = 10,
    ) -> shapes.RecallShape:
        """Ask the long-term memory before you answer anything that depends on what the user said earlier: who
        they are, what they like, plan, own, have done. Gives statements with their standing; `context` is
        ready to be put into a prompt.
        """
        found = self._memory.recall(
            question,
            about=about or None,
            at=self._moment(at),
            as_of=self._moment(as_of),
            since=self._moment(since),
            until=self._moment(until),
            include=include,
            limit=limit,
        )
        return shapes.RecallShape(
            context=shapes.short(found.context()),
            items=[
                shapes.item_shape(item)
                for place, item in enumerate(found.items)
                if place not in found.aside
            ],
            reminders=[shapes.reminder_shape(one) for one in found.reminders],
            conflicts=[shapes.conflict_shape(one) for one in found.conflicts],
        )

    def history(
        self,
        entity: Annotated[str, Field(description="A person or thing, by name or id.")],
        topic: Annotated[
            str,
            Field(
                description="home, job, car, diet, ..., a predicate, or a word; empty for everything."
            ),
        ] = "",
        as_of: Annotated[
            str, Field(description="As it stood at this date (ISO); empty for today.")
        ] = "",
    ) -> shapes.HistoryShape:
        """How a topic of a person or thing went: what holds now, what was before, each with the sentences that
        said it.
        """
        return shapes.history_shape(
            self._memory.history(entity, topic or None, as_of=self._moment(as_of))
        )

    def conflicts(
        self,
        open_only: Annotated[bool, Field(description="False: decided ones too.")] = True,
    ) -> shapes.ConflictsShape:
        """What waits for the owner's decision: a newer fact that may replace an older one. Ask the owner, then
        call resolve.
        """
        found = self._memory.conflicts(open_only=open_only)
        return shapes.ConflictsShape(conflicts=[shapes.conflict_shape(one) for one in found])

    def search(
        self, query: Annotated[str, Field(description="What to look for.")]
    ) -> shapes.ResultsShape:
        """Search the memory. Gives ids, titles and addresses; fetch gives the text."""
        found = self._memory.recall(query, limit=_SEARCH_HITS)
        return shapes.ResultsShape(
            results=[
                shapes.result_shape(item)
                for place, item in enumerate(found.items)
                if place not in found.aside and shapes.id_of(item)
            ]
        )

    def fetch(
        self, id: Annotated[str, Field(description="An id that search or recall gave.")]
    ) -> shapes.DocumentShape:
        """The whole text behind an id that search or recall gave, with its standing and source."""
        wanted = id.removeprefix(shapes.URL)
        if wanted.startswith(shapes.MESSAGE):
            return shapes.message_document(self._memory.snapshot(wanted))
        fact = self._memory.fact(wanted)
        stages = self._memory.lineage(fact.id).stages
        said = [one for stage in stages if stage.fact.id == fact.id for one in stage.evidence]
        return shapes.fact_document(fact, said)

    # --- shared ------------------------------------------------------------------------------------

    def _moment(self, text: str) -> datetime | None:
        return parse_moment(text, self._memory.now().tzinfo) if text.strip() else None

    def _seen(self, fact_id: str) -> str:
        """The id of a fact that this server's reader may see."""
        return self._memory.fact(fact_id).id

    def _agreed(self, agreed: bool, what: str, instead: str) -> None:
        if not agreed:
            raise ChangeRefused(
                f"{what} was not deleted: confirm_deletion is false",
                expected="confirm_deletion=true, which says that the owner agreed",
                next_step=f"ask the owner, then call again with confirm_deletion=true; or use {instead}",
            )
