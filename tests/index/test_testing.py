from __future__ import annotations

from datetime import timedelta

import numpy as np
from index_world import NOW

from graphmem.model import Message
from graphmem.testing import FixedClock, TinyEmbedder, temporary_memory


def test_a_clock_stands_still_until_told():
    clock = FixedClock(NOW)
    assert clock.now() == clock.now() == NOW
    clock.advance(timedelta(days=1))
    assert clock.now() == NOW + timedelta(days=1)
    clock.set(NOW)
    assert clock.now() == NOW


def test_texts_with_the_same_words_are_near():
    rows = TinyEmbedder().passages(["green tea", "Tea, green!", "an old car", ""])
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows[0] @ rows[1] > 0.99 > abs(rows[0] @ rows[2])


def test_a_temporary_memory_remembers_and_is_gone():
    with temporary_memory(FixedClock(NOW)) as memory:
        memory.add(Message(text="I live in Oslo.", speaker="Ana", said_at=NOW))
        recall = memory.recall("Where does Ana live?")
        assert recall.items[0].text == "I live in Oslo."
        place = memory.path
        assert place.exists()
    assert not place.exists()
