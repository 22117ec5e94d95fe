"""Whose fact it is: names that are one, names that are not, merging and splitting (R2.6)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from graphmem import Memory, Message
from graphmem.cli.app import app
from graphmem.errors import UnknownId
from graphmem.lexicon import Lexicon
from graphmem.protocols import AliasCandidate
from graphmem.remember.linking import Linker
from graphmem.remember.roles import Roles
from graphmem.store.in_memory import DictStore

DAY = datetime(2025, 6, 2, 9, tzinfo=UTC)
ROLES = Roles(Lexicon.load())


def say(memory: Memory, *texts: str, speaker: str = "Tom") -> None:
    start = memory.status()["last_event"]
    for day, text in enumerate(texts):
        said_at = DAY + timedelta(days=start + day)
        memory.add(Message(text=text, speaker=speaker, said_at=said_at))


def told(memory: Memory, name: str) -> set[tuple[str, str]]:
    return {(one.predicate, one.object) for one in memory.facts(name, states="all")}


def names(memory: Memory) -> set[frozenset[str]]:
    """The names of every being, together where they are one."""
    beings = (one for one in memory.entities() if one.kind in {"person", "animal"})
    return {frozenset({one.name, *one.aliases}) for one in beings}


def one_of(memory: Memory, *called: str) -> bool:
    return any(set(called) <= each for each in names(memory))


# --- relatives -------------------------------------------------------------------------------------


def test_what_was_said_of_my_wife_joins_her_name(memory: Memory) -> None:
    say(memory, "My wife loves sushi.", "My wife Mei works at Halden.", "Mei is allergic to nuts.")
    assert one_of(memory, "Tom's wife", "Mei")
    expected = {("likes", "sushi"), ("works_at", "Halden"), ("allergic_to", "nuts")}
    assert told(memory, "Mei") == told(memory, "Tom's wife") == expected
    memory.undo()
    memory.undo()
    assert told(memory, "Tom's wife") == {("likes", "sushi")}
    with pytest.raises(UnknownId):
        memory.facts("Mei")
    assert memory.check().findings == ()


def test_chinese_relatives_and_pet_names(memory: Memory) -> None:
    say(
        memory,
        "我老婆喜欢寿司",
        "我老婆小美在银行上班",
        "我闺女小名糖糖",
        "糖糖喜欢画画",
        speaker="田甜",
    )
    assert one_of(memory, "田甜的老婆", "小美")
    assert one_of(memory, "田甜的闺女", "田甜的女儿", "糖糖")
    assert {name for name, _ in told(memory, "小美")} == {"likes", "works_at"}
    assert ("likes", "画画") in told(memory, "田甜的女儿")


def test_aliases_of_an_acquaintance(memory: Memory) -> None:
    say(memory, "老王也叫王师傅", "王师傅喜欢喝茶", "老王喜欢下棋", speaker="田甜")
    assert one_of(memory, "老王", "王师傅")
    assert told(memory, "老王") >= {("likes", "喝茶"), ("likes", "下棋")}


def test_the_boss_before_and_the_boss_now(memory: Memory) -> None:
    say(
        memory,
        "My boss is Ana.",
        "My boss likes tea.",
        "My new boss is Ben.",
        "My boss lives in Leeds.",
    )
    assert not one_of(memory, "Ana", "Ben")
    assert ("likes", "tea") in told(memory, "Ana")
    assert ("lives_in", "Leeds") in told(memory, "Ben")
    assert ("lives_in", "Leeds") not in told(memory, "Ana")
    assert memory.check().findings == ()


def test_chinese_boss_before_and_now(memory: Memory) -> None:
    say(memory, "我领导叫张伟", "我新领导叫李强", "我领导喜欢喝茶", speaker="田甜")
    assert not one_of(memory, "张伟", "李强")
    assert ("likes", "喝茶") in told(memory, "李强")


# --- same name, different people --------------------------------------------------------------------


def test_two_people_of_one_name(memory: Memory) -> None:
    say(memory, "My colleague Mei lives in Oslo.", "My wife Mei lives in Rome.")
    assert told(memory, "Tom's wife") == {("lives_in", "Rome")}
    say(memory, "My colleague Mei plays chess.", "My wife Mei is allergic to nuts.")
    assert ("allergic_to", "nuts") in told(memory, "Tom's wife")
    assert ("lives_in", "Oslo") not in told(memory, "Tom's wife")


def test_a_dog_and_a_brother_of_one_name(memory: Memory) -> None:
    say(memory, "My dog Max likes bones.", "My brother Max lives in Rome.")
    assert told(memory, "Tom's brother") == {("lives_in", "Rome")}
    assert ("likes", "bones") in told(memory, "Tom's dog")


def test_a_person_and_a_thing_of_one_name() -> None:
    linker = Linker(DictStore(), ROLES)
    boy, car = linker.link("Cooper", "person"), linker.link("Cooper", "thing")
    assert boy.id != car.id
    assert linker.link("cooper", "animal") == boy


# --- the linker alone: (name, alias) pairs, one message after the other ------------------------------


def linked(*pairs: tuple[str, str]) -> list[set[str]]:
    """The names of each entity after one message a pair, those of people with facts or names left."""
    from graphmem.plan import Plan
    from graphmem.remember.linking import is_shell

    store = DictStore()
    for pair in pairs:
        linker = Linker(store, ROLES)
        linker.learn([AliasCandidate(*pair)])
        store.apply(Plan(kind="add", at=DAY, ops=tuple(linker.ops)))
    found = [one for one in store.entities() if not is_shell(store, one)]
    return sorted(({one.name, *one.aliases} for one in found), key=sorted)


@pytest.mark.parametrize("role", ["Tom's boss", "Tom's girlfriend", "Tom's landlord", "Tom's flatmate",
                                  "Tom's doctor", "Tom's teacher", "Tom's manager", "田甜的老板", "田甜的领导",
                                  "田甜的房东", "田甜的对象", "田甜的女朋友"])  # fmt: skip
def test_a_role_that_changes_holder_passes_on(role: str) -> None:
    assert linked((role, "Ana"), (role, "Ben")) == [{"Ana"}, {"Ben", role}]
    assert linked((role, "Ana"), (role, "Ben"), (role, "Ana")) == [{"Ana", role}, {"Ben"}]


@pytest.mark.parametrize("role", ["Tom's friend", "Tom's colleague", "田甜的朋友", "田甜的同事"])
def test_a_word_for_many_names_nobody(role: str) -> None:
    assert linked((role, "Ana"), (role, "Ben")) == [{"Ana"}, {"Ben"}]


@pytest.mark.parametrize("role", ["Tom's sister", "Tom's son", "Tom's cat", "田甜的儿子"])
def test_brothers_and_sisters_stay_apart(role: str) -> None:
    assert {"Ana"} in linked((role, "Ana"), (role, "Ben"))


@pytest.mark.parametrize("role", ["Tom's mother", "田甜的妈妈"])
def test_a_mother_has_two_names(role: str) -> None:
    assert linked((role, "Anna"), (role, "Annie")) == [{role, "Anna", "Annie"}]


def test_words_for_one_role() -> None:
    pairs = (("Tom's mum", "Tom's mother"), ("Tom's mum", "Rosa"), ("Tom's mother", "Rosa"))
    assert linked(*pairs) == [{"Tom's mum", "Tom's mother", "Rosa"}]


def test_owners_are_told_apart() -> None:
    assert linked(("Tom's boss", "Ana"), ("Eva's boss", "Ben")) == [
        {"Ana", "Tom's boss"},
        {"Ben", "Eva's boss"},
    ]


def test_sex_tells_people_apart() -> None:
    assert linked(("Tom's sister", "Kim"), ("Tom's brother", "Kim")) == [
        {"Kim", "Tom's brother"},
        {"Kim", "Tom's sister"},
    ]


def test_a_girlfriend_becomes_a_wife() -> None:
    assert linked(("Tom's girlfriend", "Eva"), ("Tom's wife", "Eva")) == [
        {"Eva", "Tom's girlfriend", "Tom's wife"}
    ]


# --- merge and split by hand -------------------------------------------------------------------------


def picture(memory: Memory) -> dict[str, object]:
    """Everything that a merge could lose."""
    return {
        "facts": sorted(
            memory.facts(states="all", kinds=("claim", "note")), key=lambda one: one.id
        ),
        "entities": sorted(
            (one.id, one.name, one.kind, tuple(sorted(one.aliases))) for one in memory.entities()
        ),
        "slots": {
            name: memory.history(name, "home")
            for name in ("Tom", "Robert", "Bob")
            if any(name in each for each in names(memory))
        },
    }


@pytest.fixture
def two(memory: Memory) -> Memory:
    """A memory with Robert (also Rob) and Bob, each with a home, and Bob as somebody's object."""
    say(memory, "My uncle Robert lives in Oslo.", "My friend Bob lives in Rome.", "Bob likes jazz.")
    return memory


def test_merge_and_split_are_exact(two: Memory) -> None:
    before = picture(two)
    two.merge_entities("Robert", "Bob")
    assert one_of(two, "Robert", "Bob", "Tom's uncle")
    assert told(two, "Robert") == told(two, "Bob") >= {("lives_in", "Oslo"), ("likes", "jazz")}
    two.split_entity("Robert", "Bob")
    assert picture(two) == before
    assert two.check().findings == ()


def test_undo_of_merge_and_of_split(two: Memory) -> None:
    before = picture(two)
    two.merge_entities("Robert", "Bob")
    merged = picture(two)
    two.undo()
    assert picture(two) == before
    two.merge_entities("Robert", "Bob")
    two.split_entity("Robert", "Bob")
    two.undo()
    assert picture(two) == merged
    two.undo()
    assert picture(two) == before


def test_what_was_said_after_the_merge_goes_with_its_name(two: Memory) -> None:
    two.merge_entities("Robert", "Bob")
    say(two, "Bob plays chess.", "Robert speaks Norwegian.")
    after = {one.text for one in two.facts("Bob", states="all")}
    two.split_entity("Robert", "Bob")
    bob = {one.text for one in two.facts("Bob", states="all")}
    robert = {one.text for one in two.facts("Robert", states="all")}
    assert bob | robert == after
    assert not bob & robert
    assert all("Bob" in text for text in bob)


def test_merging_twice_and_merging_back_again(two: Memory) -> None:
    two.merge_entities("Robert", "Bob")
    assert not two.merge_entities("Robert", "Bob").stored
    two.split_entity("Robert", "Bob")
    two.merge_entities("Bob", "Robert")
    assert one_of(two, "Robert", "Bob")
    before = told(two, "Bob")
    two.split_entity("Bob", "Robert")
    assert told(two, "Bob") | told(two, "Robert") == before


def test_a_name_that_came_without_a_merge_can_be_split_too(memory: Memory) -> None:
    say(memory, "老王也叫王师傅", "王师傅喜欢喝茶", "老王喜欢下棋", speaker="田甜")
    memory.split_entity("老王", "王师傅")
    assert ("likes", "喝茶") in told(memory, "王师傅")
    assert ("likes", "下棋") in told(memory, "老王")
    assert not one_of(memory, "老王", "王师傅")


def test_a_merge_made_by_the_text_can_be_split(memory: Memory) -> None:
    say(memory, "My wife loves sushi.", "My wife Mei works at Halden.")
    memory.split_entity("Mei", "Tom's wife")
    assert told(memory, "Tom's wife") == {("likes", "sushi")}
    assert told(memory, "Mei") == {("works_at", "Halden")}


def test_what_is_no_further_name_cannot_be_split(two: Memory) -> None:
    for name in ("Robert", "Nobody"):
        with pytest.raises(UnknownId):
            two.split_entity("Robert", name)


def test_the_command_line(tmp_path: Path) -> None:
    def run(*words: str) -> Result:
        return CliRunner().invoke(app, ["--memory", str(tmp_path / "memory"), *words])

    def listed() -> dict[str, list[str]]:
        rows = json.loads(run("entities", "list", "--json").output)
        return {row["name"]: row["aliases"] for row in rows if row["kind"] == "person"}

    run("add", "My friend Bob lives in Rome.", "--speaker", "Tom")
    run("add", "My uncle Robert lives in Oslo.", "--speaker", "Tom")
    before = listed()
    assert before == {"Tom": [], "Bob": [], "Robert": ["Tom's uncle"]}
    merged = run("entities", "merge", "Robert", "Bob", "--json")
    assert merged.exit_code == 0
    assert json.loads(merged.output)["event"]
    assert listed() == {"Tom": [], "Robert": ["Tom's uncle", "Bob"]}
    assert "Bob" in run("entities", "list").output
    split = run("entities", "split", "Robert", "Bob", "--json")
    assert json.loads(split.output)["event"]
    assert listed() == before
    assert isinstance(run("entities", "split", "Robert", "Zoe").exception, UnknownId)
