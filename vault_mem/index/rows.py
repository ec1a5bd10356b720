"""Rows of the table: one for the whole memory, and one for each passage of a long note."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa

from vault_mem.embedding.embedder import Vectors
from vault_mem.index.known import Known
from vault_mem.index.passages import passages
from vault_mem.index.terms import terms
from vault_mem.model import Memory, MetaValue, from_record, to_record
from vault_mem.notes.links import ID_AT_END

# Memories made in the same second are this far apart in the table, so that sorting by time keeps their order.
SAME_SECOND_STEP = 1e-5
# Compressing texts takes a third of the time of writing rows and saves a fifth of their space.
_UNCOMPRESSED = {"lance-encoding:compression": "none"}
_MONTH = re.compile(r"\d{4}(?:-\d\d)?")  # the folders that vault-mem makes


def schema(dim: int) -> pa.Schema:
    """The table's columns."""
    text, texts = pa.string(), pa.list_(pa.string())
    return pa.schema(
        [
            pa.field("row", text, nullable=False, metadata=_UNCOMPRESSED),
            pa.field("file", text, nullable=False, metadata=_UNCOMPRESSED),
            pa.field("n", pa.int32(), nullable=False),
            pa.field("id", text),
            pa.field("type", text),
            pa.field("hash", text),
            pa.field("private", pa.bool_()),
            pa.field("kind", text),
            pa.field("category", text),
            pa.field("emotion", text),
            pa.field("importance", pa.int32()),
            pa.field("tags", texts),
            pa.field("people", texts),
            pa.field("metadata", texts),
            pa.field("created", pa.float64()),
            pa.field("valid_from", pa.float64()),
            pa.field("valid_to", pa.float64()),
            pa.field("terms", texts),
            pa.field("content", text, metadata=_UNCOMPRESSED),
            pa.field("memory", text, metadata=_UNCOMPRESSED),
            pa.field("vector", pa.list_(pa.float32(), dim)),
        ]
    )


def texts_to_embed(content: str) -> list[str]:
    """The texts to embed for a memory: its passages. The whole memory's vector is computed from theirs."""
    return passages(content) if content.strip() else []


def whole_vector(vectors: Vectors, parts: Sequence[str]) -> Vectors:
    """The vector of a whole text from those of its passages: their mean, weighted by length."""
    if len(parts) == 1:
        return np.asarray(vectors[0], dtype=np.float32)
    weights = np.array([len(part) for part in parts], dtype=np.float32)
    mean = weights @ vectors
    norm = np.linalg.norm(mean)
    return np.asarray(mean / norm if norm > 0 else mean, dtype=np.float32)


_to_json = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


def _record(memory: Memory) -> str:
    """All of a memory except its text; unset fields are left out."""
    record = to_record(memory)
    del record["content"]
    return _to_json({name: value for name, value in record.items() if value or value == 0})


def rows_of(known: Known, memory: Memory, vectors: Vectors, dim: int) -> list[dict[str, Any]]:
    """The rows of one file. `vectors` are those of `texts_to_embed`."""
    key = known.key
    parts = texts_to_embed(memory.content)
    content = memory.content
    shared = {
        "file": key,
        "id": memory.id,
        "type": known.type,
        "hash": known.hash,
        "private": memory.private,
        "kind": memory.kind,
        "category": memory.category,
        "emotion": memory.emotion,
        "importance": memory.importance,
        "tags": with_parents(memory.tags),
        "people": memory.people,
        "metadata": [metadata_entry(name, value) for name, value in memory.metadata.items()],
        "created": known.created + ((memory.seq or 1) - 1) * SAME_SECOND_STEP,
        "valid_from": memory.valid_from and memory.valid_from.timestamp(),
        "valid_to": memory.valid_to and memory.valid_to.timestamp(),
    }
    header = " ".join([memory.title, *memory.aliases, *memory.tags, *memory.people, *_of_path(key, memory.title)])
    single = len(parts) <= 1
    text = f"{header}\n{content}" if single else header
    whole = whole_vector(vectors, parts) if parts else np.zeros(dim, dtype=np.float32)
    searched_parts = [(text, content, _record(memory), whole)]
    if not single:
        searched_parts += [(part, part, "", vector) for part, vector in zip(parts, vectors, strict=True)]
    return [
        {
            **shared,
            "row": f"{key}#{number}",
            "n": number,
            "terms": terms(searched),
            "content": said,
            "memory": record,
            "vector": vector,
        }
        for number, (searched, said, record, vector) in enumerate(searched_parts)
    ]


def metadata_entry(name: str, value: MetaValue) -> str:
    """One entry of a program's metadata, as filters look for it: 1 and 1.0 are the same, 1 and "1" are not."""
    number = isinstance(value, float) and value.is_integer()
    return f"{name}={_to_json(int(value) if number else value)}"


def with_parents(tags: Sequence[str]) -> list[str]:
    """Tags and their parents: a search for pottery finds pottery/glaze too."""
    found = [tag.rsplit("/", depth)[0] for tag in tags for depth in range(tag.count("/") + 1)]
    return list(dict.fromkeys([*tags, *(tag for tag in found if tag)]))


def _of_path(key: str, title: str) -> list[str]:
    """The words of a file's name and folders that its title does not have."""
    *folders, file = key.split("/")[1:] or [key]
    named = [folder for folder in folders if not _MONTH.fullmatch(folder)]
    stem = file.rpartition(".")[0]
    name, lower = ID_AT_END.sub("", stem), title.casefold()
    # Usually the name was made from the title and adds nothing; this check is faster than comparing terms.
    if name == stem or not all(part in lower for part in name.split("-")):
        named.append(name)
    if not named:
        return []
    found = dict.fromkeys(terms(" ".join(named)))
    known = set(terms(title)) if found else found
    return [term for term in found if term not in known]


def to_table(rows: Sequence[dict[str, Any]], dim: int) -> pa.Table:
    """Rows, one at least, as an Arrow table."""
    fields = schema(dim)
    *columns, vectors = zip(*map(itemgetter(*fields.names), rows), strict=True)
    arrays = [pa.array(column, each.type) for column, each in zip(columns, fields, strict=False)]
    arrays.append(pa.FixedSizeListArray.from_arrays(pa.array(np.concatenate(vectors), pa.float32()), dim))
    return pa.table(arrays, schema=fields)


def memory_of(row: dict[str, Any]) -> Memory:
    """The memory that a whole-memory row describes."""
    return from_record({**json.loads(row["memory"]), "content": row["content"]})
