"""What each piece of evidence about a pair of statements is worth: a probability of its own.

Three questions are asked, each answered by its own evidence:

- tie: do the two speak of the same thing?
- shift: does the new one set itself apart from the old (a change, a contrary, a detail)?
- doubt: does something say that nothing changed (a plan, a visit, another person)?

The pieces of a question are joined as independent reasons: 1 - (1 - p1)(1 - p2)... The score of a pair is
tie x shift x (1 - doubt), 0 to 1; from THRESHOLD on it is nominated. How the numbers were set is told in
docs/decisions/nomination.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# What ties the two together. A count in the comment: the evidence may be there several times.
TIE: Mapping[str, float] = MappingProxyType(
    {
        "shared": 0.10,  # a content word in common (up to 3)
        "shared_name": 0.30,  # a proper name in common (up to 2)
        "topic": 0.20,  # an everyday topic in common
        "single_topic": 0.75,  # that topic takes one value at a time
        "members": 0.10,  # both name a value of one topic ("nurse", "chef")
        "near": 0.65,  # the cosine is half of that which means "same topic"
        "close": 0.85,  # three quarters of it
        "very_close": 0.70,  # all of it
        "slot": 0.90,  # claims that fill one slot, or of one predicate with a single value
        "same_relative": 0.70,  # both are about the same other person
        "opposite": 0.85,
        "back": 0.10,  # the new one points back with a pronoun
        "correct": 0.60,
        "ended_value": 0.80,  # a cue of an end in the clause that names what the old one claims
        "instance": 0.60,  # an instance of the class that the old one claims
        "dose": 0.60,  # two doses in one unit
        "ended": 0.30,  # the same with another word of the old one
        "over_back": 0.25,  # "it", "him" with a cue of an end
    }
)
# What sets the new one apart.
SHIFT: Mapping[str, float] = MappingProxyType(
    {
        "over": 0.40,
        "switch": 0.85,
        "ended_value": 0.40,
        "ended": 0.20,
        "instance": 0.45,
        "over_apart": 0.70,  # the same in a clause that has nothing of the old
        "switch_apart": 0.35,
        "now": 0.80,
        "correct": 0.85,
        "reschedule": 0.65,
        "cancel": 0.70,
        "opposite": 0.55,
        "flip": 0.30,  # one of the two is negated
        "value_differs": 0.45,  # a number, date or code of one kind is another
        "value_added": 0.50,
        "name_added": 0.30,
        "name_differs": 0.35,
        "member_differs": 0.45,
        "member_added": 0.20,
        "past_of_old": 0.70,  # the new one speaks of the old value as past
        "detail": 0.05,  # it says all that the old says, and more
        "news": 0.15,  # a new content word (up to 4)
        "slot": 0.60,
    }
)
# What says that nothing changed.
DOUBT: Mapping[str, float] = MappingProxyType(
    {
        "other_person": 0.95,
        "plan": 0.80,
        "wish": 0.90,
        "visit": 0.70,
        "stay": 0.75,
        "past": 0.85,
        "quoted": 0.80,
        "sarcasm": 0.85,
        "question": 0.80,
        "add": 0.85,
        "same": 0.80,
        "multi": 0.10,
        "denied": 0.85,
        "others": 0.65,  # done for somebody else
        "other_event": 0.30,  # another meeting, another party
        "other_predicate": 0.40,  # claims of different predicates, and no word of change
        "off_topic": 0.45,  # a word in common, but nothing of what the old one is about
        "other_value": 0.70,  # another thing liked, another place visited
        "guarded": 0.40,  # a note that was hedged, quoted or asked
        "other_kind": 0.70,  # another thing of the same sort, by the lexicon
        "sibling": 0.30,  # the same head word, said of another thing
        "bare": 0.85,  # close in meaning, and hardly a word in it is new
        "addressed": 0.95,  # talk to the other
        "plain": 0.30,  # no mark of a change, and no topic that takes one value
        "restated": 0.05,  # closer than that, and no value, name or cue is new
    }
)
THRESHOLD = 0.35
