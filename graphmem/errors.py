"""Every error graphmem raises, drawn as one tree.

::

    GraphmemError
    ├── InputError               the caller gave something unusable; nothing was written
    │   ├── InvalidMessage       a message breaks a rule (names the field)
    │   ├── InvalidTime          a date or time is malformed or lacks its zone
    │   ├── InvalidQuery         a recall, Cypher or listing request is malformed
    │   ├── UnknownId            no fact, entity, conflict, trigger or snapshot has this id
    │   ├── UnreadableFile       a file is missing, binary, or may not be read
    │   ├── UnknownFormat        no reader recognises the file
    │   ├── BrokenFile           a reader recognises the file but a part of it is broken
    │   ├── WrongPassphrase      the passphrase does not open the backup
    │   └── InvalidSettings      the configuration is wrong
    ├── ChangeRefused            the request is well-formed, but the memory's rules forbid it
    │   ├── TransitionRefused    a fact may not move between these two states
    │   ├── ReaderRefused        the memory is opened for a reader who may not do this
    │   └── NothingToUndo        no event is left that can be undone
    ├── StoreError               the memory on disk
    │   ├── NotAMemory           the directory exists and is not a memory
    │   ├── MemoryLocked         another process holds the memory (names it)
    │   ├── MemoryUnwritable     the directory cannot be written, or the disk is full
    │   ├── MemoryDamaged        a file of the memory is damaged; says which and how to mend it
    │   ├── SchemaTooNew         written by a newer graphmem
    │   └── WriteFailed          the engine refused a transaction; nothing of it was kept
    └── ExtensionError           an optional part is missing, or an outside service misbehaves
        ├── ExtensionMissing     a plugin or an extra is not installed (names the install command)
        └── ServiceFailed        a configured endpoint did not answer usefully

Each error carries three parts, so that people and agents can act on it: what was met,
what was expected, and what to do next.
"""

from __future__ import annotations


class GraphmemError(Exception):
    """The root of all graphmem errors.

    `met` says what went wrong and with which value, `expected` what would have been right,
    `next_step` what to do now.
    """

    def __init__(self, met: str, *, expected: str = "", next_step: str = "") -> None:
        self.met = met
        self.expected = expected
        self.next_step = next_step
        super().__init__(met, expected, next_step)

    def __str__(self) -> str:
        parts = [self.met]
        if self.expected:
            parts.append(f"expected {self.expected}")
        if self.next_step:
            parts.append(self.next_step)
        return "; ".join(parts)


class InputError(GraphmemError):
    """The caller gave something unusable; nothing was written."""


class InvalidMessage(InputError):
    """A message breaks a rule; `field` names the part that does."""

    def __init__(self, field: str, met: str, *, expected: str = "", next_step: str = "") -> None:
        self.field = field
        super().__init__(f"message.{field}: {met}", expected=expected, next_step=next_step)


class InvalidTime(InputError):
    """A date or time is malformed, or lacks its zone."""


class InvalidQuery(InputError):
    """A recall, Cypher or listing request is malformed."""


class UnknownId(InputError):
    """Nothing in the memory has this id."""


class UnreadableFile(InputError):
    """A file is missing, binary, or may not be read."""


class UnknownFormat(InputError):
    """No reader recognises the file."""


class BrokenFile(InputError):
    """A reader recognises the file, but a part of it is broken."""


class WrongPassphrase(InputError):
    """The passphrase does not open the backup, or there is none where one is needed."""


class InvalidSettings(InputError):
    """The configuration is wrong."""


class ChangeRefused(GraphmemError):
    """The request is well-formed, but the memory's rules forbid it."""


class TransitionRefused(ChangeRefused):
    """A fact may not move between these two states."""


class ReaderRefused(ChangeRefused):
    """The memory is opened for a reader who may not do this."""


class NothingToUndo(ChangeRefused):
    """No event is left that can be undone."""


class StoreError(GraphmemError):
    """Something is wrong with the memory on disk."""


class NotAMemory(StoreError):
    """The directory exists and is not a memory."""


class MemoryLocked(StoreError):
    """Another process holds the memory."""


class MemoryUnwritable(StoreError):
    """The directory cannot be written, or the disk is full."""


class MemoryDamaged(StoreError):
    """A file of the memory is damaged."""


class SchemaTooNew(StoreError):
    """The memory was written by a newer graphmem."""


class WriteFailed(StoreError):
    """The engine refused a transaction; nothing of it was kept."""


class ExtensionError(GraphmemError):
    """An optional part is missing, or an outside service misbehaves."""


class ExtensionMissing(ExtensionError):
    """A plugin or an extra is not installed."""


class ServiceFailed(ExtensionError):
    """A configured endpoint did not answer usefully."""
