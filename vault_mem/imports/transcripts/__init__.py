"""Agents' transcripts: one reader per agent, files → what was said."""
