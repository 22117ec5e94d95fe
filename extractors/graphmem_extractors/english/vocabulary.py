"""The English word lists, read once from the lexicon and kept in quick shapes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphmem.lexicon import Lexicon


class Vocabulary:
    """Sets, patterns and tables of the topics `extract_en`, `family_en` and `classes_en`."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._extract = lexicon.table("extract", "en")
        self._classes = lexicon.table("classes", "en")
        self._sets: dict[str, frozenset[str]] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}
        family = lexicon.table("family", "en")
        self.kin: Mapping[str, Mapping[str, Any]] = {
            word: entry for entry in family["kin"] for word in entry["words"]
        }
        lists = ("wish_verbs", "plan_verbs", "stop_verbs", "start_verbs", "say_verbs", "sure_verbs")
        verbs = [*(v for f in self._extract["frames"] for v in f["verbs"]), *(v for name in lists for v in self._extract[name])]  # fmt: skip
        self._lemmas = {form: lemma for lemma in verbs for form in _regular_forms(lemma)}
        self.third_person: Mapping[str, str] = {_regular_forms(v)[0]: v for v in verbs}
        self.endearments = frozenset(family.get("bare", ()))

    def lemma(self, verb: Any) -> str:
        """The lemma of a verb token; regular forms of known verbs are looked up, not guessed."""
        known = self._lemmas.get(verb.lower_)
        return known if known is not None and verb.lemma_ != verb.lower_ else str(verb.lemma_)

    def words(self, name: str) -> frozenset[str]:
        """A list of words as a set, lower case."""
        if name not in self._sets:
            source = self._extract.get(name, self._classes.get(name, ()))
            self._sets[name] = frozenset(word.lower() for word in source)
        return self._sets[name]

    def pattern(self, name: str) -> re.Pattern[str]:
        """A list of regular expressions as one, without regard to case."""
        if name not in self._patterns:
            source = self._extract.get(name, self._classes.get(name, ()))
            joined = "|".join(f"(?:{item})" for item in source) or r"(?!)"
            self._patterns[name] = re.compile(joined, re.IGNORECASE)
        return self._patterns[name]

    def table(self, name: str) -> Any:
        """A table of the topic `extract_en` as it is."""
        return self._extract[name]

    def is_a(self, words: str, kind: str) -> bool:
        """Whether a phrase is of a word class: listed whole, by its last word, or by its pattern.

        `kind` may name several, parted by "|".
        """
        if "|" in kind:
            return any(self.is_a(words, part) for part in kind.split("|"))
        phrase = words.lower().strip()
        listed = self.words(kind)
        if phrase in listed or phrase.rsplit(" ", 1)[-1] in listed:
            return True
        if phrase.endswith("s") and phrase[:-1].rsplit(" ", 1)[-1] in listed:
            return True
        shape = self._classes.get(f"{kind}_shape")
        return bool(shape) and self.pattern(f"{kind}_shape").search(phrase) is not None


def _regular_forms(lemma: str) -> tuple[str, ...]:
    """The forms of a regular verb: "hate" gives hates, hated, hating."""
    if lemma.endswith("e"):
        return lemma + "s", lemma + "d", lemma[:-1] + "ing"
    if lemma.endswith("y") and lemma[-2:-1] not in "aeou":
        return lemma[:-1] + "ies", lemma[:-1] + "ied", lemma + "ing"
    return lemma + "s", lemma + "ed", lemma + "ing"
