"""Two years of a life, played in seconds; docs/simulation.md tells the outcome."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from graphmem.model import State, Tier

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def simulate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("simulate", ROOT / "tools" / "simulate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["simulate"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def lives(simulate: ModuleType) -> dict:
    return {language: simulate.played(language) for language in ("en", "zh")}


def test_the_outcome_is_the_one_in_the_documents(simulate: ModuleType, lives: dict) -> None:
    written = (ROOT / "docs" / "simulation.md").read_text("utf-8")
    assert written == simulate.DOCUMENT.format(tables=simulate.tables(lives))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_fades_and_what_stays(lives: dict, language: str) -> None:
    facts = lives[language].facts
    for name in ("home (a slot)", "allergy (importance 5)", "pinned by the owner"):
        assert [(fact.state, fact.tier) for fact in facts[name]] == [(State.CURRENT, Tier.CORE)]
    assert {fact.state for fact in facts["appointment tomorrow"]} <= {State.EXPIRED, State.CURRENT}
    (monthly,) = facts["habit, said again every month"]
    assert monthly.state is State.CURRENT
    end = max(fact.said_at for fact in facts["small preference, said once"])
    for fact in facts["small preference, said once"]:
        assert (fact.state is State.CURRENT) == ((end - fact.said_at).days < 67)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_fires(simulate: ModuleType, lives: dict, language: str) -> None:
    life = lives[language]
    assert len(life.moments) == len(set(life.moments))
    for kind in simulate.WISHES:
        told = sum(life.told[kind.name].values())
        if len(kind.on) > 1:
            assert told == len(kind.on)
    assert 100 <= sum(life.told["every Monday at 8"].values()) <= 105
    assert 50 <= sum(life.told["every other Friday"].values()) <= 53
