"""Whose memories: mem0's three ids, and the space (a memory in a folder of its own) that they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphmem.compat.mem0.refusals import Rejected
from graphmem.identity import digest

IDS = ("user_id", "agent_id", "run_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The ids that were given; None where one was not."""

    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Scope:
        """The ids among `given`, trimmed. Raises Rejected for an empty one, or one with blanks."""
        return cls(**{name: _id(given.get(name), name) for name in IDS})

    def required(self, call: str) -> Scope:
        """Itself. Raises Rejected where no id was given."""
        if not any(getattr(self, name) for name in IDS):
            raise Rejected(
                f"{call}: at least one of {', '.join(IDS)} must be given",
                expected=f"for example user_id, in the filters of search and get_all: {call}",
            )
        return self

    @property
    def space(self) -> str:
        """The folder's name: a user's own, else an agent's, else a run's."""
        for name in IDS:
            value = getattr(self, name)
            if value:
                kind = name.removesuffix("_id")
                readable = "".join(each for each in value if each.isascii() and each.isalnum())
                return f"{kind}-{readable[:24]}-{digest(kind[0], value)[2:]}"
        raise Rejected("no id", expected=" or ".join(IDS))

    def as_dict(self) -> dict[str, str]:
        """The ids that were given."""
        return {name: value for name in IDS if (value := getattr(self, name))}


def _id(value: Any, name: str) -> str | None:
    if value is None:
        return None
    text = str(value).strip()
    if not text or any(each.isspace() for each in text):
        raise Rejected(
            f"Invalid {name}: {value!r}", expected="letters, digits and signs, without blanks"
        )
    return text
