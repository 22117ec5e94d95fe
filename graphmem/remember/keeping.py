"""What of a message is kept (R2.10): its secrets only where it asks to be remembered.

A secret of the person (a password, a key, a token, a card number) is masked before anything is stored,
extracted or asked of a model, unless the message asks to remember it. What people share (the
wifi's password, the code of a door) is told in order to be kept, and is kept; either is marked sensitive.
"""

from __future__ import annotations

from dataclasses import replace

from graphmem.lexicon import Lexicon
from graphmem.model import Message, Receipt, Refusal
from graphmem.protocols import Candidate, Extraction
from graphmem.secrecy.asking import Asking
from graphmem.secrecy.finding import MASK, Secrets
from graphmem.secrecy.masking import masked, without_secrets


class Keeping:
    """Decides about the secrets of messages."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._secrets = Secrets(lexicon)
        self._asking = Asking(lexicon)

    def kept(self, message: Message) -> tuple[Message, tuple[str, ...]]:
        """The message as it is kept, and what was masked in it, in plain words."""
        own = [one for one in self._secrets.find(message.text) if not one.shared]
        if not own or (message.role == "user" and self._asking.asks(message.text)):
            return message, ()
        kinds = dict.fromkeys(one.kind for one in own)
        told = tuple(
            f"a {kind} was masked and is not kept; to keep it, ask: remember ..." for kind in kinds
        )
        return replace(message, text=masked(message.text, own)), told

    def marked(self, message: Message, extraction: Extraction) -> Extraction:
        """What was read in a message that is kept, with what holds a secret marked as sensitive."""
        values = self._values(message.text)
        if not values and MASK not in message.text:
            return extraction
        # where a secret was masked, there is nothing to say of it
        left = [one for one in extraction.candidates if MASK not in one.object]
        candidates = tuple(_marked(one, values) for one in left)
        sensitive = bool(values) or any(one.sensitive for one in candidates)
        return replace(extraction, sensitive=sensitive, candidates=candidates)

    def quiet(self, message: Message, receipt: Receipt) -> Receipt:
        """A receipt whose remarks and refusals do not repeat the message's secrets."""
        values = self._values(message.text)
        if not values and not receipt.remarks:
            return receipt
        return replace(
            receipt,
            refused=tuple(
                Refusal(
                    text=without_secrets(one.text, values),
                    reason=without_secrets(one.reason, values),
                )
                for one in receipt.refused
            ),
            remarks=tuple(without_secrets(one, values) for one in receipt.remarks),
        )

    def _values(self, text: str) -> frozenset[str]:
        return frozenset(text[one.start : one.end] for one in self._secrets.find(text))


def _marked(candidate: Candidate, values: frozenset[str]) -> Candidate:
    told = f"{candidate.text} {candidate.object}"
    holds = any(value in told for value in values)
    return replace(candidate, sensitive=candidate.sensitive or holds)
