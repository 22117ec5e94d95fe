"""Plain sentences about everyday life: each row stands for a kind, with its claims and nothing else."""

from datetime import UTC, datetime

import pytest

from graphmem.model import Message, Worth
from graphmem.protocols import Turn
from graphmem_extractors.english import EnglishExtractor

AT = datetime(2025, 6, 11, 10, 0, tzinfo=UTC)

STATED = [
    ("Noah is allergic to penicillin.", {"Noah allergic_to penicillin"}),
    ("Ivy is diabetic.", {"Ivy has_condition diabetic"}),
    ("Rosa isn't allergic to cats.", {"Rosa not allergic_to cats"}),
    ("lena is vegan", {"Lena follows_diet vegan"}),
    ("Zoe has epilepsy.", {"Zoe has_condition epilepsy"}),
    ("Eva studies medicine in Vienna.", {"Eva studies medicine"}),
    ("Tom went freelance last year.", {"Tom works_as freelance"}),
    ("I like cats but dislike dogs.", {"Ana likes cats", "Ana dislikes dogs"}),
    ("I love jazz and love songs.", {"Ana likes jazz", "Ana likes love songs"}),
    ("my kids love pizza and hate broccoli", {"Ana's kids likes pizza", "Ana's kids dislikes broccoli"}),
    ("I have asthma and use an inhaler.", {"Ana has_condition asthma", "Ana takes_medicine inhaler"}),
    ("My uncle has two dogs and drives a Volvo.", {"Ana's uncle has_pet two dogs", "Ana's uncle drives Volvo"}),
    ("Tom has worked at Lidl as a cashier since 2021.", {"Tom works_as cashier", "Tom works_at Lidl"}),
    ("My son studies maths at ETH.", {"Ana's son studies maths", "Ana's son studies_at ETH"}),
    ("I graduated from Delft in 2012.", {"Ana studies_at Delft"}),
    ("My favourite food is still ramen.", {"Ana favorite_is ramen"}),
    ("Rugby is my favourite sport.", {"Ana favorite_is Rugby"}),
    ("My hobby is pottery.", {"Ana likes pottery"}),
    ("My boss is Carla, she's from Rome.", {"Ana's boss name_is Carla", "Carla from_place Rome"}),
    ("My cousin is called Bo and he plays the drums.", {"Ana relative_of Bo", "Bo plays drums"}),
    ("Rex is our dog.", {"Ana has_pet Rex", "Rex is_a dog"}),
    ("second week as a barista at Blend", {"Ana works_as barista", "Ana works_at Blend"}),
    ("today is my first day at Cargill", {"Ana works_at Cargill"}),
    ("I've gone freelance", {"Ana works_as freelance"}),
    ("My sister was promoted to captain.", {"Ana's sister works_as captain"}),
    ("bought a used Skoda last week", {"Ana bought used Skoda", "Ana drives used Skoda"}),
    ("I got rid of my Golf and bought a Tesla.", {"Ana not drives Golf", "Ana bought Tesla", "Ana drives Tesla"}),
    ("We leased a Kia in March.", {"Ana drives Kia"}),
    ("I eat everything now", {"Ana follows_diet eat everything"}),
    ("back to being single", {"Ana relationship_status single"}),
    ("I gave up alcohol in 2022.", {"Ana not drinks alcohol"}),
    ("I don't drink.", {"Ana not drinks alcohol"}),
    ("I've been vegan for three years", {"Ana follows_diet vegan"}),
    ("I have a nut allergy.", {"Ana allergic_to nut"}),
    ("my husband has a severe allergy to penicillin", {"Ana's husband allergic_to penicillin"}),
    ("Neither my wife nor I drink.", {"Ana's wife not drinks alcohol", "Ana not drinks alcohol"}),
    ("I speak English, German and some Turkish.", {"Ana speaks English", "Ana speaks German", "Ana speaks Turkish"}),
    ("I've always wanted to see Petra.", {"Ana wants see Petra"}),
    ("I'm a member of the local rowing club.", {"Ana member_of local rowing club"}),
    ("My passport expires in 2031.", {"Ana's passport expires_on 2031"}),
]  # fmt: skip

NOT_STATED = [
    "I picked up the kids.",
    "Joining a gym would be good.",
    "I was thinking about moving to Rome.",
    "I wanted to be a vet as a child.",
    "I tried to learn Greek.",
    "I'm learning to play the guitar.",
    "I know you can do it, Jon.",
    "Enjoy your family time, John!",
    "Love that painting!",
    "customers love the new offers",
    "I got a surge of energy",
    "I can handle anything.",
    "I've been busy painting",
    "Volunteering and making a difference, it's so heartwarming.",
    "Don't call me Bob.",
    "Nobody here speaks French.",
    "I had an interview at Google.",
    "Remind me every Monday to water the plants",
]

CHATTER = [
    "Thanks so much for the lovely flowers!",
    "Congrats on the new job!",
    "I hope you feel better soon.",
    "You're such a good listener.",
    "I'm so proud of you.",
    "So sorry to hear about your dog.",
    "What a beautiful photo!",
    "Great to hear from you, Tom!",
    "Keep up the good work!",
]

TOLD = [
    "Thanks! We moved into the flat on Monday.",
    "Wow, that's great! My sister had twins yesterday.",
    "Sounds fun! I painted a landscape last week.",
    "Hi! The car broke down again.",
    "It was my grandmother's ring.",
    "She gave me the necklace when I was ten.",
    "I want to improve my endurance.",
    "There's a new bakery on Elm Street.",
]


@pytest.fixture(scope="module")
def extractor():
    return EnglishExtractor()


def read(extractor, text):
    [found] = extractor.extract([Turn(Message(text=text, speaker="Ana", said_at=AT))])
    return found


def said(found):
    return {
        f"{c.entity} {'not ' * (c.polarity == '-')}{c.predicate} {c.object}"
        for c in found.candidates
    }


@pytest.mark.parametrize(("text", "claims"), STATED)
def test_a_plain_sentence_states_its_claims_and_no_other(extractor, text, claims):
    assert said(read(extractor, text)) == claims


@pytest.mark.parametrize("text", NOT_STATED)
def test_nothing_is_learnt_from_what_only_sounds_like_a_claim(extractor, text):
    assert said(read(extractor, text)) == set()


@pytest.mark.parametrize("text", CHATTER)
def test_reactions_are_chatter(extractor, text):
    assert read(extractor, text).worth is Worth.CHATTER


@pytest.mark.parametrize(
    "text", ["That's so nice! What pet do you have?", "Good morning! How did you sleep?"]
)
def test_a_reaction_with_a_question_is_a_question(extractor, text):
    assert read(extractor, text).worth is Worth.QUESTION


@pytest.mark.parametrize("text", TOLD)
def test_one_assertion_among_chatter_makes_a_statement(extractor, text):
    assert read(extractor, text).worth is Worth.STATEMENT


def test_what_is_over_is_history_up_to_its_year(extractor):
    [claim] = read(extractor, "I graduated from Delft in 2012.").candidates
    assert (claim.tense, str(claim.valid_to), claim.valid_from) == ("past", "2012", None)


def test_a_car_for_somebody_else_is_not_the_buyers(extractor):
    assert {c.predicate for c in read(extractor, "I got a Fiat for my daughter").candidates} == {
        "bought"
    }
