"""Whatever a reader calls, and with whichever ids it guesses, it learns nothing that is not for it (R7.3)."""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from readers_scene import NOW, OPEN, SECRETS, filled, opened, said

from graphmem import Memory
from graphmem.backup.exporting import Exported
from graphmem.errors import GraphmemError
from graphmem.model import Decision
from graphmem.plain import plain

# Not asked here: the two ends, and what makes or reads a file of everything (refused; see below).
ENDS = {"open", "close"}
ASKED = (
    "Who is my therapist?",
    "Where do I live?",
    "What do I like? Who likes sushi?",
    "What is on tomorrow?",
    "What is my password?",
    "Who is Mia's husband?",
    "What did I do before, and what is my job?",
    "What is Ben called?",
    "Ana",
    "Mia",
    "Ben",
    "Doctor",
    "home",
    "job",
    "我的心理医生是谁？",
)
SAID = (
    *OPEN,
    "I like sushi.",
    "I moved to Lima.",
    "I live in Lima.",
    "Cancel the appointment tomorrow.",
    "Move the appointment tomorrow to Friday.",
    "My therapist is kind.",
    "Mia's husband is kind.",
    "Ben is kind.",
    "I am a pilot now.",
    "Remind me to call Mum when I get home.",
)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("scene") / "memory")


VARIABLE = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}


@pytest.fixture(scope="module")
def ids(scene: Path) -> dict[str, list[str]]:
    """Every id of the whole memory, the hidden ones too."""
    with opened(scene) as memory:
        found = {
            "fact_id": [one.id for one in memory.facts(states="all", kinds=("claim", "note"))],
            "conflict_id": [one.id for one in memory.conflicts(open_only=False)],
            "trigger_id": [one.id for one in memory.reminders(active_only=False)],
            "entity": [one.id for one in memory.entities()],
            "snapshot_id": [
                str(row[0]) for row in memory.cypher("MATCH (s:Snapshot) RETURN s.id").rows
            ],
        }
    found["fact_id"] += found["snapshot_id"]  # a message can be forgotten by its id
    return found


def verbs() -> list[str]:
    return sorted(
        name
        for name, value in inspect.getmembers(Memory)
        if not name.startswith("_") and callable(value) and name not in ENDS
    )


def given_for(name: str, ids: dict[str, list[str]]) -> st.SearchStrategy[Any]:
    """Values for a parameter, by its name."""
    questions = st.sampled_from(ASKED)
    some: dict[str, st.SearchStrategy[Any]] = {
        "question": questions,
        "text": st.sampled_from(SAID),
        "query": st.just("MATCH (f:Fact) RETURN f.text"),
        "message": st.builds(said, st.sampled_from(SAID), st.sampled_from([0.5, 14, 23])),
        "messages": st.lists(st.builds(said, st.sampled_from(SAID), st.just(20)), max_size=3),
        "entity": st.sampled_from(ids["entity"]) | questions | st.sampled_from(ids["fact_id"]),
        "kept": questions,
        "gone": st.sampled_from(ids["entity"]),
        "alias": questions,
        "decision": st.sampled_from(Decision),
        "until": st.just(NOW + timedelta(hours=9)),
        "embedder": st.just("use-multilingual"),
        "readers": st.just(("tv",)),
        "file": st.just("never-written"),
        "path": st.just("never-written"),
    }
    for kind in ("fact_id", "conflict_id", "trigger_id", "snapshot_id"):
        some[kind] = st.sampled_from(ids[kind] or ["c_none"])
    some["message_id"] = some["snapshot_id"]
    some["trigger"] = st.none()
    assert name in some, f"say in this test what a parameter named {name!r} may be given"
    return some[name]


@st.composite
def calls(draw: st.DrawFn, ids: dict[str, list[str]]) -> tuple[str, dict[str, Any]]:
    verb = draw(st.sampled_from(verbs()))
    arguments: dict[str, Any] = {}
    for name, parameter in inspect.signature(getattr(Memory, verb)).parameters.items():
        if name == "self" or parameter.kind in VARIABLE:
            continue
        if parameter.default is parameter.empty:
            arguments[name] = draw(given_for(name, ids))
    every = {
        "facts": {"states": "all", "kinds": ("claim", "note")},
        "recall": {"include": ("historical", "expired", "archived"), "limit": 50},
        "conflicts": {"open_only": False},
        "reminders": {"active_only": False},
        "due": {"now": NOW + timedelta(days=3)},
    }
    if verb in every and draw(st.booleans()):
        arguments |= every[verb]
    return verb, arguments


@pytest.fixture(autouse=True, scope="module")
def aside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is written (exports) is written here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("aside"))
        yield


def answer(memory: Memory, verb: str, arguments: dict[str, Any]) -> str:
    """All that a call lets its caller see."""
    if verb == "next_time":
        arguments = {"trigger": next(iter(memory.reminders()), None)}
        if arguments["trigger"] is None:
            return ""
    try:
        found = getattr(memory, verb)(**arguments)
        if isinstance(found, AbstractContextManager):
            with found as asked:
                found = asked("Who is my therapist?")
        elif isinstance(found, Iterable) and not isinstance(found, str | tuple | dict):
            found = list(found)
    except GraphmemError as error:
        return f"{error!r} {error}"
    if isinstance(found, Exported):
        return f"{found!r} {found.file.read_text('utf-8')}"
    extra = ""
    for shape in ("context", "card", "text", "tree", "mermaid", "dot", "as_json"):
        told = getattr(found, shape, None)
        extra += repr(told() if callable(told) else told)
    return f"{found!r} {plain(found, reveal=True)!r} {extra}"


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_verb_tells_a_reader_what_is_not_for_it(
    data: st.DataObject,
    scene: Path,
    ids: dict[str, list[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    copy = tmp_path_factory.mktemp("copy") / "memory"
    shutil.copytree(scene, copy)
    with opened(copy, reader="tv") as memory:
        for verb, arguments in data.draw(st.lists(calls(ids), min_size=1, max_size=12)):
            shown = answer(memory, verb, arguments).casefold()
            leaked = [word for word in SECRETS if word in shown]
            assert not leaked, f"{verb}({arguments}) told {leaked}"
    shutil.rmtree(copy.parent)


@pytest.mark.parametrize("verb", verbs())
def test_each_verb_is_asked_once_with_every_id(
    verb: str, scene: Path, ids: dict[str, list[str]], tmp_path: Path
) -> None:
    """The same with nothing left to chance: each verb, each id that could be guessed."""
    copy = tmp_path / "memory"
    shutil.copytree(scene, copy)
    parameters = [
        name
        for name, parameter in inspect.signature(getattr(Memory, verb)).parameters.items()
        if name != "self"
        and parameter.default is parameter.empty
        and parameter.kind not in VARIABLE
    ]
    fixed: dict[str, Any] = {
        "text": "I am a pilot now.",
        "decision": Decision.KEEP_BOTH,
        "until": NOW + timedelta(hours=9),
        "question": "Who is my therapist?",
        "query": "MATCH (f:Fact) RETURN f.text",
        "message": said("I am a pilot now.", 14),
        "messages": [said("I am a pilot now.", 14)],
        "embedder": "use-multilingual",
        "kept": "Ana",
        "alias": "Ana",
        "trigger": None,
    }
    guessed = [name for name in parameters if name not in fixed]
    tried = ids.get(guessed[0], ids["entity"]) if guessed else [""]
    with opened(copy, reader="tv") as memory:
        for one in tried:
            arguments = {name: one if name in guessed else fixed[name] for name in parameters}
            shown = answer(memory, verb, arguments).casefold()
            assert not [word for word in SECRETS if word in shown], arguments
