"""The bounds around a judge: what an answer means, time, errors, the daily allowance, configuration."""

import threading
from datetime import timedelta

import pytest
from facts import DAY, note
from hypothesis import given
from hypothesis import strategies as st

from graphmem.allowance import Allowance
from graphmem.errors import InvalidSettings, ServiceFailed, UnreadableFile
from graphmem.lifecycle.judge import JUDGED, ask, made, outcome
from graphmem.lifecycle.judge_nli import places, relations
from graphmem.model import Relation

NEW = note("I sold the car", id="f_new", day=1)
OLDS = [note("I drive a Fiat", id="f_1"), note("I live in Leeds", id="f_2")]


class Scripted:
    name = "scripted"

    def __init__(self, *rows, error=None, gate=None):
        self.rows, self.error, self.gate, self.calls = rows, error, gate, 0

    def judge(self, new, olds):
        self.calls += 1
        if self.gate:
            self.gate.wait(10)
        if self.error:
            raise self.error
        return list(self.rows)


def surely(relation, probability=0.9):
    rest = (1 - probability) / (len(JUDGED) - 1)
    return {each: probability if each is relation else rest for each in JUDGED}


@pytest.mark.parametrize(
    ("relation", "probability", "act"),
    [
        (Relation.REPLACES, 0.80, "replace"),
        (Relation.REPLACES, 0.79, "review"),
        (Relation.CONTRADICTS, 0.99, "review"),
        (Relation.REFINES, 0.99, "nothing"),
        (Relation.COMPATIBLE, 0.99, "nothing"),
        (Relation.UNRELATED, 0.99, "nothing"),
    ],
)
def test_what_an_answer_means(relation, probability, act):
    found = outcome(surely(relation, probability))
    assert (found.relation, found.act) == (relation, act)
    assert relation.value in found.reason


def test_one_call_for_all_older_facts():
    judge = Scripted(surely(Relation.REPLACES), surely(Relation.UNRELATED))
    judged = ask(judge, NEW, OLDS, allowance=Allowance(), now=DAY)
    assert judge.calls == 1
    assert [each.act for each in judged.outcomes] == ["replace", "nothing"]
    assert judged.remark == ""


def test_nothing_to_ask_uses_nothing_up():
    judge = Scripted()
    assert ask(judge, NEW, [], allowance=Allowance(0), now=DAY).outcomes == ()
    assert judge.calls == 0


def test_an_error_degrades_to_the_rules_and_is_told():
    judge = Scripted(error=ServiceFailed("it is down"))
    judged = ask(judge, NEW, OLDS, allowance=Allowance(), now=DAY)
    assert judged.outcomes is None
    assert "it is down" in judged.remark
    assert "rules decided alone" in judged.remark


def test_too_slow_degrades_to_the_rules():
    gate = threading.Event()
    judge = Scripted(surely(Relation.REPLACES), surely(Relation.REPLACES), gate=gate)
    judged = ask(judge, NEW, OLDS, allowance=Allowance(), now=DAY, seconds=0.05)
    gate.set()
    assert judged.outcomes is None
    assert "0.05 s" in judged.remark


@pytest.mark.parametrize("rows", [(), (surely(Relation.REPLACES),), ({}, {})])
def test_an_incomplete_answer_degrades_to_the_rules(rows):
    assert ask(Scripted(*rows), NEW, OLDS, allowance=Allowance(), now=DAY).outcomes is None


def test_the_allowance_is_per_day_and_outlives_the_process(tmp_path):
    file = tmp_path / "allowance.json"
    first = Allowance(2, file)
    assert [first.take(DAY) for _ in range(3)] == [True, True, False]
    again = Allowance(2, file)
    assert not again.take(DAY)
    assert again.take(DAY + timedelta(days=1))


def test_a_used_up_allowance_is_told_and_nobody_is_asked():
    judge = Scripted(surely(Relation.REPLACES), surely(Relation.REPLACES))
    judged = ask(judge, NEW, OLDS, allowance=Allowance(0), now=DAY)
    assert judge.calls == 0
    assert "allowance" in judged.remark


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"day": 1, "used": "x"}', "\x00"])
def test_a_damaged_count_starts_anew(tmp_path, content):
    file = tmp_path / "allowance.json"
    file.write_text(content, "utf-8")
    assert Allowance(1, file).take(DAY)


def test_configuration(lexicon, tmp_path):
    assert made({}, lexicon) is None
    assert made({"kind": "off"}, lexicon) is None
    judge = made({"kind": "openai", "url": "http://127.0.0.1:1/v1", "model": "m"}, lexicon)
    assert judge.name == "judge m"
    assert Allowance.of("judge", {"per_day": 3}, tmp_path).take(DAY)
    for wrong in (
        {"kind": "oracle"},
        {"kind": "openai", "model": "m"},
        {"kind": "openai", "url": "http://127.0.0.1:1", "model": ""},
        {"kind": "openai", "url": "ftp://127.0.0.1", "model": "m"},
        {"kind": "openai", "url": "http://127.0.0.1:1", "model": "m", "seconds": 0},
    ):
        with pytest.raises(InvalidSettings):
            made(wrong, lexicon)
    with pytest.raises(UnreadableFile):
        made({"kind": "nli", "model": str(tmp_path)}, lexicon)
    with pytest.raises(InvalidSettings):
        Allowance.of("judge", {"per_day": -1}, None)


def test_labels_are_read_by_name_whatever_their_order(tmp_path):
    assert places({0: "contradiction", 1: "entailment", 2: "neutral"}, tmp_path) == {
        "contradiction": 0,
        "entailment": 1,
        "neutral": 2,
    }
    assert (
        places({"2": "ENTAILMENT", "0": "Neutral", "1": "CONTRADICTION"}, tmp_path)["neutral"] == 0
    )
    with pytest.raises(InvalidSettings):
        places({0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}, tmp_path)


def labels(entailment, neutral, contradiction):
    return {"entailment": entailment, "neutral": neutral, "contradiction": contradiction}


def test_labels_become_relations():
    yes, no, against = labels(0.98, 0.01, 0.01), labels(0.01, 0.98, 0.01), labels(0.01, 0.01, 0.98)
    best = lambda there, back, **more: max(  # noqa: E731
        (found := relations(there, back, **{"changes": False, "one_topic": True, **more})),
        key=lambda each: found[each],
    )
    assert best(yes, yes) is Relation.DUPLICATE
    assert best(yes, no) is Relation.REFINES
    assert best(no, yes) is Relation.COMPATIBLE
    assert best(no, no) is Relation.COMPATIBLE
    assert best(against, against) is Relation.CONTRADICTS
    assert best(against, against, changes=True) is Relation.REPLACES
    assert best(against, against, one_topic=False) is Relation.COMPATIBLE


shares = st.tuples(*[st.floats(0.01, 1)] * 3).map(lambda t: labels(*(x / sum(t) for x in t)))


@given(shares, shares, st.booleans(), st.booleans())
def test_relations_always_add_up(there, back, changes, one_topic):
    found = relations(there, back, changes=changes, one_topic=one_topic)
    assert sum(found.values()) == pytest.approx(1)
    assert all(value >= 0 for value in found.values())
