"""The built-in model is model2vec's own, loaded faster: the same vectors, for any number of threads."""

from __future__ import annotations

import threading

import numpy as np
from conftest import SAMPLE
from hypothesis import given
from hypothesis import strategies as st
from model2vec import StaticModel
from tokenizers import Tokenizer

from vault_mem.embedding.embedder import BUILT_IN, Embedder
from vault_mem.embedding.static import MAX_TOKENS

LIBRARY = Tokenizer.from_file(str(BUILT_IN / "tokenizer.json"))
LIBRARY.no_truncation()
TEXTS = [
    "",
    " ",
    "The standup moved to 3pm",
    "眼鏡の修理は金曜日",
    "ﾊﾝｶｸ and 全角ＡＢＣ",
    "\x00\ufffd",
    "word " * 3000,
    "あ" * 5000,
]


def reference(texts: list[str]) -> np.ndarray:
    model = StaticModel.from_pretrained(BUILT_IN, force_download=False)
    found = model.encode(texts, max_length=MAX_TOKENS, use_multiprocessing=False, batch_size=256)
    vectors = np.nan_to_num(np.asarray(found, dtype=np.float32))
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    norms[norms == 0] = 1
    return vectors / norms


def test_it_is_a_model_of_model2vec() -> None:
    model = Embedder().static
    whole = StaticModel.from_pretrained(BUILT_IN, force_download=False)
    assert isinstance(model, StaticModel)
    assert model.tokens == whole.tokens
    assert (model.dim, model.normalize) == (whole.dim, whole.normalize)
    assert np.array_equal(model.encode(["one text"]), whole.encode(["one text"]))
    for ours, theirs in zip(
        model.encode_as_sequence(["a b", "犬"]), whole.encode_as_sequence(["a b", "犬"]), strict=True
    ):
        assert np.array_equal(ours, theirs)


def test_the_same_vectors() -> None:
    notes = [path.read_text(encoding="utf-8") for path in sorted(SAMPLE.rglob("*.md"))]
    texts = [*TEXTS, *notes]
    assert np.array_equal(Embedder().encode(texts), reference(texts))


@given(st.text(max_size=200) | st.text(st.sampled_from("aZ1é' 漢かｶﾞ㍿ﬁ😀\U000130a4\u0300\u200b\x00n't"), max_size=40))
def test_the_same_tokens_in_the_same_places(text: str) -> None:
    text = text.encode(errors="ignore").decode()
    theirs = LIBRARY.encode(text, add_special_tokens=False)
    model = Embedder().static
    found = model.tokenizer.encode(text, add_special_tokens=False)
    assert (found.ids, [*found.offsets]) == (theirs.ids, theirs.offsets)
    assert model.ids([text]) == [theirs.ids] or model.languages.translations(text)


@given(st.lists(st.text(max_size=700), min_size=1, max_size=5))
def test_no_text_breaks_it(texts: list[str]) -> None:
    vectors = Embedder().encode([text.encode(errors="ignore").decode() for text in texts])
    norms = np.linalg.norm(vectors, axis=1)
    assert np.all(np.isclose(norms, 1, atol=1e-5) | (norms == 0))


def test_many_threads_share_one_model() -> None:
    embedder = Embedder()
    wanted = embedder.encode(TEXTS)
    wrong: list[str] = []

    def encode() -> None:
        for _ in range(20):
            if not np.array_equal(embedder.encode(TEXTS), wanted):
                wrong.append("other vectors")

    threads = [threading.Thread(target=encode) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
