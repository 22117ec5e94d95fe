"""Several conversations at once on one event loop, each with its own memory.

Run it: python examples/async_chatbot.py
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

from graphmem import AsyncMemory, Message

TALKS = {
    "ana": ["I work at Acme as a nurse.", "I have two cats.", "Where do I work?"],
    "ben": ["I play the cello.", "我住在上海。", "What instrument do I play?"],
}


async def lines(texts: list[str]) -> AsyncIterator[str]:
    """Stands for a chat room: texts as they come in."""
    for text in texts:
        await asyncio.sleep(0.01)
        yield text


async def talk(user: str) -> None:
    """One user's conversation. A slow one does not hold up the other."""
    async with AsyncMemory.open(f"examples-memory/async-{user}") as memory:
        async for text in lines(TALKS[user]):
            found = await memory.recall(text)
            known = [
                item.text for place, item in enumerate(found.items) if place not in found.aside
            ]
            print(f"{user}: {text} | known: {known}")
            message = Message(text=text, speaker=user, said_at=datetime.now(UTC))
            await memory.add(message)
        facts = await memory.facts()
        print(f"{user}: {len(facts)} facts, for example {facts[0].text!r}")


async def main() -> None:
    """Both at once."""
    await asyncio.gather(*(talk(user) for user in TALKS))


if __name__ == "__main__":
    asyncio.run(main())
