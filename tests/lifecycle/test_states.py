from datetime import timedelta
from itertools import product

import pytest
from facts import DAY, note

from graphmem.errors import TransitionRefused
from graphmem.lifecycle.states import MOVES, may_move, move, standing
from graphmem.model import State


def test_every_state_has_a_row_and_a_way_back_to_current():
    assert set(MOVES) == set(State)
    for state in State:
        assert state is State.CURRENT or State.CURRENT in MOVES[state]


@pytest.mark.parametrize(("start", "to"), list(product(State, State)))
def test_a_move_follows_the_table_or_is_refused_with_both_states_and_a_way_out(start, to):
    fact = note("I live in Leeds", state=start)
    if to in MOVES[start]:
        assert may_move(fact, to)
        op = move(fact, to, now=DAY)
        assert op.before["state"] is start
        assert op.after["state"] is to
    else:
        with pytest.raises(TransitionRefused) as refused:
            move(fact, to, now=DAY)
        assert start.value in refused.value.met
        assert to.value in refused.value.met
        assert refused.value.next_step


def test_retiring_and_restoring_keep_the_date_in_step():
    retired = move(note("x"), State.HISTORICAL, now=DAY)
    assert retired.after["retired_at"] == DAY
    was = note("x", state=State.HISTORICAL, retired_at=DAY)
    restored = move(was, State.CURRENT, now=DAY + timedelta(days=1))
    assert restored.before == {"state": State.HISTORICAL, "retired_at": DAY}
    assert restored.after == {"state": State.CURRENT, "retired_at": None}


def test_standing_leaves_out_what_does_not_change():
    assert standing(note("x"), state=State.CURRENT, importance=5).after == {"importance": 5}
