from __future__ import annotations

import json
from contextlib import suppress
from datetime import date
from io import BytesIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphmem.chatlogs import jsonstream
from graphmem.chatlogs.dates import DateOrder
from graphmem.chatlogs.decode import LONGEST_LINE, lines
from graphmem.chatlogs.jsonstream import Found, shape, walk
from graphmem.chatlogs.registry import READERS, detect, open_log
from graphmem.errors import InputError

calm = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def survives(path):
    """Reading ends in messages, problems or an error of ours, under every reader. Gives back how it ended, by
    reader: the messages' texts and how many problems, or the error.
    """
    ended = {}
    for name in (None, *READERS):
        texts, problems = [], 0
        try:
            for number, item in enumerate(open_log(path, format=name, timezone="UTC"), 1):
                assert (item.message is None) != (item.problem is None)
                assert item.number == number
                if item.message:
                    item.message.text.encode()
                    assert item.message.text.strip()
                    assert item.message.said_at.utcoffset() is not None
                    texts.append(item.message.text)
                else:
                    assert item.problem.place
                    assert item.problem.met
                    problems += 1
        except InputError as error:
            ended[name] = error
        else:
            ended[name] = (texts, problems)
    assert ended.keys() == {None, *READERS}
    again = [item.message.text for item in read_again(path) if item.message]
    assert isinstance(ended[None], InputError) or again == ended[None][0]
    return ended


def read_again(path):
    """The same log by content once more: the same again."""
    with suppress(InputError):
        yield from open_log(path, timezone="UTC")


@calm
@given(raw=st.binary(max_size=600))
def test_random_bytes(tmp_path, raw):
    path = tmp_path / "x"
    path.write_bytes(raw)
    survives(path)


PIECES = ["[", "]", "{", "}", ",", ":", '"', "\\", "\\ud83d", "null", "1e999", "NaN", "\n", "\ufeff", "mapping", '"role"', '"content"', '"messages"', "Ana: ", "2024-05-20 10:00", "[31/12/23, 11:59 PM] ", "99/99/99, 99:99 - ", "张三 ", "**", "\u202e", "\u2028", "——"]  # fmt: skip


@calm
@given(pieces=st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=40))
def test_shuffled_pieces_of_logs(tmp_path, pieces):
    path = tmp_path / "x"
    path.write_bytes("".join(pieces).encode("utf-8", "surrogatepass"))
    survives(path)


KEYS = ["mapping", "current_node", "a", "message", "parent", "children", "author", "role", "content", "parts", "create_time", "metadata", "attachments", "chat_messages", "sender", "text", "messages", "from", "date", "date_unixtime", "sender_name", "timestamp_ms", "mes", "is_user", "send_date", "ts", "user", "files", "name", "id"]  # fmt: skip

values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)
    ),
    max_leaves=25,
)


@calm
@given(value=st.lists(values, max_size=4) | values)
def test_any_json_of_the_known_keys(tmp_path, value):
    path = tmp_path / "x"
    path.write_text(json.dumps(value))
    ended = survives(path)
    # what a reader gives is in the file: nothing is made up
    told = path.read_text().casefold()
    for name in ("openai", "claude"):
        texts = [] if isinstance(ended[name], InputError) else ended[name][0]
        for text in texts:
            assert text.startswith("[") or json.dumps(text)[1:-1].casefold() in told, (name, text)


@pytest.mark.parametrize("depth", [300, 5_000, 200_000])
@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"messages":'])
def test_nested_without_end(tmp_path, depth, opening):
    path = tmp_path / "x"
    path.write_text(opening * depth)
    ended = survives(path)
    for name in ("openai", "chatgpt", "claude", "telegram", "instagram"):  # these read JSON
        assert isinstance(ended[name], InputError) or ended[name][0] == [], name


def test_a_deep_message_is_skipped_and_the_next_one_read(tmp_path):
    path = tmp_path / "x.json"
    deep = '{"role": "user", "content": ' + "[" * 5000 + "]" * 5000 + "}"
    path.write_text(
        f'[{{"role": "user", "content": "a"}}, {deep}, {{"role": "user", "content": "b"}}]'
    )
    items = list(open_log(path))
    assert [item.message.text for item in items if item.message] == ["a", "b"]
    assert "deeper" in items[1].problem.met


def test_a_line_without_end_is_skipped_in_bounded_memory():
    class Endless:
        left = LONGEST_LINE * 2

        def read(self, size=-1):
            size = min(size, self.left)
            self.left -= size
            return b"x" * size if size else b""

    (line,) = lines(Endless())
    assert line.text is None
    assert f"{LONGEST_LINE * 2} bytes" in line.fault


def test_a_value_too_large_is_skipped(monkeypatch):
    monkeypatch.setattr(jsonstream, "LARGEST_VALUE", 100)
    monkeypatch.setattr(jsonstream._consume, "__kwdefaults__", {"limit": 100})
    raw = json.dumps(["a", "b" * 200, "c"]).encode()
    found = list(walk(BytesIO(raw), (("*",),), "x"))
    assert [getattr(one, "value", None) for one in found] == ["a", None, "c"]
    assert "202 bytes" in found[1].met


@pytest.mark.parametrize("cut", ["[0", "[12.5, 1", "[true, fal", "[1, -"])
def test_a_number_at_the_cut_is_not_taken_for_a_whole_one(cut):
    found = list(walk(BytesIO(cut.encode()), (("*",),), "x"))
    assert [one.value for one in found[:-1]] == json.loads(
        cut.rpartition(",")[0] + "]" if "," in cut else "[]"
    )
    assert "breaks off" in found[-1].met


@calm
@given(
    value=st.lists(values, max_size=5),
    cut=st.integers(0, 10_000),
    indent=st.sampled_from([None, 1]),
)
def test_walk_agrees_with_the_standard_parser_up_to_the_cut(value, cut, indent):
    raw = json.dumps(value, indent=indent).encode()
    found = [one for one in walk(BytesIO(raw[:cut]), (("*",),), "x") if isinstance(one, Found)]
    dumped = [json.dumps(one) for one in value]
    whole = cut >= len(raw)
    assert [json.dumps(one.value) for one in found] == dumped[: len(found)]
    assert not whole or len(found) == len(value)
    for one in found:
        assert json.dumps(json.JSONDecoder().raw_decode(raw.decode(), one.start)[0]) == json.dumps(
            one.value
        )
        assert one.line == raw[: one.start].count(b"\n") + 1


@calm
@given(raw=st.binary(max_size=200) | st.text(alphabet='[]{}",:\\ a1', max_size=60).map(str.encode))
def test_shape_never_fails(raw):
    assert isinstance(shape(raw), frozenset)


@calm
@given(
    days=st.lists(st.dates(min_value=date(2015, 1, 1)), min_size=12, max_size=40),
    order=st.sampled_from(["dmy", "mdy"]),
)
def test_an_order_that_only_one_reading_allows_is_found(days, order):
    taken = DateOrder()
    for day in sorted(days):
        parts = {"d": f"{day.day:02}", "m": f"{day.month:02}", "y": f"{day.year}"}
        taken.take(tuple(parts[key] for key in order), 12, 0, american=False)
    if any(day.day > 12 for day in days):
        assert taken.decide() == order


def test_detect_of_nothing_known_names_what_was_looked_for(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"")
    with pytest.raises(InputError, match="empty"):
        detect(path)
