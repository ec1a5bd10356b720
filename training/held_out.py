"""Measures on sentences the build never trained on, by which its settings were chosen."""

from __future__ import annotations

import sys

import numpy as np
import scipy.sparse
from scipy.stats import spearmanr

from training.static import Matrix, unit

NEIGHBOURS = 5


def report(
    vectors: Matrix, english: scipy.sparse.csr_matrix, japanese: scipy.sparse.csr_matrix, targets: Matrix, where: slice
) -> None:
    """Print how well translations find each other, and how well each language keeps the teacher's order of cosines."""
    ours = {"en": unit(np.asarray(english[where] @ vectors)), "ja": unit(np.asarray(japanese[where] @ vectors))}
    cosines = ours["ja"] @ ours["en"].T
    here = np.arange(len(cosines))
    found = (cosines.argmax(axis=1) == here).mean(), (cosines.argmax(axis=0) == here).mean()
    print(f"held out: ja→en @1 {found[0]:.3f}, en→ja @1 {found[1]:.3f}", file=sys.stderr)

    theirs = targets[where] @ targets[where].T
    np.fill_diagonal(theirs, -1)
    nearest = np.argsort(-theirs, axis=1)[:, :NEIGHBOURS]
    others = np.random.default_rng(0).integers(0, len(here), nearest.shape)
    for language, rows in ours.items():
        line = f"held out: {language}, rank correlation with the teacher"
        for name, pairs in (("nearest and random pairs", np.hstack([nearest, others])), ("nearest pairs", nearest)):
            mine = (rows[:, None] * rows[pairs]).sum(axis=2)
            agreement = spearmanr(mine.ravel(), np.take_along_axis(theirs, pairs, axis=1).ravel()).statistic
            line += f", {name} {agreement:.3f}"
        print(line, file=sys.stderr, flush=True)
