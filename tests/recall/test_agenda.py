"""What is on in a stretch of time ahead."""

from graphmem.model import When
from graphmem.protocols import TimeSpan


class Days:
    """Knows "tomorrow" and "on the 9th"."""

    def find(self, text, *, said_at, language):
        known = {"tomorrow": "2025-06-02", "on the 9th": "2025-06-09"}
        return tuple(
            TimeSpan(
                start=text.index(phrase),
                end=text.index(phrase) + len(phrase),
                text=phrase,
                kind="date",
                when=When(day),
            )
            for phrase, day in known.items()
            if phrase in text
        )


def test_all_that_is_on_is_told_though_no_event_was_made_of_it(world):
    for i in range(30):
        world.say(f"what I have got number {i} is fine", days_ago=30 + i)
    world.say("pottery tomorrow at the kiln", days_ago=3, predicate="noted", object="")
    world.say("sauna tomorrow with Ute", days_ago=2, predicate="noted", object="")
    world.say("dentist on the 9th", days_ago=2, predicate="noted", object="")
    found = world.recaller(times=Days()).recall("What have I got on tomorrow?")
    told = found.context()
    assert "pottery" in told
    assert "sauna" in told
    assert "dentist" not in told
