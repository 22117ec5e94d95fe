"""ChatGPT's conversations.json: each conversation is a tree of nodes, of which one branch is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphmem.chatlogs.items import Draft, Options, Problem
from graphmem.chatlogs.jsonstream import walk
from graphmem.chatlogs.parts import attachment, text_of_parts
from graphmem.chatlogs.source import Head, Source
from graphmem.chatlogs.times import as_float
from graphmem.model import Role

_WANTED = (("*",), ("conversations", "*"))
_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "tool": "tool"}
# Contents that the page does not show: the owner's profile, custom instructions, reasoning.
_HIDDEN = frozenset(
    {"user_editable_context", "model_editable_context", "thoughts", "reasoning_recap"}
)
_CONVERSATION = 'a conversation with a "mapping" of nodes'


class ChatGPT:
    """Reads the shown branch of each conversation, from its current node up to the root."""

    name = "chatgpt"
    looks_for = 'ChatGPT\'s conversations.json: conversations with a "mapping"'

    def sniff(self, head: Head) -> float:
        """Sure where a conversation has its mapping."""
        return 0.95 if {"*.mapping", "conversations.*.mapping"} & head.paths else 0.0

    def read(self, source: Source, options: Options) -> Iterator[Draft | Problem]:
        """The messages of the shown branches; system and hidden nodes are passed over."""
        with source.open() as stream:
            for found in walk(stream, _WANTED, source.name):
                if isinstance(found, Problem):
                    yield found
                    continue
                value = found.value
                title = value.get("title") if isinstance(value, dict) else None
                shown = f" {title!r}" if isinstance(title, str) else ""
                place = (
                    f"{source.name}, conversation {found.indexes[0] + 1}{shown}, "
                    f"line {found.line}, byte {found.start}"
                )
                if not isinstance(value, dict) or not isinstance(value.get("mapping"), dict):
                    met = f"{type(value).__name__} without a mapping"
                    yield Problem(place, met, _CONVERSATION, found.position)
                    continue
                key = value.get("conversation_id") or value.get("id") or title
                name = str(key or f"{source.stem}:{found.indexes[0] + 1}")
                yield from _conversation(value, name, place, found.position, options)


def _conversation(
    value: dict[str, Any], name: str, place: str, position: int, options: Options
) -> Iterator[Draft | Problem]:
    begun = options.times.read(value.get("create_time"))
    mapping = value["mapping"]
    branch, missing = _branch(mapping, value.get("current_node"))
    if missing:
        met = f"the node {missing!r} is missing, so what stood above it is lost"
        yield Problem(place, met, "every parent in the mapping", position)
    for key in branch:
        where = f"{place}, node {key}"
        node = mapping[key]
        message = node.get("message")
        if message is None or _is_hidden(message):
            continue
        try:
            role = _ROLES.get(str(message["author"]["role"]))
            if role is None:
                continue
            text = _text(message)
        except (KeyError, TypeError, AttributeError) as cause:
            met = f"a message without {cause}"
            yield Problem(where, met, "author, role and content", position)
            continue
        if role == "assistant" and message.get("recipient") not in (None, "all"):
            role = "tool"  # a call of a tool: not shown, and not said to the owner
        yield Draft(
            text=text,
            speaker=_tool_name(message) if role == "tool" else None,
            role=role,
            time=options.times.read(message.get("create_time")),
            fallback=begun,
            conversation=name,
            place=where,
            position=position,
        )


def _branch(mapping: Mapping[str, Any], current: Any) -> tuple[list[str], str]:
    """The keys from the root to the current node, and the key of a parent that is missing, if one is.

    Without a usable current node it is the newest leaf. A node without a usable parent link is looked
    for among the children of the others.
    """
    nodes = {key: node for key, node in mapping.items() if isinstance(node, dict)}
    above: dict[str, str] = {}
    for key, node in nodes.items():
        children = node.get("children")
        for child in children if isinstance(children, list) else ():
            if isinstance(child, str):
                above.setdefault(child, key)
    at = current if isinstance(current, str) and current in nodes else _newest_leaf(nodes)
    branch: list[str] = []
    seen: set[str] = set()
    while at is not None and at not in seen:
        seen.add(at)
        branch.append(at)
        parent = nodes[at].get("parent")
        if not isinstance(parent, str) or parent not in nodes:
            missing = parent if isinstance(parent, str) else ""
            parent = above.get(at)
            if parent is None:
                return branch[::-1], missing
        at = parent
    return branch[::-1], ""


def _newest_leaf(nodes: Mapping[str, Any]) -> str | None:
    parents = {node.get("parent") for node in nodes.values() if _hashable(node.get("parent"))}
    leaves = [key for key in nodes if key not in parents] or list(nodes)
    return max(leaves, key=lambda key: _age(nodes[key]), default=None)


def _hashable(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _age(node: Mapping[str, Any]) -> float:
    message = node.get("message")
    time = message.get("create_time") if isinstance(message, dict) else None
    return as_float(time) if isinstance(time, (int, float)) else 0.0


def _is_hidden(message: Any) -> bool:
    if not isinstance(message, dict):
        return False
    metadata = message.get("metadata")
    hidden = isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation")
    content = message.get("content")
    kind = content.get("content_type") if isinstance(content, dict) else None
    return bool(hidden) or (isinstance(kind, str) and kind in _HIDDEN)


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    if isinstance(content, str):
        words = content
    else:
        inner = content.get("parts", content.get("text", content.get("result")))
        words = text_of_parts(inner)
    metadata = message.get("metadata")
    files = metadata.get("attachments") if isinstance(metadata, dict) else None
    named = [
        attachment("attachment", file.get("name"))
        for file in (files if isinstance(files, list) else ())
        if isinstance(file, dict)
    ]
    return "\n".join(filter(None, (words, *named)))


def _tool_name(message: dict[str, Any]) -> str | None:
    name = message["author"].get("name") or message.get("recipient")
    return name if isinstance(name, str) and name != "all" else None
