"""History and lineage (R8.3, R3.7, R4.5)."""

import json
from datetime import timedelta

from fakes import NOW

from graphmem.recall.lineage import history_of, lineage_of


def test_history_tells_current_and_previous(life):
    found = history_of(life.store, life.entity("Ana"), "car")
    lines = found.text().splitlines()
    assert lines[0].startswith("Current: I drive a blue Zoe (current, said 2025-05-02)")
    assert lines[1].startswith("Previously: I drive a red Golf (historical")
    assert json.dumps(found.as_json())


def test_history_as_of(life):
    then = history_of(life.store, life.entity("Ana"), "car", as_of=NOW - timedelta(days=100))
    assert [stage.fact.object for stage in then.current] == ["Golf"]
    assert then.previous == ()


def test_history_of_a_word_and_of_nothing(life):
    assert history_of(life.store, life.entity("Ana"), "kettle").stages
    nothing = history_of(life.store, life.entity("Ana"), "yacht")
    assert nothing.text() == "nothing is known about Ana yacht"


def test_lineage_goes_both_ways(life):
    for start in (life.old_car, life.new_car):
        found = lineage_of(life.store, [start])
        assert [stage.fact.object for stage in found.stages] == ["Golf", "Zoe"]
        assert found.replaced == ((life.old_car.id, life.new_car.id),)
        assert found.stages[0].evidence[0].text == "I drive a red Golf"


def test_every_picture_holds_both_facts(life):
    found = lineage_of(life.store, [life.new_car])
    assert "└─ replaced:" in found.tree()
    assert found.tree().index("Zoe") < found.tree().index("Golf")
    assert found.mermaid().startswith("flowchart LR")
    assert f"{life.old_car.id} ==>|replaced by| {life.new_car.id}" in found.mermaid()
    assert found.dot().startswith("digraph lineage {")
    assert found.dot().endswith("}")
    assert found.as_json()["replaced_by"] == [{"old": life.old_car.id, "new": life.new_car.id}]


def test_open_conflicts_are_drawn(life):
    found = lineage_of(life.store, [life.london, life.paris])
    assert [one.old.id for one in found.open] == [life.london.id]
    assert "may be replaced by" in found.dot()
    assert "(may be replaced, open)" in found.tree()


def test_quotes_and_brackets_do_not_break_a_picture(world):
    odd = world.say('he said "a]b" <i> #1', predicate="likes", object="odd")
    found = lineage_of(world.store, [odd])
    assert '"a]b"' not in found.mermaid()
    assert "<i>" not in found.mermaid()


def test_a_circle_of_replacements_ends(world):
    one = world.say("Berlin", predicate="lives_in", object="Berlin")
    two = world.say("Paris", predicate="lives_in", object="Paris")
    world.replaced(one, two)
    world.replaced(two, one)
    assert lineage_of(world.store, [one]).tree().count("[current") == 2
