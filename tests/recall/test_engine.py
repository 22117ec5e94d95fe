"""Order, explanation, limits and errors of recall."""

from datetime import datetime

import pytest

from graphmem.errors import InvalidQuery, InvalidTime
from graphmem.protocols import Filter
from graphmem.when import Interval


def test_every_item_says_why_it_came_and_from_where(life):
    item = life.recall("What car do I drive?").items[0]
    assert any(reason.startswith("keywords: BM25") for reason in item.why)
    assert any(reason.startswith("meaning: cosine") for reason in item.why)
    assert "fills car" in item.why
    assert item.sources[0].text == "I drive a blue Zoe"
    assert item.facts[0].object == "Zoe"
    assert item.score == 1.0


def test_the_graph_brings_facts_of_the_named(life):
    found = life.recall("Zoe")
    assert any("graph: " in reason for item in found.items for reason in item.why)


def test_scores_fall(life):
    scores = [item.score for item in life.recall("noodles with Kim").items]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_the_same_words_again_come_once(world):
    for day in (3, 2, 1):
        world.say("I like plums", days_ago=day)
    world.say("I do not like plums", days_ago=4)
    world.say("my locker is number 1")
    world.say("my locker is number 2")
    found = [item.text for item in world.recall("do I like plums").items]
    assert found.count("I like plums") == 1
    assert "I do not like plums" in found
    lockers = [item.text for item in world.recall("locker number").items]
    assert {"my locker is number 1", "my locker is number 2"} <= set(lockers)


def test_limit(life):
    assert len(life.recall("noodles", limit=3).items) == 3


@pytest.mark.parametrize(
    ("question", "knobs"),
    [("", {}), ("   ", {}), ("x", {"limit": 0}), ("x", {"about": "nobody we know"})],
)
def test_unusable_requests_are_refused(life, question, knobs):
    with pytest.raises(InvalidQuery) as caught:
        life.recall(question, **knobs)
    assert caught.value.expected


def test_a_time_without_zone_is_refused(life):
    with pytest.raises(InvalidTime):
        life.recall("x", at=datetime(2025, 1, 1))


def test_about_limits_to_an_entity(life):
    life.say("Bo drives a lorry", entity="Bo", predicate="drives", object="lorry")
    found = life.recall("who drives?", about="Bo")
    assert [item.text for item in found.items] == ["Bo drives a lorry"]


def test_only_limits_inside_the_search(life):
    from fakes import NOW

    only = Filter(said=Interval(NOW.replace(year=2024), None))
    assert all(item.said_at.year >= 2024 for item in life.recall("drive", only=only).items)


def test_an_empty_memory_gives_nothing(world):
    found = world.recall("anything?")
    assert found.items == ()
    assert found.context() == ""
    assert found.card() == []


def test_a_strange_question_is_survived(life):
    for question in ("\ud800", "\x00", "🙂" * 300, "a" * 20_000, "？？？"):
        items = life.recall(question).items
        assert len({item.text for item in items}) == len(items) <= 10
        assert all(item.text and item.sources for item in items), question[:5]


def test_an_answer_is_found_beside_its_question(world):
    from graphmem.model import Worth

    for i in range(40):
        world.say(f"filler about item {i}", conversation="c", days_ago=1, speaker="Cy")
    world.say("what did you paint?", speaker="Bo", worth=Worth.QUESTION, conversation="c")
    world.say("a sunset over the lake", speaker="Ana", conversation="c")
    found = [item.text for item in world.recall("What did Ana paint?").items]
    assert "a sunset over the lake" in found[:3]


def test_a_cross_encoder_has_a_say(life):
    class Likes:
        name = "likes"

        def score(self, question, texts):
            return [1.0 if "number 7" in text else 0.0 for text in texts]

    found = life.recaller(reranker=Likes()).recall("noodles with Kim")
    assert "number 7" in found.items[0].text
    assert any("cross-encoder 1.00" in reason for reason in found.items[0].why)
