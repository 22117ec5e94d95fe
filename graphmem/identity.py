"""Ids: short hashes of what a thing is, so that the same input gives the same memory."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC

from graphmem.model import Message

_BYTES = 10  # 80 bits: no collision worth fearing below a billion things


def digest(prefix: str, *parts: str) -> str:
    """`prefix` + "_" + 16 characters, the same for the same parts."""
    text = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    raw = hashlib.blake2b(text, digest_size=_BYTES).digest()
    return f"{prefix}_{base64.b32encode(raw).decode().lower()}"


def snapshot_id(message: Message) -> str:
    """The id of a message: the same message told again has the same id."""
    return digest(
        "s",
        message.conversation,
        message.speaker,
        message.role,
        message.said_at.astimezone(UTC).isoformat(),
        message.text,
    )
