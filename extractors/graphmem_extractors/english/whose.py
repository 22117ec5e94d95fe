"""Who or what a noun phrase names: the speaker, somebody's relative, a name, a thing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from graphmem_extractors.english.names import (
    TITLES,
    full_name,
    in_a_place,
    is_name,
    name_without,
    noun_words,
    shown,
)
from graphmem_extractors.english.vocabulary import Vocabulary

FIRST = frozenset({"i", "me", "myself", "we", "us", "ourselves", "mine"})
_MY = frozenset({"my", "our"})
_THE = frozenset({"wife", "husband", "missus", "baby", "little", "neighbour", "neighbor", "flatmate", "roommate", "housemate"})  # fmt: skip
_GENDER = {"he": "m", "him": "m", "his": "m", "himself": "m", "she": "f", "her": "f", "hers": "f", "herself": "f"}  # fmt: skip
_NOBODY = frozenset(
    [
        "you",
        "your",
        "u",
        "one",
        "someone",
        "somebody",
        "anyone",
        "anybody",
        "everyone",
        "everybody",
        "nobody",
        "people",
        "who",
        "that",
        "what",
        "which",
        "whoever",
        "whatever",
        "something",
        "anything",
        "everything",
        "nothing",
        "none",
        "there",
        "this",
        "these",
        "those",
        "all",
        "most",
        "some",
        "many",
        "others",
    ]
)
_INDEFINITE = frozenset(
    [
        "a",
        "an",
        "any",
        "every",
        "each",
        "no",
        "another",
        "some",
        "which",
        "what",
        "whatever",
        "these",
    ]
)


@dataclass(frozen=True, slots=True)
class Named:
    """What a noun phrase names. `role` is the kin word when it names a relative; `given` its own name."""

    name: str
    kind: str = "thing"
    speaker: bool = False
    role: str = ""
    role_name: str = ""
    given: str = ""
    owner: str = ""
    owner_is_speaker: bool = False


@dataclass
class Context:
    """Who was mentioned where, for pronouns: (name, kind, gender), and the first place of each.

    `here` is the place up to which mentions count: a pronoun means nobody named only after it.
    """

    mentioned: list[tuple[str, str, str]] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)  # by role
    here: int = 1 << 40

    def mention(self, name: str, kind: str, gender: str = "", *, place: int = -1) -> None:
        """Remember a mention at `place` (characters); a known gender is kept."""
        name = self.names.get(name, name)
        for known in self.mentioned:
            if known[0] == name:
                gender = gender or known[2]
        self.mentioned = [known for known in self.mentioned if known[0] != name]
        self.mentioned.append((name, kind, gender))
        self.places[name] = min(self.places.get(name, place), place)

    def called(self, role: str, name: str) -> None:
        """The one mentioned as `role` ("Ana's boss") has a name: pronouns mean the name from now on."""
        if role == name:
            return
        self.names[role] = name
        found = next((known for known in self.mentioned if known[0] == role), None)
        if found is not None:
            self.mentioned.remove(found)
            self.mention(name, found[1], found[2], place=self.places.pop(role))

    def _before(self) -> list[tuple[str, str, str]]:
        return [m for m in reversed(self.mentioned) if self.places[m[0]] < self.here]

    def person(self, gender: str) -> tuple[str, str] | None:
        """The last person or animal that a pronoun of this gender can mean."""
        for name, kind, known in self._before():
            if kind in {"person", "animal"} and known in {"", gender}:
                return name, kind
        return None

    def people(self) -> tuple[str, str] | None:
        """The last group that "they" can mean."""
        for name, kind, known in self._before():
            if known == "plural":
                return name, kind
        return None

    def thing(self) -> tuple[str, str] | None:
        """The last thing or animal that "it" can mean."""
        for name, kind, _ in self._before():
            if kind != "person":
                return name, kind
        return None


class Namer:
    """Names noun phrases of parsed sentences. Holds the speaker and the context of one message."""

    def __init__(self, vocabulary: Vocabulary, speaker: str, context: Context) -> None:
        self._vocabulary = vocabulary
        self._kin = vocabulary.kin
        self.speaker = speaker
        self.context = context
        self.start = 0  # where the sentence begins in the message

    def name(self, token: Any) -> Named | None:
        """What the phrase headed by `token` names; None where it names nobody in particular."""
        low = token.lower_
        self.context.here = self.start + token.idx
        if low in FIRST:
            return Named(self.speaker, "person", speaker=True)
        if token.tag_ in {"PRP", "PRP$"} or low in _GENDER:
            return self._pronoun(low)
        if low in _NOBODY:
            return None
        kin = self.kin_word(token)
        if kin:
            return self._relative(token, kin)
        if is_name(token):
            return self._named(token)
        return self._thing(token)

    def kin_word(self, token: Any) -> str:
        """The kin word that `token` is ("sister"), or ''."""
        low = token.lower_
        if low in self._kin:
            compound = f"{token.nbor(-1).lower_} {low}" if token.i else low
            return compound if compound in self._kin else low
        return ""

    def animal(self, token: Any) -> bool:
        """Whether the phrase is an animal by its word."""
        return token.lower_ in self._vocabulary.words("animals")

    def owner(self, token: Any) -> Named | None:
        """Whose it is: the possessor of the phrase, if one stands there."""
        for child in token.children:
            if child.dep_ == "poss" or (child.tag_ == "PRP$" and child.i < token.i):
                if child.lower_ in _MY:
                    return Named(self.speaker, "person", speaker=True)
                if child.tag_ == "PRP$":
                    self.context.here = self.start + child.idx
                    return self._pronoun(child.lower_)
                return self.name(child)
            if (
                child.dep_ == "prep"
                and child.lower_ == "of"
                and any(grand.lower_ in {"mine", "ours"} for grand in child.children)
            ):
                return Named(self.speaker, "person", speaker=True)
        return None

    def has_owner(self, token: Any) -> bool:
        """Whether a possessor stands before the phrase, known or not."""
        return any(child.dep_ == "poss" or child.tag_ == "PRP$" for child in token.children)

    def _pronoun(self, low: str) -> Named | None:
        if low in _GENDER:
            found = self.context.person(_GENDER[low])
        elif low in {"they", "them", "their", "theirs"}:
            found = self.context.people()
        elif low in {"it", "its"}:
            found = self.context.thing()
        elif low in {"my", "our"}:
            return Named(self.speaker, "person", speaker=True)
        else:
            found = None
        return self._known(*found) if found else None

    def _known(self, name: str, kind: str) -> Named:
        """A thing mentioned before; "Ana's puppy" is still Ana's."""
        owner, _, role = name.rpartition("'s ")
        if not owner or kind not in {"person", "animal"}:
            return Named(name, kind)
        word = role.rsplit(" ", 1)[-1]
        return Named(name, kind, role=word, role_name=name, owner=owner, owner_is_speaker=owner == self.speaker)  # fmt: skip

    def _relative(self, token: Any, kin: str) -> Named | None:
        entry = self._kin[kin]
        owner = self.owner(token)
        determiner = next((c.lower_ for c in token.children if c.dep_ == "det"), "")
        if owner is None:
            if self.has_owner(token) or determiner in _INDEFINITE:
                return None
            bare = kin in self._vocabulary.endearments or entry.get("role") or entry.get("plural")
            if not bare and not (determiner == "the" and kin in _THE):
                return None
            owner = Named(self.speaker, "person", speaker=True)
        words = [
            child.text.lower()
            for child in token.children
            if child.i < token.i and child.dep_ in {"amod", "compound", "nummod"} and child.tag_ != "NNP"
            and child.lower_ not in {"lovely", "dear", "poor", "beloved", "own", "amazing", "wonderful", "sweet"}
        ]  # fmt: skip
        role = shown(" ".join([*words, kin] if kin == token.lower_ else [*words[:-1], kin]))
        name = f"{owner.name}'s {role}"
        gender = "plural" if entry.get("plural") else entry.get("gender", "")
        given = self._given(token)
        self.context.mention(given or name, "person", gender, place=self.start + token.idx)
        return Named(
            given or name, "person", role=kin, role_name=name, given=given,
            owner=owner.name, owner_is_speaker=owner.speaker,
        )  # fmt: skip

    def _given(self, token: Any) -> str:
        """The name told beside a kin word: "my wife Mei", "my cousin (Ugo)"."""
        for child in token.children:
            if child.dep_ in {"appos", "npadvmod"} and child.i > token.i and is_name(child):
                return full_name(child)
        following = token.nbor(1) if token.i + 1 < len(token.doc) else None
        if (
            following is not None
            and following.lower_ in {",", "("}
            and following.i + 1 < len(token.doc)
        ):
            after = following.nbor(1)
            closing = after.nbor(1).text if after.i + 1 < len(token.doc) else ""
            if is_name(after) and closing in {",", ")", ""}:
                return full_name(after)
        elif following is not None and is_name(following) and following.tag_ in {"NNP", "NNPS"}:
            return full_name(following)
        return ""

    def _named(self, token: Any) -> Named | None:
        name = full_name(token)
        kin = next((c for c in token.children if c.i < token.i and (self.kin_word(c) or self.animal(c)) and c.lower_ not in TITLES), None)  # fmt: skip
        owner = self.owner(token)
        if (
            kin is not None
            and owner is None
            and self._kin.get(self.kin_word(kin), {}).get("family")
        ):
            owner = Named(self.speaker, "person", speaker=True)
        if kin is not None and owner is not None:
            word = self.kin_word(kin) or kin.lower_
            role = f"{owner.name}'s {shown(word)}"
            entry = self._kin.get(word, {})
            kind = "person" if entry else "animal"
            own = name_without(token, kin)
            self.context.mention(own, kind, entry.get("gender", ""), place=self.start + token.idx)
            return Named(own, kind, role=word, role_name=role, given=own, owner=owner.name, owner_is_speaker=owner.speaker)  # fmt: skip
        for child in token.children:
            if child.dep_ == "appos":
                word = self.kin_word(child)
                whose = self.owner(child) if word else None
                if word and whose is not None:
                    entry = self._kin[word]
                    self.context.mention(
                        name, "person", entry.get("gender", ""), place=self.start + token.idx
                    )
                    return Named(name, "person", role=word, role_name=f"{whose.name}'s {shown(word)}", given=name, owner=whose.name, owner_is_speaker=whose.speaker)  # fmt: skip
        if owner is not None:
            name = f"{owner.name}'s {name}"
        if any(word in FIRST for word in name.lower().split()):
            return None
        kind = next((k for n, k, _ in self.context.mentioned if n == name), "")
        titled = name.split(" ", 1)[0].lower().rstrip(".") in TITLES
        kind = kind or ("place" if in_a_place(token) and not titled else "person")
        self.context.mention(name, kind, place=self.start + token.idx)
        return Named(name, kind)

    def _thing(self, token: Any) -> Named | None:
        if token.pos_ not in {"NOUN", "PROPN", "NUM", "X", "ADJ"}:
            return None
        determiner = next((c.lower_ for c in token.children if c.dep_ == "det"), "")
        owner = self.owner(token)
        if owner is None and (self.has_owner(token) or determiner in _INDEFINITE):
            return None
        words = noun_words(token)
        if any(word in FIRST for word in words.lower().split()):
            return None
        kind = "animal" if self.animal(token) else "thing"
        name = f"{owner.name}'s {words}" if owner is not None else words
        given = self._given(token) if kind == "animal" and owner is not None else ""
        if owner is not None or determiner in {"the", "this", "that"}:
            self.context.mention(given or name, kind, place=self.start + token.idx)
        return Named(
            given or name, kind, role=token.lower_ if given else "", role_name=name if given else "", given=given,
            owner=owner.name if owner else "", owner_is_speaker=bool(owner and owner.speaker),
        )  # fmt: skip
