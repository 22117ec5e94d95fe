"""Turns one conversation of LoCoMo into an OpenAI-style chat log, so that graphmem can read it.

Usage: python tools/locomo_to_chat.py locomo10.json --conversation 0 > out.jsonl

LoCoMo (https://github.com/snap-research/locomo) is licensed CC BY-NC 4.0: fetch it yourself, and do not
add it or anything made from it to this repository. Each turn becomes one line: both speakers are people,
so both have the role "user" and their name; a turn is said one minute after the one before it, beginning
at the time of its session (taken as UTC); the caption of a photo follows the text; `metadata.id` is the
turn's dia_id, which graphmem keeps in the message's source ("out.jsonl#D1:3"), so that evidence can be
traced back to the question set.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

_SESSION_TIME = "%I:%M %p on %d %B, %Y"  # "1:56 pm on 8 May, 2023"
_TURN = timedelta(minutes=1)


def turns(sample: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The turns of one sample as OpenAI-style messages. Raises KeyError or ValueError for another shape."""
    talk = sample["conversation"]
    for number in count(1):
        begun = talk.get(f"session_{number}_date_time")
        said = talk.get(f"session_{number}", [])
        if begun is None and not said:
            return
        if begun is None:
            raise KeyError(f"session_{number}_date_time")
        moment = datetime.strptime(begun, _SESSION_TIME).replace(tzinfo=UTC)
        for place, turn in enumerate(said):
            yield {
                "role": "user",
                "name": turn["speaker"],
                "created_at": (moment + place * _TURN).isoformat(),
                "content": _text(turn),
                "conversation": f"{sample['sample_id']}:session_{number}",
                "metadata": {"id": turn["dia_id"]},
            }


def _text(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shares a photo: {caption}]" if caption else str(turn["text"])


def main(arguments: list[str] | None = None) -> int:
    """Write the conversation to standard output; 2 where the file or the number is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("file", type=Path, help="locomo10.json")
    parser.add_argument(
        "--conversation", type=int, default=0, help="which one, from 0 (default: 0)"
    )
    chosen = parser.parse_args(arguments)
    try:
        samples = json.loads(chosen.file.read_text("utf-8"))
        if not 0 <= chosen.conversation < len(samples):
            raise ValueError(f"--conversation must be 0 to {len(samples) - 1}")
        for message in turns(samples[chosen.conversation]):
            print(json.dumps(message, ensure_ascii=False))
    except (OSError, ValueError, KeyError, TypeError) as cause:
        print(f"{chosen.file}: {cause}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
