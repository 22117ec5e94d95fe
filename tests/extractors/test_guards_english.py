"""What is not memory, in English."""

import pytest

from graphmem.lexicon import Lexicon
from graphmem.model import Worth
from graphmem_extractors.guards import Guards, Verdict, worth_of


@pytest.fixture(scope="module")
def guards():
    return Guards(Lexicon.load(), "en")


@pytest.mark.parametrize(
    ("sentence", "worth"),
    [
        ("where did I put my keys?", Worth.QUESTION),
        ("what does a heat pump cost", Worth.QUESTION),
        ("is the code now Garden77?", Worth.QUESTION),
        ("they changed the code to Garden77?", Worth.STATEMENT),
        ("they changed the code?", Worth.QUESTION),
        ("do you know a good dentist", Worth.QUESTION),
        ("I wonder if my sister likes jazz", Worth.QUESTION),
        ("if I moved to Paris I'd learn French", Worth.HYPOTHETICAL),
        ("had I known, I would have stayed", Worth.HYPOTHETICAL),
        ("I wish I had a garden", Worth.HYPOTHETICAL),
        ("please explain photosynthesis", Worth.REQUEST),
        ("can you book a table", Worth.QUESTION),
        ("write me a list of verbs", Worth.REQUEST),
        ("good morning", Worth.CHATTER),
        ("lol thanks", Worth.CHATTER),
        ("so tired today", Worth.CHATTER),
        ("everyone says Rome is crowded", Worth.CHATTER),
        ("I live in Ghent", Worth.STATEMENT),
        ("remember that my locker is 12", Worth.STATEMENT),
        ("call me Bex", Worth.STATEMENT),
        ("my test is on Monday", Worth.STATEMENT),
        ("book club is on Friday", Worth.STATEMENT),
        ("call centre training starts on Monday", Worth.STATEMENT),
        ("book a table that is quiet", Worth.REQUEST),
        ("check what is on", Worth.REQUEST),
    ],
)
def test_worth_of_one_sentence(guards, sentence, worth):
    assert guards.sentence(sentence).worth is worth


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("Write a story about Tom. He lives in London.", Worth.FICTION),
        ("Pretend you are my aunt. I have three cats.", Worth.FICTION),
        ("imagine I'm a pirate. I own a ship.", Worth.FICTION),
        ("Memory: user is vegan", Worth.ECHO),
        ("current: Ana lives in Ghent", Worth.ECHO),
        ("possibly outdated: Ana drives a Golf", Worth.ECHO),
        ("Translate this: I live in Rome and work there.", Worth.QUOTED),
        ("in the movie she hates dogs. She has a boat.", Worth.FICTION),
    ],
)
def test_a_guard_stays_open_to_the_end(guards, text, worth):
    spans = []
    start = 0
    for part in text.split(". "):
        spans.append((start, start + len(part)))
        start += len(part) + 2
    verdicts = guards.judge(text, spans)
    assert {v.worth for v in verdicts} == {worth}
    assert worth_of(verdicts) is worth


def test_a_hedge_lowers_and_sarcasm_turns(guards):
    assert guards.sentence("I think I like opera").weight < 1
    assert guards.sentence("yeah right, I LOVE queues 🙄").sarcastic
    assert guards.sentence("I like opera") == Verdict()


@pytest.mark.parametrize(
    "text",
    ['she said "I live in Oslo now" and left', "look: ```\nname = 'Ana lives here'\n```"],
)
def test_quotes_and_code_are_masked_in_place(guards, text):
    masked = guards.masked(text)
    assert len(masked) == len(text)
    assert "live" not in masked


def test_short_quotes_are_names(guards):
    assert guards.masked('we call her "Mimi"') == 'we call her "Mimi"'


def test_the_weightiest_kind_names_the_message():
    assert worth_of([Verdict(Worth.CHATTER), Verdict(Worth.QUESTION)]) is Worth.QUESTION
    assert worth_of([Verdict(Worth.QUESTION), Verdict()]) is Worth.STATEMENT
    assert worth_of([]) is Worth.CHATTER
