"""Clauses of a parsed sentence: who does what, and whether it is said as a fact, a plan or a wish."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from graphmem_extractors.english.vocabulary import Vocabulary

_CLEFT = "spoken of, not said"
# What somebody would have another do has not been done: "Mum wants me to study law".
_URGED = frozenset(
    {"want", "expect", "urge", "push", "ask", "beg", "like", "love", "prefer", "need"}
)
Mode = Literal["fact", "plan", "wish", "ability", "not_fact"]

_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl"})
_NEGATIONS = frozenset({"not", "n't", "never", "nt", "hardly", "barely", "scarcely", "neither"})
_CLAUSES = frozenset({"relcl", "acl", "advcl", "ccomp", "xcomp", "pcomp"})
_WILL = frozenset({"will", "'ll", "wo", "shall", "ll"})
_MODALS = frozenset({"would", "could", "might", "may", "should", "'d", "d", "ought"})
_TRIED = frozenset({"try", "mean", "intend", "consider", "think", "contemplate", "ponder", "prepare"})  # fmt: skip
_TOLD_AFTER = frozenset({"after", "since", "before", "besides", "upon", "to", "while"})
_SAME_PAST = frozenset({"quit", "cut", "split"})
_OTHERS = frozenset(
    {"everyone", "everybody", "people", "they", "who", "someone", "somebody", "you", "nobody"}
)


@dataclass
class Clause:
    """A verb with its companions. `subject` is a token, "speaker" for a left-out one, or None.

    `weight` multiplies confidence. `habit` is set by "used to", `stopped` by "quit", "no longer".
    """

    verb: Any
    subject: Any
    lemma: str = ""
    mode: Mode = "fact"
    negated: bool = False
    stopped: bool = False
    habit: bool = False
    tense: Literal["present", "past", "future"] = "present"
    progressive: bool = False
    perfect: bool = False
    passive: bool = False
    weight: float = 1.0
    reason: str = ""
    governor: str = ""
    particles: frozenset[str] = field(default_factory=frozenset)


class Clauses:
    """Finds the clauses of a sentence."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._wish = vocabulary.words("wish_verbs")
        self._plan = vocabulary.words("plan_verbs")
        self._stop = vocabulary.words("stop_verbs")
        self._start = vocabulary.words("start_verbs")
        self._say = vocabulary.words("say_verbs")
        self._sure = vocabulary.words("sure_verbs")
        self._if = vocabulary.words("if_marks")

    def of(self, doc: Any) -> list[Clause]:
        """All clauses, left to right."""
        found: dict[int, Clause] = {}
        for token in _outermost_first(doc):
            if token.pos_ in {"VERB", "AUX"} and token.dep_ not in {"aux", "auxpass"}:
                found[token.i] = self._clause(token, found)
        return [found[index] for index in sorted(found)]

    def _clause(self, verb: Any, known: dict[int, Clause]) -> Clause:
        above = known.get(_governor(verb))
        clause = Clause(verb, self._subject(verb, above), self._vocabulary.lemma(verb))
        aux = [child for child in verb.children if child.dep_ in {"aux", "auxpass"}]
        words = {child.lower_ for child in aux}
        before = {child.lower_ for child in verb.children if child.i < verb.i}
        clause.particles = frozenset(
            c.lower_ for c in verb.children if c.dep_ in {"prt", "advmod", "prep"}
        )
        clause.negated = bool(before & _NEGATIONS) or any(c.dep_ == "neg" for c in verb.children)
        clause.negated = clause.negated or _neither(clause.subject)
        clause.stopped = _no_longer(verb)
        clause.passive = any(child.dep_ == "auxpass" for child in verb.children)
        clause.progressive = verb.tag_ == "VBG"
        clause.perfect = bool(words & {"have", "has", "'ve", "had", "ve"}) and verb.tag_ in {
            "VBN",
            "VBD",
            "VBG",
        }
        if words & {"'s"} and verb.lower_ == "had":
            clause.perfect, clause.passive = True, False
            words |= {"been"}
        if (
            verb.tag_ in {"VBD", "VBN"} and not words & {"is", "are", "'s", "'re", "am", "'m", "be"}
        ) or words & {"was", "were", "had", "did"}:
            clause.tense = "past"
        if clause.perfect and "had" not in words:
            clause.tense = "present" if "been" in words or verb.lemma_ == "be" else "past"
        if verb.lower_ == "got" and words & {"have", "has", "'ve", "'s", "ve"}:
            clause.lemma, clause.tense, clause.perfect = "have", "present", False
        if before & {"almost", "nearly"}:
            _not_fact(clause, "almost")
        if verb.lower_ in _SAME_PAST and verb.tag_ in {"VB", "VBP"} and not aux:
            clause.tense = "past"
        if words & _WILL:
            clause.tense, clause.mode, clause.reason = "future", "plan", "will"
        elif words & _MODALS and not (words & {"'d", "d"} and verb.tag_ == "VBN"):
            clause.mode, clause.reason = "not_fact", "modal"
            if (
                clause.lemma in {"love", "like", "prefer"}
                and words & {"would", "'d", "d"}
                and "have" not in words
            ):
                clause.mode, clause.reason = "wish", "would like"
        elif words & {"can", "ca", "could"}:
            clause.mode, clause.reason = "ability", "can"
        elif words & {"must"}:
            clause.mode, clause.reason = "plan", "must"
        self._govern(clause, above)
        return clause

    def _subject(self, verb: Any, above: Clause | None) -> Any:
        auxiliaries = [c for c in verb.children if c.dep_ in {"aux", "auxpass"}]
        near = (*verb.children, *(c for one in auxiliaries for c in one.children))
        own = next((c for c in near if c.dep_ in _SUBJECTS and c.dep_ != "expl"), None)
        if own is not None:
            if own.lower_ in {"who", "that", "which"} and verb.dep_ == "relcl":
                return _meant(verb.head)
            return own
        if verb.dep_ in {"acl", "relcl"}:
            return verb.head
        if verb.dep_ == "ROOT":
            return None if any(c.dep_ == "expl" for c in verb.children) else _left_out(verb)
        if above is None:
            head = verb.head
            if head.pos_ in {"NOUN", "PROPN"} and verb.dep_ == "conj":
                return _left_out(verb)
            return _left_out(verb) if verb.dep_ in {"ccomp", "advcl", "parataxis", "dep"} else None
        if verb.dep_ == "xcomp":
            inner = next((c for c in above.verb.children if c.dep_ == "dobj"), None)
            return (
                inner
                if inner is not None and above.lemma not in {"have", "need"}
                else above.subject
            )
        return above.subject

    def _govern(self, clause: Clause, above: Clause | None) -> None:
        """What the clause above makes of this one."""
        verb = clause.verb
        mark = next(
            (c for c in verb.children if c.dep_ in {"mark", "advmod"} and c.lower_ in self._if),
            None,
        )
        if mark is not None and verb.dep_ in {"advcl", "ccomp", "ROOT", "relcl", "pcomp"}:
            _not_fact(clause, mark.lower_)
        for child in verb.children:
            if child.dep_ == "advcl" and any(
                c.lower_ in {"if", "unless"} and c.i < child.i for c in child.children
            ):
                _not_fact(clause, "conditional")
        if verb.lemma_ == "use" and any(c.dep_ == "xcomp" for c in verb.children):
            _not_fact(clause, "used to")
        if _gerund(verb):
            _not_fact(clause, _CLEFT)
        if above is None:
            return
        lemma = above.lemma
        own_subject = any(c.dep_ in _SUBJECTS for c in verb.children)
        if verb.dep_ == "conj" and not own_subject:
            _coordinated(clause, above)
            return
        if (
            verb.dep_ == "advcl"
            and verb.tag_ == "VBG"
            and above.tense == "past"
            and not own_subject
            and any(c.lower_ in {"while", "when", "whilst"} for c in verb.children)
        ):
            clause.tense = "past"
        if verb.dep_ in {"xcomp", "ccomp"} and not own_subject:
            clause.governor = lemma
            self._controlled(clause, above, lemma)
        elif verb.dep_ == "ccomp" and own_subject:
            self._reported(clause, above, lemma)
        elif verb.dep_ == "pcomp" and lemma in {"think", "dream", "talk", "plan"}:
            clause.mode, clause.reason = "plan", lemma
            clause.weight = 0.7
            about = verb.head.lower_ in {"about", "of"}
            if lemma != "plan" and not (above.progressive and about):
                _not_fact(clause, lemma)
        elif (
            verb.dep_ in {"advcl", "relcl", "pcomp"}
            and above.mode == "not_fact"
            and above.reason != "used to"
        ):
            _not_fact(clause, above.reason)

    def _controlled(self, clause: Clause, above: Clause, lemma: str) -> None:
        clause.tense = above.tense if clause.tense == "present" else clause.tense
        clause.negated = clause.negated or above.negated
        if lemma == "use":
            clause.habit, clause.tense, clause.mode = True, "past", "fact"
        elif lemma == "go" and above.progressive:
            clause.mode, clause.tense = "plan", "future"
            _inherit(clause, above)
        elif lemma in self._stop:
            clause.stopped, clause.negated = not above.negated, False
            clause.tense = "present"
            _inherit(clause, above)
        elif lemma == "have" and above.tense == "past":
            _inherit(clause, above)
        elif lemma == "have":
            clause.mode, clause.reason = "plan", "have to"
            _inherit(clause, above)
        elif lemma in self._wish and (clause.verb.tag_ == "VB" or above.mode == "wish"):
            clause.mode = (
                "wish" if lemma not in {"love", "like"} or above.mode == "wish" else "fact"
            )
            if lemma in {"love", "like"} and above.mode != "wish":
                _not_fact(clause, "liking")
            clause.reason = lemma
            if above.perfect:
                clause.tense = "present"  # "I've always wanted to": still so
            _inherit(clause, above, keep={"wish"})
        elif lemma in self._plan:
            over = above.tense == "past" and not above.perfect and not above.progressive
            clause.mode, clause.reason, clause.tense = "plan", lemma, "future"
            if clause.verb.tag_ == "VBZ" or (
                lemma in _TRIED and (over or (lemma == "try" and not above.progressive))
            ):
                _not_fact(clause, lemma)
            if lemma in {"think", "consider", "contemplate", "ponder", "try"}:
                clause.weight = 0.7
            _inherit(clause, above)
        elif lemma in self._start:
            _inherit(clause, above)
            clause.progressive = False
            if lemma in {"start", "begin"} and clause.verb.tag_ in {"VBG", "VB"}:
                clause.tense = "present"  # what was begun goes on
        elif lemma == "learn" and above.verb.tag_ == "VBG":
            _not_fact(clause, "learning")
        elif lemma == "be" and clause.verb.tag_ == "VBG":
            _not_fact(clause, "busy with")
        elif lemma in {"know", "be", "able", "learn"}:
            clause.mode = "ability"
            _inherit(clause, above)
        else:
            _not_fact(clause, lemma)

    def _reported(self, clause: Clause, above: Clause, lemma: str) -> None:
        first = above.subject is not None and (
            above.subject == "speaker" or above.subject.lower_ in {"i", "we"}
        )
        if clause.verb.i < above.verb.i and lemma not in self._say:
            return  # two sentences run together: the first is nobody's report
        mine = clause.subject == "speaker" or (
            clause.subject is not None and clause.subject.lower_ in {"i", "we"}
        )
        if clause.verb.tag_ == "VB" and lemma in _URGED and _to(clause.verb):
            _not_fact(clause, "wished by others")
        elif above.mode == "not_fact" or above.negated or (mine and not first):
            cleft = lemma == "be" and above.mode == "fact" and not above.negated
            _not_fact(clause, _CLEFT if cleft else above.reason or "said by others")
        elif first and lemma in {
            "wish",
            "hope",
            "doubt",
            "wonder",
            "imagine",
            "dream",
            "pretend",
            "ask",
        }:
            _not_fact(clause, lemma)
        elif first and lemma in {"think", "guess", "suppose", "believe", "reckon", "assume"}:
            clause.weight *= 0.8
        elif lemma in self._say and not first:
            clause.reason = "reported"
            clause.weight *= 0.8
            if above.subject is None or (
                above.subject != "speaker" and above.subject.lower_ in _OTHERS
            ):
                _not_fact(clause, "reported")


def _no_longer(verb: Any) -> bool:
    words = [token.lower_ for token in verb.subtree]
    text = " ".join(words)
    near = " ".join(c.lower_ for c in verb.children)
    before = " ".join(t.lower_ for t in verb.doc[max(0, verb.i - 4) : verb.i + 3])
    return "no longer" in before or (
        any(c.dep_ == "neg" or c.lower_ in _NEGATIONS for c in verb.children)
        and ("anymore" in near or "any more" in text or "any longer" in text or "anymore" in words)
    )


def _gerund(verb: Any) -> bool:
    """A doing that is only spoken of: "joining a class might help", "keen on working abroad"."""
    if verb.tag_ != "VBG":
        return False
    top = verb
    while top.dep_ == "conj" and top.head.tag_ == "VBG":
        top = top.head
    if top.dep_ == "csubj":
        return not any(c.dep_ == "poss" for c in top.children)
    planned = top.head.head.lemma_ in {"think", "dream", "talk", "plan"}
    return top.dep_ == "pcomp" and not planned and top.head.lower_ not in _TOLD_AFTER


def _neither(subject: Any) -> bool:
    """ "Neither Otto nor I": the subject itself denies."""
    if subject is None or isinstance(subject, str):
        return False
    return subject.lower_ == "neither" or any(
        c.lower_ == "neither" or (c.lower_ == "nor" and c.dep_ in {"cc", "preconj"})
        for c in subject.children
    )


def _governor(verb: Any) -> int:
    """The verb above this one (through a noun or adjective where one stands between)."""
    head = verb.head
    if head.i == verb.i:
        return -1
    for _ in range(4):
        if head.pos_ in {"VERB", "AUX"} and head.dep_ not in {"aux", "auxpass"}:
            return int(head.i)
        if head.head.i == head.i or verb.dep_ in {"relcl", "acl"}:
            return -1 if verb.dep_ not in {"relcl", "acl"} else _governor(head)
        head = head.head
    return -1


def _meant(head: Any) -> Any:
    """Whom "the one who ..." means: the name it stands beside."""
    if head.lower_ == "one" and head.dep_ in {"appos", "conj", "npadvmod"}:
        above = head.head
        return above.head if above.dep_ == "appos" and above.head.pos_ == "PROPN" else above
    return head


def _left_out(verb: Any) -> Any:
    """The speaker, where a verb form cannot be an order."""
    if verb.tag_ in {"VBD", "VBN", "VBG"}:
        return "speaker"
    return None


def _is_or(verb: Any) -> bool:
    return any(c.dep_ == "cc" and c.lower_ in {"or", "nor"} for c in verb.head.children)


def _to(verb: Any) -> bool:
    return any(c.dep_ == "aux" and c.lower_ == "to" for c in verb.children)


def _coordinated(clause: Clause, above: Clause) -> None:
    """What a clause without a subject of its own takes over from the one it is joined to by "and"."""
    verb = clause.verb
    same = not any(c.dep_ == "aux" for c in verb.children)
    if (
        same
        and above.mode in {"plan", "wish", "not_fact", "ability"}
        and verb.tag_ in {"VB", "VBP"}
    ):
        clause.mode, clause.reason, clause.tense = above.mode, above.reason, above.tense
        clause.governor = above.governor
        clause.habit, clause.stopped = above.habit, clause.stopped or above.stopped
    elif above.mode == "not_fact" and above.reason in {
        "if",
        "unless",
        "whether",
        "conditional",
    }:
        _not_fact(clause, above.reason)
    if verb.tag_ == "VB" and above.negated and _is_or(verb):
        clause.negated = True


def _not_fact(clause: Clause, reason: str) -> None:
    clause.mode, clause.reason = "not_fact", reason


def _inherit(clause: Clause, above: Clause, keep: frozenset[str] | set[str] = frozenset()) -> None:
    if above.mode == "not_fact" and clause.mode not in keep and above.reason != "used to":
        _not_fact(clause, above.reason)
    elif above.mode in {"plan", "wish"} and clause.mode == "fact":
        clause.mode, clause.reason = above.mode, above.reason


def _outermost_first(doc: Any) -> Iterator[Any]:
    """Tokens from the root downwards, so that each clause knows the one above it."""
    queue = [token for token in doc if token.head.i == token.i]
    while queue:
        token = queue.pop(0)
        yield token
        queue.extend(token.children)
