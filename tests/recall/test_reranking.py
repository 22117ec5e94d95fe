"""A reranker has a say while it is quick and right; otherwise the built-in order stands, and says so."""

import threading
import time

import pytest

from graphmem import Memory
from graphmem.embed.cross_encoder import CrossEncoderReranker
from graphmem.embed.make import make_reranker
from graphmem.errors import ExtensionMissing, InvalidSettings, ServiceFailed
from graphmem.recall.reranking import MOST, Budgeted

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "i", "live", "in", "porto", "plums", "like"]


class Fixed:
    name = "fixed"

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    def score(self, question, texts):
        self.asked.append(len(texts))
        if isinstance(self.answer, Exception):
            raise self.answer
        return [self.answer for _ in texts]


class Slow(Fixed):
    def __init__(self):
        super().__init__(1.0)
        self.go_on = threading.Event()

    def score(self, question, texts):
        self.go_on.wait(10)
        return super().score(question, texts)


def test_at_most_fifty_are_shown_to_it(life):
    for i in range(120):
        life.say(f"noodles number {i} with Kim", days_ago=i + 1)
    reranker = Fixed(0.5)
    life.recaller(reranker=reranker).recall("noodles with Kim")
    assert sum(reranker.asked) == MOST == 50


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (ServiceFailed("the model broke off"), "failed: the model broke off"),
        (RuntimeError("odd"), "failed: odd"),
        (7.0, "gave something else"),
        (float("nan"), "gave something else"),
    ],
)
def test_a_failing_one_leaves_the_built_in_order_and_says_so(life, answer, said):
    plain = [item.text for item in life.recall("noodles with Kim").items]
    found = life.recaller(reranker=Fixed(answer)).recall("noodles with Kim")
    assert [item.text for item in found.items] == plain
    assert all(any(said in reason for reason in item.why) for item in found.items)


def test_a_late_one_is_not_waited_for_and_not_asked_again_meanwhile():
    slow = Slow()
    asked = Budgeted(slow, budget=0.05)
    asked._answered = True  # the model is loaded
    start = time.perf_counter()
    assert "took longer" in asked.scores("q", ["a"]).note
    assert "busy" in asked.scores("q", ["a"]).note
    assert time.perf_counter() - start < 5
    slow.go_on.set()
    for _ in range(100):
        if asked.scores("q", ["a"]).values:
            break
        time.sleep(0.02)
    assert asked.scores("q", ["a"]).values == (1.0,)
    asked.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small random cross-encoder with one output."""
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("sentence_transformers")
    where = tmp_path_factory.mktemp("cross-encoder")
    (where / "vocab.txt").write_text("\n".join(WORDS), "utf-8")
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=64, num_labels=1,
    )  # fmt: skip
    transformers.BertForSequenceClassification(config).save_pretrained(where)
    transformers.BertTokenizerFast(vocab_file=str(where / "vocab.txt")).save_pretrained(where)
    return where


def test_a_cross_encoder_is_read_from_a_folder(folder):
    reranker = make_reranker(f"cross-encoder:{folder}")
    texts = ["I live in Porto", "I like plums", "\ud800", ""]
    scores = reranker.score("where do I live", texts)
    assert len(scores) == len(texts)
    assert all(0 < score < 1 for score in scores)
    assert scores == pytest.approx(reranker.score("where do I live", texts))
    assert reranker.score("where do I live", []) == []


def test_the_setting_puts_it_into_recall(folder, tmp_path):
    settings = {"reranker": f"cross-encoder:{folder}", "reranker_budget": 5.0}
    with Memory.open(tmp_path / "memory", config=settings) as memory:
        memory.remember("I live in Porto", speaker="Ana")
        memory.remember("I like plums", speaker="Ana")
        found = memory.recall("Where do I live?")
    assert found.items
    assert all(
        any(reason.startswith("cross-encoder ") for reason in item.why) for item in found.items
    )


def test_a_folder_that_is_not_there_costs_nothing_but_the_say(tmp_path):
    pytest.importorskip("sentence_transformers")
    missing = tmp_path / "missing"
    with pytest.raises(ExtensionMissing, match="cannot be read"):
        CrossEncoderReranker(missing).score("q", ["a"])
    settings = {"reranker": f"cross-encoder:{missing}"}
    with Memory.open(tmp_path / "memory", config=settings) as memory:
        memory.remember("I live in Porto", speaker="Ana")
        item = memory.recall("Where do I live?").items[0]
    assert item.text == "I live in Porto"
    assert any(reason.startswith("built-in order: cross-encoder missing") for reason in item.why)


def test_names_that_cannot_be_made_are_refused():
    with pytest.raises(ExtensionMissing, match="no plugin 'nothing'"):
        make_reranker("nothing:x")
    with pytest.raises(InvalidSettings, match="reranker 'cross-encoder' cannot be made"):
        make_reranker("cross-encoder")
