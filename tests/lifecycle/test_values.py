import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.lifecycle.values import han_number, values_in


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("20 mg a day", "n:mg", {"20"}),
        ("one 20-milligram pill", "n:mg", {"20"}),
        ("Thursday at 6:40, room 12", "clock", {"6:40"}),
        ("at 3 pm", "clock", {"3"}),
        ("at 15:00", "clock", {"3"}),
        ("the 3rd of June", "day", {"3"}),
        ("June 3", "day", {"3"}),
        ("$1,250 a month", "n:money", {"1250"}),
        ("twenty-five people", "n:person", {"25"}),
        ("call 07700 900123", "code", {"07700900123"}),
        ("code plum-90x", "code", {"plum-90x"}),
        ("the fourth floor", "n:floor", {"4"}),
    ],
)
def test_english(text, kind, values):
    assert values_in(text, "en").get(kind) == values


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("周五下午3点半", "clock", {"3:30"}),
        ("15点开会", "clock", {"3"}),
        ("生日是五月二十一号", "day", {"21"}),
        ("每天20毫克", "n:毫克", {"20"}),
        ("手机13800138000", "code", {"13800138000"}),
        ("密码是A7K9", "code", {"a7k9"}),
        ("两只猫", "n:只", {"2"}),
        ("八百块", "n:元", {"800"}),
        ("住在一楼", "n:楼", {"1"}),
    ],
)
def test_chinese(text, kind, values):
    assert values_in(text, "zh").get(kind) == values


@pytest.mark.parametrize(
    ("written", "digits"),
    [
        ("十", "10"),
        ("二十三", "23"),
        ("一百零五", "105"),
        ("两万三千", "23000"),
        ("007", "7"),
        ("0", "0"),
    ],
)
def test_numbers_written_in_han(written, digits):
    assert han_number(written) == digits


@given(st.text(max_size=80), st.sampled_from(["en", "zh"]))
def test_any_text_is_read(text, language):
    found = values_in(text, language)
    assert all(kind and values and all(values) for kind, values in found.items())
    assert found == values_in(text, language)
    assert all(value == value.strip() for values in found.values() for value in values)
    assert not found.get("clock") or len(text) >= 2
