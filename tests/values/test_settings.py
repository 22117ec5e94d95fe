"""Settings: the last of defaults, file, environment and arguments wins; anything unknown is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.config import Settings, load
from graphmem.errors import InvalidSettings
from graphmem.lexicon import Lexicon


def test_the_last_word_wins(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('owner = "Ana"\nbatch = 10\nreview = false\n')
    environment = {"GRAPHMEM_BATCH": "20", "GRAPHMEM_EXTRACTORS": "english"}
    settings = load(tmp_path, environment=environment, arguments={"owner": "Tom"})
    assert (settings.owner, settings.batch, settings.review) == ("Tom", 20, False)
    assert settings.extractors == ("english",)


def test_without_anything_said_the_defaults_hold(tmp_path: Path) -> None:
    assert load(tmp_path, environment={}) == Settings()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("ownr = 'Ana'", "ownr"),
        ("batch = 'many'", "batch"),
        ("review = 1", "review"),
        ("owner = ", "config.toml"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, named: str) -> None:
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(InvalidSettings, match=named):
        load(tmp_path, environment={})


def test_an_owner_adds_words_and_slots() -> None:
    more = {"slots": {"gym": {"predicates": ["trains_at"]}}}
    lexicon = Lexicon.load(more)
    assert lexicon.table("slots")["gym"]["predicates"] == ["trains_at"]
    assert "home" in lexicon.table("slots")
    assert "gym" not in Lexicon.load().table("slots")
    with pytest.raises(InvalidSettings, match="slotz"):
        Lexicon.load({"slotz": {}})
    with pytest.raises(InvalidSettings, match="predicates"):
        Lexicon.load({"slots": {"home": {"predicates": "lives_in"}}})
