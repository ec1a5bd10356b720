"""English words that carry grammar, not content, to search as to the judge; each adds some of its own."""

from pathlib import Path

STOP_WORDS = frozenset((Path(__file__).parent / "stop_words.txt").read_text(encoding="ascii").split())
