"""Memories from elsewhere: one reader per format, each yielding items and what could not be read of them."""
