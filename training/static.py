"""Static vectors: a text is the sum of its tokens' vectors, so a token's length is its weight."""

from __future__ import annotations

import os
import sys

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

HALF_WEIGHT_FREQUENCY = 1e-3  # smooth inverse frequency: a token of this relative frequency counts half
# How much vectors are lengthened before fitting, so that they do not outgrow those that no text contains.
START_LENGTH = 2.5
EPOCHS, LEARNING_RATE, BATCH_TEXTS = 6, 5e-3, 512
CONTRAST_WEIGHT, TEMPERATURE = 0.02, 0.05


def unit(vectors: Matrix) -> Matrix:
    """Return the vectors at length one."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / (lengths + 1e-9), dtype=np.float32)


def rarity(frequencies: NDArray[np.float32]) -> Matrix:
    """Return the weight of tokens of these frequencies, between 0 and 1."""
    return np.asarray(HALF_WEIGHT_FREQUENCY / (HALF_WEIGHT_FREQUENCY + frequencies), dtype=np.float32)


def taught(
    vectors: Matrix, texts: scipy.sparse.csr_matrix, targets: Matrix, trained: NDArray[np.intp], share: float
) -> Matrix:
    """Return the vectors, with the `trained` ones averaged with those that fit the texts to their targets.

    The fitted ones count `share`, scaled to the same mean length as before.
    """
    fitted = fit(START_LENGTH * vectors, texts, targets, trained)[trained]
    before = vectors[trained]
    fitted *= np.linalg.norm(before, axis=1).mean() / np.linalg.norm(fitted, axis=1).mean()
    together = vectors.copy()
    together[trained] = share * fitted + (1 - share) * before
    return together


def fit(
    vectors: Matrix,
    texts: scipy.sparse.csr_matrix,
    targets: Matrix,
    trained: NDArray[np.intp],
) -> Matrix:
    """Move the `trained` rows of `vectors` so that every text points where its target does; return all rows.

    The loss of a batch is one minus the cosine of text and target, plus CONTRAST_WEIGHT times the cross-entropy of
    finding its own target among those of the batch.
    """
    import torch
    from torch.nn import functional

    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    torch.manual_seed(0)
    shuffle = np.random.default_rng(0)

    moving = scipy.sparse.csr_matrix(texts[:, trained])
    frozen = np.ones(vectors.shape[0], dtype=bool)
    frozen[trained] = False
    still = np.asarray(texts[:, np.flatnonzero(frozen)] @ vectors[frozen], dtype=np.float32)
    order = np.flatnonzero(np.diff(moving.indptr))
    goals = torch.from_numpy(unit(targets))
    bag = torch.nn.EmbeddingBag(len(trained), vectors.shape[1], mode="sum", sparse=True)
    bag.weight.data = torch.from_numpy(vectors[trained].copy())
    optimiser = torch.optim.SparseAdam(bag.parameters(), lr=LEARNING_RATE)
    steps = EPOCHS * -(-len(order) // BATCH_TEXTS)
    step = 0
    for epoch in range(EPOCHS):
        shuffle.shuffle(order)
        agreement = 0.0
        for start in range(0, len(order), BATCH_TEXTS):
            rows = order[start : start + BATCH_TEXTS]
            chosen = moving[rows]
            for group in optimiser.param_groups:
                group["lr"] = LEARNING_RATE * (1 - step / steps)
            summed = bag(
                torch.from_numpy(chosen.indices.astype(np.int64)),
                torch.from_numpy(chosen.indptr[:-1].astype(np.int64)),
                per_sample_weights=torch.from_numpy(chosen.data),
            )
            made = functional.normalize(summed + torch.from_numpy(still[rows]), dim=1)
            wanted = goals[rows]
            cosines = (made * wanted).sum(dim=1)
            own = torch.arange(len(rows))
            loss = (1 - cosines).mean() + CONTRAST_WEIGHT * functional.cross_entropy(made @ wanted.T / TEMPERATURE, own)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            step += 1
            agreement += float(cosines.detach().sum())
        print(f"fit: epoch {epoch + 1}, mean cosine {agreement / len(order):.4f}", file=sys.stderr, flush=True)
    moved = vectors.copy()
    moved[trained] = bag.weight.data.numpy()
    return moved
