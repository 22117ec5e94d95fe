"""What is a secret and what is not (R2.10)."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.lexicon import Lexicon
from graphmem.secrecy.asking import Asking
from graphmem.secrecy.finding import MASK, shipped
from graphmem.secrecy.masking import masked, without_secrets

# Made-up values of the real shapes.
OWN = {
    "My password is hunter2.": "hunter2",
    "my password is swordfish": "swordfish",
    "Password: correct-horse-9": "correct-horse-9",
    "I changed my password to Tiger-9, phew": "Tiger-9",
    "My mum's email password is Rosie1950": "Rosie1950",
    "My passphrase is correct horse battery staple.": "correct horse battery staple",
    "My bank PIN is 8841": "8841",
    "the PIN of my card is 8841": "8841",
    "My card's cvv is 123": "123",
    "The api key for the weather service is qx7Tz-99a": "qx7Tz-99a",
    "use sk-test-4242 for now": "sk-test-4242",
    "I pushed AKIAQ3EGRLMXWP7Z2KQD to git.": "AKIAQ3EGRLMXWP7Z2KQD",
    "token ghp_16C7e42F292c6912E7710c838347Ae178B4a": "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "curl -H 'Authorization: Bearer abc.DEF-123_456xyz789'": "abc.DEF-123_456xyz789",
    "postgres://bob:s3cr3t@db.example/x": "s3cr3t",
    "https://api.example/x?access_token=zzz111yyy&b=1": "zzz111yyy",
    "export OPENAI_API_KEY=abcd1234efgh": "abcd1234efgh",
    "card 4111 1111 1111 1111, exp 12/27": "4111 1111 1111 1111",
    "Amex 378282246310005": "378282246310005",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb\n-----END OPENSSH PRIVATE KEY-----": "b3Blb",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIB": "MIIEpAIB",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3 is it": "eyJhbGciOiJIUzI1NiJ9",
    "我的密码是 839201": "839201",
    "支付密码改成 998877 了": "998877",
    "银行卡密码：4410": "4410",
    "密码 abc123": "abc123",
    "助记词是 tiger12": "tiger12",
    "信用卡号 5500005555555559": "5500005555555559",
}
SHARED = {
    "The wifi password is Otter-Lamp-42.": "Otter-Lamp-42",
    "home network Kestrel, password olive-Barn-33": "olive-Barn-33",
    "I changed the Spotify password to mellow-fox-31": "mellow-fox-31",
    "printer PIN 0418": "0418",
    "我家wifi密码是abc12345": "abc12345",
    "单元门密码改 2580 了": None,
    "办公室门禁密码是5570*": "5570*",
}
NONE = (
    "What is my password?",
    "I forgot my password again.",
    "my password is wrong, can you help?",
    "my password is too long",
    "my password expired yesterday",
    "my password was compromised",
    "the password is in the drawer",
    "The key is under the mat.",
    "My order number is 4111 1111 1111 1111.",
    "My order number is 4111 1111 1111 1112.",
    "Call me on +49 170 1234567",
    "13800000151 是我的电话",
    "密码忘了",
    "我把密码改了",
    "The pin board is blue and the token of love is old.",
    "https://i.pinimg.com/originals/02/94/c3/0294c3460b66d1fd.jpg",
    "IMEI 490154203237518",
    "I was born on 1990-01-01 and pay 1200 in rent.",
)


@pytest.mark.parametrize(("text", "secret"), OWN.items())
def test_a_secret_of_ones_own_is_found_and_masked_whole(text: str, secret: str) -> None:
    found = [one for one in shipped().find(text) if not one.shared]
    assert any(secret in text[one.start : one.end] for one in found), found
    assert secret not in masked(text, found)


@pytest.mark.parametrize(("text", "secret"), SHARED.items())
def test_what_a_household_shares_is_told_apart(text: str, secret: str | None) -> None:
    found = shipped().find(text)
    assert all(one.shared for one in found)
    if secret is not None:
        assert [text[one.start : one.end] for one in found] == [secret]


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_secret_is_left_alone(text: str) -> None:
    assert shipped().find(text) == ()


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Remember my key sk-test-4242", True),
        ("Please remember: my PIN is 4821", True),
        ("My PIN is 4821, don't forget it.", True),
        ("Can you save my card number 4111111111111111?", True),
        ("I want you to remember my password, it is hunter2", True),
        ("My password is hunter2 -- write it down", True),
        ("记住我的密码是 839201", True),
        ("我的密码是 839201，别忘了", True),
        ("帮我记一下密码 839201", True),
        ("I can't remember if my password is hunter2", False),
        ("Do you remember my password? It is hunter2", False),
        ("I don't remember my password hunter2", False),
        ("I save money. My password is hunter2", False),
        ("the store password is hunter2", False),
        ("我没记住密码 839201", False),
        ("My password is hunter2", False),
    ],
)
def test_whether_a_message_asks_to_be_remembered(text: str, asks: bool) -> None:
    assert Asking(Lexicon.load()).asks(text) is asks


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What is my password?", True),
        ("My card number?", True),
        ("我的密码是多少？", True),
        ("What keys do I have?", True),
        ("Where do I live?", False),
        ("我住哪里？", False),
    ],
)
def test_whether_a_question_asks_for_a_secret(question: str, asks: bool) -> None:
    assert Asking(Lexicon.load()).asks_for_one(question) is asks


@given(st.text(max_size=400))
def test_any_text_is_accepted_and_masking_is_done_once(text: str) -> None:
    found = shipped().find(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert [one.end <= other.start for one, other in pairwise(found)] == [True] * max(
        0, len(found) - 1
    )
    once = without_secrets(text)
    assert (once == text) is (not found) or MASK in text


@pytest.mark.parametrize(
    "piece",
    ["password ", "key is ", "4111 ", "pin of ", "eyJ.", "://a:", "密码", "-----BEGIN ", "= "],
)
def test_hostile_repetition_takes_no_time(piece: str) -> None:
    begun = time.perf_counter()
    shipped().find(piece * (100_000 // len(piece)))
    assert time.perf_counter() - begun < 5
