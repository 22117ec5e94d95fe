"""Text for a model: three labelled blocks inside a budget."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.model import Recalled, State
from graphmem.ranges import whole

MOST_MEMORIES = 8
SHARE_OF_MODEL = 0.2

_BLOCKS: tuple[tuple[str, frozenset[State]], ...] = (
    ("Current", frozenset({State.CURRENT})),
    ("Possibly outdated", frozenset({State.UNSURE})),
    (
        "Historical, not current",
        frozenset({State.HISTORICAL, State.EXPIRED, State.ARCHIVED}),
    ),
)
_HAN = re.compile(r"[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]")
_LATIN_CHARACTERS_A_TOKEN = 3.5  # on the careful side for current tokenizers


def tokens(text: str) -> int:
    """An estimate of the tokens in `text`, rather too high than too low: one a Chinese character, one
    for 3.5 others.
    """
    wide = len(_HAN.findall(text))
    return wide + int((len(text) - wide) / _LATIN_CHARACTERS_A_TOKEN) + 1


def written(
    items: Sequence[Recalled], *, max_tokens: int, model_context: int, open_conflicts: int = 0
) -> str:
    """The best items that fit, in blocks, empty where nothing fits; then, where there is room, how many
    conflicts are open. Raises InvalidQuery for a budget below 1.
    """
    for name, value in (("max_tokens", max_tokens), ("model_context", model_context)):
        whole(name, value)
    left = min(max_tokens, int(model_context * SHARE_OF_MODEL))
    lines: dict[str, list[str]] = {}
    taken = 0
    for item in items:
        label = next(label for label, states in _BLOCKS if item.state in states)
        line = _line(item)
        cost = tokens(line) + 1 + (0 if label in lines else tokens(label) + 2)
        if taken == MOST_MEMORIES or cost > left:
            continue
        lines.setdefault(label, []).append(line)
        left -= cost
        taken += 1
    blocks = [f"{label}:\n" + "\n".join(lines[label]) for label, _ in _BLOCKS if label in lines]
    waiting = f"Open conflicts: {open_conflicts}"
    if blocks and open_conflicts and tokens(waiting) + 2 <= left:
        blocks.append(waiting)
    return "\n\n".join(blocks)


def _line(item: Recalled) -> str:
    text = " ".join(item.text.split())
    return f"- [{item.said_at:%Y-%m-%d}] {item.speaker}: {text}"
