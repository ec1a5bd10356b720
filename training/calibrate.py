"""Measure what the built-in model's cosines mean, once, so that no new vault has to."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from vault_mem.embedding.calibration import BUILT_IN, fingerprint, measure
from vault_mem.embedding.embedder import Embedder


def calibrate(out: Path) -> None:
    """Write the calibration of the built-in model."""
    embedder = Embedder()
    kept = {"fingerprint": fingerprint(embedder), **asdict(measure(embedder))}
    out.write_text(json.dumps(kept, indent=1) + "\n", encoding="ascii")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Calibrate the embedded model.")
    parser.add_argument("--out", type=Path, default=BUILT_IN)
    calibrate(parser.parse_args().out)
