"""Sealing what bears text with a passphrase: scrypt (RFC 7914), AES-256-GCM (NIST SP 800-38D) for text, and
AES-SIV (RFC 5297) for ids, under which equal ids stay equal and nothing else is told.

Each sealed text is bound to its record's kind, its field and its line, so that none can be put in another's
place. The key is the file's own: it comes from the passphrase and a salt drawn for that file.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from typing import Any

from graphmem.backup.layout import FORMAT, KINDS, VERSION, Bears, Record
from graphmem.errors import BrokenFile, InvalidSettings, WrongPassphrase

_SALT, _NONCE, _KEY, _IDS_KEY = 16, 12, 32, 64  # bytes
_COST = {"n": 1 << 15, "r": 8, "p": 1}  # some 0.1 s and 32 MiB
_MOST = {"n": 1 << 20, "r": 32, "p": 16}  # a file may not ask for more
_CHECK = "the passphrase is right"


class Sealer:
    """Seals and opens the fields of records. Make one with `fresh` or `of`."""

    def __init__(self, passphrase: str, header: dict[str, Any]) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import (  # noqa: PLC0415 - plain backups do without
            AESGCM,
            AESSIV,
        )
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt  # noqa: PLC0415

        if not isinstance(passphrase, str) or not passphrase:
            raise InvalidSettings("the passphrase is empty", expected="some characters")
        self.header = header
        cost = {name: header[name] for name in _COST}
        kdf = Scrypt(salt=_bytes(header["salt"]), length=_KEY + _IDS_KEY, **cost)
        secret = kdf.derive(passphrase.encode("utf-8", "surrogatepass"))
        self._text = AESGCM(secret[:_KEY])
        self._ids = AESSIV(secret[_KEY:])

    @classmethod
    def fresh(cls, passphrase: str) -> Sealer:
        """A sealer for a new file. Raises InvalidSettings for an empty passphrase."""
        sealer = cls(passphrase, {"kdf": "scrypt", **_COST, "salt": _text(os.urandom(_SALT))})
        sealer.header["check"] = sealer.seal(_CHECK, "header check")
        return sealer

    @classmethod
    def of(cls, header: Any, passphrase: str) -> Sealer:
        """The sealer of a file, by its header. Raises WrongPassphrase, BrokenFile."""
        if (
            not isinstance(header, dict)
            or header.get("kdf") != "scrypt"
            or not isinstance(header.get("salt"), str)
            or not all(_is_cost(header.get(name), most) for name, most in _MOST.items())
        ):
            raise BrokenFile(
                "the backup's header does not tell how it is sealed", expected="scrypt's values"
            )
        sealer = cls(passphrase, header)
        try:
            sealer.open(header.get("check"), "header check")
        except BrokenFile as cause:
            raise WrongPassphrase(
                "the passphrase does not open this backup",
                expected="the one that it was written with",
                next_step="nothing was written; try again",
            ) from cause
        return sealer

    def seal(self, value: Any, place: str) -> str:
        """A value of JSON as base64 of nonce and ciphertext, bound to its place."""
        nonce = os.urandom(_NONCE)
        text = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
        return _text(nonce + self._text.encrypt(nonce, text, _bound(place)))

    def open(self, sealed: Any, place: str) -> Any:
        """The value again. Raises BrokenFile where it was changed or comes from another place."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415

        raw = _bytes(sealed)
        try:
            text = self._text.decrypt(raw[:_NONCE], raw[_NONCE:], _bound(place))
            return json.loads(text.decode("utf-8", "surrogatepass"))
        except (InvalidTag, ValueError) as cause:
            raise BrokenFile(f"{place} was changed since it was sealed") from cause

    def seal_id(self, id_: str) -> str:
        """An id, the same for the same id in this file."""
        return _text(self._ids.encrypt(id_.encode(), None))

    def open_id(self, sealed: Any) -> str:
        """The id again. Raises BrokenFile where it was changed."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415

        try:
            return self._ids.decrypt(_bytes(sealed), None).decode()
        except (InvalidTag, ValueError) as cause:
            raise BrokenFile("an id was changed since it was sealed") from cause


def sealed(record: Record, line: int, sealer: Sealer | None) -> Record:
    """The record as it stands in the file, on its line."""
    if sealer is None:
        return record
    kind = KINDS[record["record"]]
    found: Record = {}
    for name, value in record.items():
        match kind.bears(name):
            case Bears.TEXT:
                found[name] = sealer.seal(value, _place(record, name, line))
            case Bears.ID:
                found[name] = sealer.seal_id(value) if value else value
            case Bears.IDS:
                found[name] = [sealer.seal_id(one) for one in value]
            case Bears.STRUCTURE:
                found[name] = value
    return found


def opened(record: Record, line: int, sealer: Sealer | None) -> Record:
    """The record as it was before `sealed`. Raises BrokenFile."""
    if sealer is None:
        return record
    kind = KINDS[record["record"]]
    found: Record = {}
    for name, value in record.items():
        match kind.bears(name):
            case Bears.TEXT:
                found[name] = sealer.open(value, _place(record, name, line))
            case Bears.ID:
                found[name] = sealer.open_id(value) if value else value
            case Bears.IDS:
                found[name] = [sealer.open_id(one) for one in _list(value)]
            case Bears.STRUCTURE:
                found[name] = value
    return found


def _place(record: Record, field: str, line: int) -> str:
    return f"line {line} {record['record']} {field}"


def _bound(place: str) -> bytes:
    return f"{FORMAT} {VERSION} {place}".encode()


def _is_cost(value: Any, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise BrokenFile("a record has something else where ids should be")
    return value


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _bytes(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError, ValueError) as cause:
        raise BrokenFile("something sealed is not base64") from cause
