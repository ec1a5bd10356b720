"""English words that carry grammar, not content. Search and the judge share these, and each adds its own."""

from pathlib import Path

STOP_WORDS = frozenset((Path(__file__).parent / "stop_words.txt").read_text(encoding="ascii").split())
