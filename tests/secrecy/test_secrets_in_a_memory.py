"""Secrets are kept only on request, and given back only when asked for (R2.10)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory, Message
from graphmem.errors import GraphmemError
from graphmem.plain import MASK, plain
from graphmem.testing import FixedClock, TinyEmbedder

SAID = datetime(2024, 6, 1, 9, tzinfo=UTC)
KEPT = {
    "Remember my key sk-test-4242.": "sk-test-4242",
    "Remember my password: Gr4nit-Wolf!": "Gr4nit-Wolf",
    "Please remember my card 4111 1111 1111 1111.": "4111 1111 1111 1111",
    "My PIN is 4821, don't forget it.": "4821",
    "记住我的银行卡密码是 839201。": "839201",
}
REFUSED = {
    "My password is hunter2.": "hunter2",
    "I pushed AKIAQ3EGRLMXWP7Z2KQD to git by accident.": "AKIAQ3EGRLMXWP7Z2KQD",
    "My credit card is 4111 1111 1111 1111, and I live in Paris.": "4111 1111 1111 1111",
    "我的支付密码是 839201，我住在上海": "839201",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKC\n-----END RSA PRIVATE KEY-----": "MIIEpAIBAAKC",
    "Do you remember my password? It is hunter2.": "hunter2",
}


def said(text: str, hour: float = 0, **more: Any) -> Message:
    return Message(text=text, speaker="Ana", said_at=SAID + timedelta(hours=hour), **more)


def opened(path: Path, reader: str | None = None) -> Memory:
    return Memory.open(
        path, reader=reader, clock=FixedClock(SAID + timedelta(days=1)), embedder=TinyEmbedder()
    )


def files_of(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.rglob("*") if file.is_file())


@pytest.mark.parametrize(("text", "secret"), REFUSED.items())
def test_not_asked_to_remember_it_the_memory_never_has_it(
    tmp_path: Path, text: str, secret: str
) -> None:
    with opened(tmp_path / "m") as memory:
        receipt = memory.add(said(text))
        assert receipt.stored
        assert secret not in repr(receipt)
        assert any("masked" in remark for remark in receipt.remarks)
        assert memory.add(said(text)).stored is False  # the same again is known
        assert secret not in repr(memory.extract(said(text, 1)))
        assert secret not in repr(
            memory.recall("What is my password, key or card? 密码", reveal=True)
        )
    assert secret.encode() not in files_of(tmp_path / "m")


def test_the_rest_of_the_message_is_learnt(tmp_path: Path) -> None:
    with opened(tmp_path / "m") as memory:
        memory.add(said("I live in Paris and my password is hunter2."))
        [fact] = memory.facts()
        assert (fact.object, fact.sensitive) == ("Paris", False)
        assert fact.text == f"I live in Paris and my password is {MASK}."


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_nobody_but_the_owner_asks(tmp_path: Path, role: Any) -> None:
    with opened(tmp_path / "m") as memory:
        receipt = memory.add(said("Remember the api key is sk-live-99zz.", role=role))
        assert receipt.snapshot is not None
        assert "sk-live" not in receipt.snapshot.text


@pytest.mark.parametrize(("text", "secret"), KEPT.items())
def test_asked_to_remember_it_is_kept_sensitive_and_masked_wherever_it_is_listed(
    tmp_path: Path, text: str, secret: str
) -> None:
    with opened(tmp_path / "m") as memory:
        receipt = memory.add(said(text))
        assert receipt.snapshot is not None
        assert receipt.snapshot.sensitive
        learnt = (*receipt.facts, *receipt.notes)
        assert learnt
        assert all(fact.sensitive for fact in learnt)
        for shown in (
            plain(receipt),
            plain(memory.facts(states="all", kinds=("claim", "note"))),
            plain(memory.entities()),
            plain(memory.lineage(learnt[0].id)),
            memory.lineage(learnt[0].id).tree(),
            memory.lineage(learnt[0].id).mermaid(),
            memory.lineage(learnt[0].id).dot(),
            memory.history("Ana").text(),
            plain(memory.history("Ana")),
            plain(memory.graph("Ana")),
            memory.calendar(),
            plain(memory.status()),
            plain(memory.extract(said(text, 2))),
            plain(memory.recall("What did I say today?", limit=50)),
            memory.context("What did I say today?"),
            memory.recall("What did I say today?", limit=50).card(),
        ):
            assert secret not in str(shown)
        assert secret in str(plain(receipt, reveal=True))
        assert memory.check().findings == ()


@pytest.mark.parametrize(
    ("question", "index"),
    [
        ("What is my key?", 0),
        ("What is my password?", 1),
        ("What is my card number?", 2),
        ("Which PIN do I have?", 3),
        ("我的银行卡密码是多少？", 4),
    ],
)
def test_the_owner_is_given_it_who_asks_for_it(tmp_path: Path, question: str, index: int) -> None:
    text, secret = list(KEPT.items())[index]
    with opened(tmp_path / "m") as memory:
        memory.add(said(text))
        assert secret in memory.context(question)
        assert secret in memory.recall("What did I say?", reveal=True).items[0].text
    with opened(tmp_path / "m", reader="tv") as memory:
        assert secret not in memory.context(question)


def test_what_a_household_shares_is_kept_and_given_but_not_listed(tmp_path: Path) -> None:
    with opened(tmp_path / "m") as memory:
        receipt = memory.add(said("The wifi password is Otter-Lamp-42."))
        assert "Otter-Lamp-42" not in str(plain(receipt))
        assert "Otter-Lamp-42" in memory.context("What do visitors need to get online?")


def test_a_secret_beside_something_else_hides_only_itself(tmp_path: Path) -> None:
    with opened(tmp_path / "m") as memory:
        memory.add(said("Remember: I live in Paris and my password is hunter2."))
        shown = {one["predicate"]: one for one in plain(memory.facts())}
        assert shown["lives_in"]["object"] == "Paris"
        assert "hunter2" not in str(shown)
        assert "hunter2" not in memory.context("Where do I live?")
        assert "Paris" in memory.context("Where do I live?")


def test_a_changed_secret_is_told_nowhere(tmp_path: Path) -> None:
    with opened(tmp_path / "m") as memory:
        memory.add(said("Remember my bank password is Tulip-41."))
        receipt = memory.add(said("Remember my bank password is now Onion-52.", 1))
        told = (receipt, memory.conflicts(), memory.history(receipt.facts[0].entity))
        assert not [word for word in ("Tulip-41", "Onion-52") if word in str(plain(told))]
        for one in memory.facts(states="all"):
            changed = memory.update(one.id, "My bank password is Leek-63.")
            assert "Leek-63" not in str(plain(changed))
            break


def test_errors_do_not_repeat_it(tmp_path: Path) -> None:
    with opened(tmp_path / "m") as memory, pytest.raises(GraphmemError) as raised:
        memory.history("my password is hunter2")
    assert "hunter2" not in f"{raised.value!r} {raised.value}"


def test_a_reminder_of_one_masks_it_where_reminders_are_listed(tmp_path: Path) -> None:
    with opened(tmp_path / "m") as memory:
        memory.remind("Remember to enter the key sk-test-4242 at the office")
        memory.remind("My password is hunter2")
        memory.remind("use the key sk-test-4242", at=SAID + timedelta(days=3))
        shown = f"{plain(memory.reminders())} {memory.calendar()}"
        assert "sk-test" not in shown
        assert "hunter2" not in shown
        assert "sk-test-4242" in str(plain(memory.reminders(), reveal=True))


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "graphmem.cli", "--memory", str(home), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "GRAPHMEM_EMBEDDER": "use-multilingual"},
    )


def test_the_command_line_masks_it_and_reveals_it_when_told(tmp_path: Path) -> None:
    home = tmp_path / "m"
    with opened(home) as memory:
        fact = memory.add(said("Remember my key sk-test-4242.")).facts[0].id
    for arguments in (
        ["facts", "--all", "--notes"],
        ["facts", "--json"],
        ["fact", fact],
        ["entities", "list"],
        ["history", "Ana"],
    ):
        done = run(home, *arguments)
        assert done.returncode == 0, done.stderr
        assert "sk-test" not in done.stdout + done.stderr, arguments
    assert "sk-test-4242" in run(home, "facts", "--all", "--reveal").stdout
    assert "sk-test-4242" in run(home, "fact", fact, "--reveal", "--json").stdout


def test_the_lock_file_names_the_verb_and_nothing_of_what_was_said(tmp_path: Path) -> None:
    script = (
        "import sys, json; sys.argv = ['/usr/bin/graphmem', '--memory', 'x', 'add', 'password hunter2'];"
        "from graphmem.testing import FixedClock, TinyEmbedder; from graphmem import Memory;"
        f"m = Memory.open({str(tmp_path / 'm')!r}, embedder=TinyEmbedder());"
        f"print(open({str(tmp_path / 'm' / 'memory.lock')!r}).read()); m.close()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    assert json.loads(done.stdout)["command"].startswith("graphmem")
    assert "hunter2" not in done.stdout


def test_no_error_that_is_printed_repeats_what_was_typed(tmp_path: Path) -> None:
    """Whatever a verb says in its error: the faces print it without secrets, and the library's own have none."""
    typed = "my password is hunter2"
    with opened(tmp_path / "m") as memory:
        memory.add(said("I live in Rome."))
        for call in (
            lambda: memory.history(typed),
            lambda: memory.lineage("Ana", typed),
            lambda: memory.recall("Where?", about=typed),
            lambda: memory.split_entity("Ana", typed),
            lambda: memory.merge_entities("Ana", typed),
        ):
            with pytest.raises(GraphmemError) as raised:
                call()
            assert "hunter2" not in f"{raised.value!r} {raised.value}"
    for words in (("fact", typed), ("confirm", typed), ("recall", "x", "--about", typed)):
        for shape in ((), ("--json",)):
            done = run(tmp_path / "m", *words, *shape)
            assert done.returncode, words
            assert MASK in done.stderr, words
            assert "hunter2" not in done.stdout + done.stderr, words
