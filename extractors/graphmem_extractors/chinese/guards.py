"""What is not memory, in Chinese: the guards of a message, of a sentence and of a clause."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphmem.model import Worth
from graphmem_extractors.chinese.clauses import Clause, Sentence
from graphmem_extractors.chinese.vocabulary import Vocabulary

_QUOTE = re.compile(r"“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|\"[^\"\n]*\"|‘[^’\n]*’|《[^》\n]*》")
_KEPT = 5  # a quoted name of so few characters is the speaker's own word
_LATIN_NAME = re.compile(r"[\w .#@_-]{1,24}")
_HAN = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a stretch of text is worth; `weight` multiplies the confidence of what is read in it."""

    worth: Worth = Worth.STATEMENT
    weight: float = 1.0
    rule: str = ""
    reason: str = ""


FINE = Verdict()
SUPPOSED = Verdict(Worth.HYPOTHETICAL, 0.0, rule="guard.hypothetical", reason="after a supposition")
UNKNOWN = Verdict(
    Worth.STATEMENT, 0.0, rule="subject.unknown", reason="a pronoun without a name before it"
)


def masked(text: str) -> str:
    """`text` with quoted passages and code blanked out, every character in its place."""

    def blank(match: re.Match[str]) -> str:
        inner = match.group()[1:-1]
        if match.group()[0] == "《" or (
            len(inner) <= _KEPT and not re.search(r"[，。！？,!?]", inner)
        ):
            return match.group()
        if _LATIN_NAME.fullmatch(inner) and not _HAN.search(inner):
            return match.group()
        return "□" * len(match.group())

    return _QUOTE.sub(blank, text)


def of_message(text: str, words: Vocabulary) -> Verdict | None:
    """The verdict on a whole message, None where its sentences must be looked at one by one."""
    guards = words.guards
    for name, worth in (("echo", Worth.ECHO), ("paste", Worth.QUOTED), ("fiction", Worth.FICTION)):
        found = guards[name].search(text)
        if found:
            return Verdict(worth, 0.0, rule=f"guard.{name}", reason=found.group()[:40])
    bits = [bit for bit in re.split(r"[\W_]+", text) if bit]
    if all(guards["chatter"].fullmatch(bit) for bit in bits):
        return Verdict(Worth.CHATTER, 0.0, rule="guard.chatter", reason="small talk only")
    return None


def of_sentence(sentence: Sentence, words: Vocabulary) -> Verdict:
    """The verdict on a sentence: hearsay and requests take all of it."""
    text = sentence.text.strip()
    guards = words.guards
    if guards["remember"].search(text):
        return FINE
    found = guards["request"].search(text)
    if found:
        return Verdict(Worth.REQUEST, 0.0, rule="guard.request", reason=found.group()[:40])
    return FINE


def of_clause(clause: Clause, *, last: bool, asked: bool, words: Vocabulary) -> Verdict:
    """The verdict on a clause. `asked`: its sentence ends as a question; `last`: it is the last one."""
    guards, text = words.guards, clause.text
    for name in ("hypothetical", "hypothetical_end"):
        found = guards[name].search(text)
        if found:
            return Verdict(Worth.HYPOTHETICAL, 0.0, rule="guard.hypothetical", reason=found.group())
    if (last and asked) or guards["question_end"].search(text + clause.closer):
        return Verdict(Worth.QUESTION, 0.0, rule="guard.question", reason=text[-6:])
    if not guards["not_a_question"].search(text):
        found = guards["question_word"].search(text)
        if found:
            return Verdict(Worth.QUESTION, 0.0, rule="guard.question", reason=found.group())
    for name, worth in (
        ("hedge", Worth.HYPOTHETICAL),
        ("hearsay", Worth.CHATTER),
        ("idiom", Worth.CHATTER),
    ):
        found = guards[name].search(text)
        if found:
            return Verdict(worth, 0.0, rule=f"guard.{name}", reason=found.group())
    found = guards["reported"].search(text)
    if found and not guards["doctor"].search(text[: found.start()]):
        return Verdict(Worth.CHATTER, 0.0, rule="guard.reported", reason=found.group())
    return Verdict(weight=0.9 if asked else 1.0)


def is_sarcastic(text: str, words: Vocabulary) -> bool:
    """Whether a marker says that the words mean their contrary."""
    return bool(words.guards["sarcasm"].search(text))


def is_asked(sentence: Sentence, words: Vocabulary) -> bool:
    """Whether the sentence ends as a question."""
    return bool(words.guards["question_end"].search(sentence.text.strip()))
