"""The NLI judge loads a real, small, random cross-encoder from a folder and reads its labels by name."""

import json

import pytest
from facts import note

from graphmem.errors import InvalidSettings, ServiceFailed
from graphmem.lifecycle.judge_nli import NliJudge
from graphmem.model import Relation

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
NEW = note("I sold the car", id="f_new", day=1)
OLDS = [note("I drive a car", id="f_1"), note("I live in a town", id="f_2")]
ORDER = {0: "contradiction", 1: "neutral", 2: "entailment"}
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "i", "sold", "the", "car", "drive", "a", "live", "in", "town"]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("sentence_transformers")
    where = tmp_path_factory.mktemp("nli")
    (where / "vocab.txt").write_text("\n".join(WORDS), "utf-8")
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=64, id2label=ORDER,
        label2id={name: place for place, name in ORDER.items()},
    )  # fmt: skip
    model = transformers.BertForSequenceClassification(config)
    model.classifier.bias.data[:] = 0
    model.classifier.weight.data[:] = 0
    model.classifier.bias.data[0] = 4.0  # contradiction, whatever is asked
    model.save_pretrained(where)
    transformers.BertTokenizerFast(vocab_file=str(where / "vocab.txt")).save_pretrained(where)
    return where


def test_a_folder_is_loaded_and_its_labels_are_read_by_name(folder, lexicon):
    judge = NliJudge(folder, lexicon=lexicon)
    found = judge.judge(NEW, OLDS)
    assert len(found) == 2
    assert found[0][Relation.REPLACES] > 0.9  # a contradiction, and the wording tells of a change
    assert found[0][Relation.CONTRADICTS] == 0
    assert sum(found[0].values()) == pytest.approx(1, abs=1e-5)
    plain = judge.judge(note("I drive a car", id="f_3", day=1), OLDS[1:])
    assert plain[0][Relation.CONTRADICTS] > 0.9


def test_a_model_without_the_three_labels_is_refused(folder, lexicon, tmp_path):
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text("utf-8"))
    config["id2label"] = {"0": "bad", "1": "good", "2": "ugly"}
    config["label2id"] = {"bad": 0, "good": 1, "ugly": 2}
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    with pytest.raises(InvalidSettings, match="id2label"):
        NliJudge(tmp_path, lexicon=lexicon).judge(NEW, OLDS)


def test_a_damaged_folder_is_a_failed_service(lexicon, tmp_path):
    (tmp_path / "config.json").write_text("{}", "utf-8")
    with pytest.raises(ServiceFailed, match="cannot be loaded"):
        NliJudge(tmp_path, lexicon=lexicon).judge(NEW, OLDS)
