"""Content of a message that is a text or a list of parts, as the chat services' APIs and exports have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Where the parts of different services keep what a person would read.
_TEXTS = ("text", "input_text", "output_text", "refusal", "transcript")
_FILE_NAMES = ("filename", "file_name", "name", "title")


def text_of_parts(content: Any) -> str:
    """The words of `content`, parts on lines of their own; a part without words is named in brackets."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _part(content)
    if isinstance(content, list):
        return "\n".join(filter(None, map(text_of_parts, content)))
    return ""


def attachment(kind: str, name: Any = None) -> str:
    """How something that is no text is told of: "[image: cat.png]"."""
    return f"[{kind}: {name}]" if isinstance(name, str) and name else f"[{kind}]"


def _part(part: Mapping[str, Any]) -> str:
    for key in _TEXTS:
        value = part.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, Mapping) and isinstance(value.get("value"), str):
            return str(value["value"])
    kind = str(part.get("type") or part.get("content_type") or "attachment")
    inner = part.get(kind)
    if isinstance(inner, Mapping):
        part = {**part, **inner}
    if isinstance(part.get("transcript"), str):
        return str(part["transcript"])
    name = next((part[key] for key in _FILE_NAMES if part.get(key)), None)
    for noise in ("input_", "_url", "_asset_pointer"):
        kind = kind.replace(noise, "")
    return attachment(kind, name)
