from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem_extractors.numbers import find_values
from graphmem_extractors.numbers_han import han_number

ENGLISH = {
    "80€ per session": ("money", "80€", "EUR 80"),
    "it was $5.50": ("money", "$5.50", "USD 5.5"),
    "649 euros for the sofa": ("money", "649 euros", "EUR 649"),
    "rent is £1,250 a month": ("money", "£1,250", "GBP 1250"),
    "I earn 45k euros": ("money", "45k euros", "EUR 45000"),
    "20 bucks": ("money", "20 bucks", "USD 20"),
    "$1.2m": ("money", "$1.2m", "USD 1200000"),
    "15% tax": ("percent", "15%", "0.15"),
    "2.5 percent": ("percent", "2.5 percent", "0.025"),
    "50 mg sertraline": ("measure", "50 mg", "50 mg"),
    "I weigh 82 kg": ("measure", "82 kg", "82 kg"),
    "the desk is 1.40 m": ("measure", "1.40 m", "1.4 m"),
    "my number is 555-0193": ("phone", "555-0193", "5550193"),
    "call +44 20 7946 0958": ("phone", "+44 20 7946 0958", "+442079460958"),
    "call me on 912 000 145": ("phone", "912 000 145", "912000145"),
    "her phone (201) 555-0123": ("phone", "(201) 555-0123", "2015550123"),
    "the card ending in 3302": ("phone", "3302", "3302"),
    "mail kofi.b@example.org please": ("email", "kofi.b@example.org", "kofi.b@example.org"),
    "see https://example.com/a?b=1.": (
        "url",
        "https://example.com/a?b=1",
        "https://example.com/a?b=1",
    ),
    "host vpn.example.net now": ("url", "vpn.example.net", "vpn.example.net"),
    "server at 192.0.2.44": ("ip", "192.0.2.44", "192.0.2.44"),
    "server at 192.0.2.44:8080": ("ip", "192.0.2.44:8080", "192.0.2.44:8080"),
    "card 4111 1111 1111 1111": ("card", "4111 1111 1111 1111", "4111111111111111"),
    "iban DE89 3704 0044 0532 0130 00": (
        "account",
        "DE89 3704 0044 0532 0130 00",
        "DE89370400440532013000",
    ),
    "passport number is X0000123": ("account", "X0000123", "X0000123"),
    "wifi password is hunter22!": ("password", "hunter22", "hunter22"),
    "Password: correct-horse-9": ("password", "correct-horse-9", "correct-horse-9"),
    "Remember my key sk-test-4242": ("password", "sk-test-4242", "sk-test-4242"),
    "gate code is 4471": ("code", "4471", "4471"),
    "booking ref AB12CD": ("code", "AB12CD", "AB12CD"),
    "my locker number is 17": ("code", "17", "17"),
    "I live at 12 Abbey Road": ("address", "12 Abbey Road", "12 Abbey Road"),
    "number plate AB12 CDE": ("plate", "AB12 CDE", "AB12 CDE"),
    "my locker is number 1": ("number", "1", "1"),
    "port 1194": ("number", "1194", "1194"),
}
CHINESE = {
    "一百二买的，一百二十块": ("money", "一百二十块", "CNY 120"),
    "花了三百八": ("money", "三百八", "380"),
    "7块8一斤": ("money", "7块8", "CNY 7.8"),
    "三块五": ("money", "三块五", "CNY 3.5"),
    "1599元": ("money", "1599元", "CNY 1599"),
    "260块": ("money", "260块", "CNY 260"),
    "房租3200": ("money", "3200", "3200"),
    "工资两万三": ("money", "两万三", "23000"),
    "8万块": ("money", "8万块", "CNY 80000"),
    "打138-0000-4521": ("phone", "138-0000-4521", "13800004521"),
    "座机010-12345678": ("phone", "010-12345678", "01012345678"),
    "尾号3302": ("phone", "3302", "3302"),
    "取件码 6-2-3315": ("code", "6-2-3315", "6-2-3315"),
    "wifi密码 mifan8848": ("password", "mifan8848", "mifan8848"),
    "门锁密码是2290": ("password", "2290", "2290"),
    "密码改成0916#了": ("password", "0916#", "0916#"),
    "车牌京A12345": ("plate", "京A12345", "京A12345"),
    "工号A20077": ("account", "A20077", "A20077"),
    "身份证110101199003078515": ("account", "110101199003078515", "110101199003078515"),
    "卡号M00-2217-83": ("account", "M00-2217-83", "M00-2217-83"),
    "涨了百分之二十": ("percent", "百分之二十", "0.2"),
    "每次50毫克": ("measure", "50毫克", "50 毫克"),
    "体重六十五公斤": ("measure", "六十五公斤", "65 公斤"),
    "半斤": ("measure", "半斤", "0.5 斤"),
    "住梧桐里9号2单元302": ("address", "住梧桐里9号2单元302", "住梧桐里9号2单元302"),
    "邮箱yifan.shen@example.com": ("email", "yifan.shen@example.com", "yifan.shen@example.com"),
    "测试 123": ("number", "123", "123"),
}


@pytest.mark.parametrize(("text", "expected"), ENGLISH.items())
def test_a_value_in_english(text, expected):
    (found,) = find_values(text, "en")
    assert (found.kind, found.text, found.normal) == expected


@pytest.mark.parametrize(("text", "expected"), CHINESE.items())
def test_a_value_in_chinese(text, expected):
    found = find_values(text, "zh")
    assert [(value.kind, value.text, value.normal) for value in found] == [expected]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I forgot my password again", "en"),
        ("the password is in the drawer", "en"),
        ("call me later", "en"),
        ("a key question", "en"),
        ("密码忘了", "zh"),
        ("天气不错", "zh"),
        ("电话打不通", "zh"),
    ],
)
def test_what_holds_no_value(text, language):
    assert find_values(text, language) == ()


def test_a_card_that_fails_luhn_is_no_card():
    kinds = {value.kind for value in find_values("card 4111 1111 1111 1112", "en")}
    assert "card" not in kinds


def test_the_last_digits_are_partial():
    (value,) = find_values("我爸的尾号换成0637就是了", "zh")
    assert (value.text, value.partial) == ("0637", True)


def test_two_lockers_are_two_values():
    first, second = (find_values(f"locker number {n}", "en")[0].normal for n in (1, 2))
    assert first != second


@given(st.text(alphabet="0123456789 .,-+€$%:/@abkm一二百万块元号", max_size=60), st.sampled_from(["en", "zh"]))  # fmt: skip
@settings(max_examples=250, deadline=None)
def test_values_never_overlap_and_are_exactly_as_said(text, language):
    reached = 0
    for value in find_values(text, language):
        assert reached <= value.start < value.end
        assert value.text == text[value.start : value.end]
        assert value.normal
        reached = value.end


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("十", 10), ("十五", 15), ("二十", 20), ("一百零五", 105), ("一百二", 120), ("三千八", 3800), ("两万三", 23000),
        ("一千零一十", 1010), ("三万零五百", 30500), ("二〇二四", 2024), ("一亿两千万", 120_000_000), ("12", 12), ("", 0), ("一二三", 123),
        ("百二三", None), ("x", None),
    ],
)  # fmt: skip
def test_chinese_numerals(text, number):
    assert (han_number(text) or 0) == (number or 0)


@pytest.mark.parametrize("piece", ["1-", "一", "a.b@", "1.1.", "password ", "9", "密码", "中"])
def test_long_texts_are_read_in_bounded_time(piece):
    started = time.process_time()
    find_values(piece * (100_000 // len(piece)), "zh" if ord(piece[0]) > 255 else "en")
    assert time.process_time() - started < 2
