"""A judge behind an OpenAI-compatible endpoint that returns token log-probabilities.

One call holds the new fact and all older ones; the model answers with one option letter per older fact,
and only the probabilities of the letters are read, never free text. Works with llama.cpp, vLLM and
Ollama from 0.12.11 on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from graphmem.endpoint import Endpoint
from graphmem.errors import ServiceFailed
from graphmem.lifecycle.judge import JUDGED, Probabilities, failed
from graphmem.model import Fact, Relation

_LETTERS: Mapping[str, Relation] = dict(zip("ABCDE", JUDGED, strict=True))
_OPTIONS = """\
A replaces: the new statement says that the older one is over, or corrects it
B contradicts: both cannot be true now, but no change is mentioned
C refines: the same fact in more detail
D compatible: both can be true side by side
E unrelated: they have nothing to do with each other"""
_SYSTEM = (
    "You compare a new statement of a person with older ones. For each older statement answer with one "
    "letter, in order, one letter per line and nothing else.\n" + _OPTIONS
)
_TOP = 20  # as many alternatives as servers give


class LogprobJudge:
    """Asks a chat-completions endpoint; graphmem.endpoint says where it may be and how long it may take."""

    def __init__(self, endpoint: Endpoint, *, model: str) -> None:
        self._endpoint = endpoint
        self._model = model
        self.name = f"judge {model}"

    def judge(self, new: Fact, olds: Sequence[Fact]) -> list[Probabilities]:
        """Per older fact the probability of each relation. Raises ServiceFailed, InvalidSettings."""
        reply = self._endpoint.chat(self._request(new, olds), deadline=self._endpoint.deadline())
        if reply.status != 200:
            raise failed(self.name, f"it answered with status {reply.status}")
        try:
            body = json.loads(reply.body)
        except (ValueError, RecursionError) as cause:
            raise failed(self.name, "its answer is not JSON") from cause
        rows = _letter_rows(body, self.name)
        if len(rows) < len(olds):
            raise failed(self.name, f"it answered for {len(rows)} of {len(olds)} facts")
        return [_probabilities(row) for row in rows[: len(olds)]]

    def _request(self, new: Fact, olds: Sequence[Fact]) -> dict[str, Any]:
        asked = {
            "new": {"said": new.said_at.date().isoformat(), "text": new.text},
            "older": [
                {"number": number, "said": old.said_at.date().isoformat(), "text": old.text}
                for number, old in enumerate(olds, 1)
            ],
        }
        return {
            "model": self._model,
            "messages": [
                {"role": "system", "content": _SYSTEM},
                {"role": "user", "content": json.dumps(asked, ensure_ascii=False)},
            ],
            "max_tokens": 4 * len(olds),
            "temperature": 0,
            "logprobs": True,
            "top_logprobs": _TOP,
            "stream": False,
        }


def _letter_rows(body: Any, name: str) -> list[Mapping[str, float]]:
    """The alternatives (token -> log-probability) of each answered letter, in order.

    Reads the chat form (logprobs.content) and the older one (logprobs.tokens and top_logprobs).
    """
    try:
        logprobs = body["choices"][0]["logprobs"]
        if logprobs.get("content"):
            rows = [
                (
                    item["token"],
                    {each["token"]: float(each["logprob"]) for each in item["top_logprobs"]}
                    | {item["token"]: float(item["logprob"])},
                )
                for item in logprobs["content"]
            ]
        else:
            rows = [
                (token, {**{key: float(value) for key, value in top.items()}, token: float(own)})
                for token, top, own in zip(
                    logprobs["tokens"],
                    logprobs["top_logprobs"],
                    logprobs["token_logprobs"],
                    strict=True,
                )
            ]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as cause:
        raise _no_logprobs(name) from cause
    return [row for token, row in rows if _letter(token) is not None]


def _no_logprobs(name: str) -> ServiceFailed:
    return failed(name, "its answer holds no token log-probabilities")


def _letter(token: str) -> str | None:
    """The option letter that a token stands for: "A", " A", "a", "A." and "A)"."""
    bare = token.strip().rstrip(".):").lstrip("(").upper()
    return bare if bare in _LETTERS else None


def _probabilities(row: Mapping[str, float]) -> Probabilities:
    """The probability of each relation: spellings of one letter are added, a letter that is not among
    the alternatives has none. Nothing is scaled up: what the model gave to other tokens is doubt.
    """
    found = dict.fromkeys(JUDGED, 0.0)
    for token, logprob in row.items():
        letter = _letter(token)
        if letter is not None and not math.isnan(logprob):
            found[_LETTERS[letter]] += math.exp(min(0.0, logprob))
    total = max(1.0, sum(found.values()))
    return {relation: value / total for relation, value in found.items()}
