"""Memories from elsewhere: one reader per format, which yields items and whatever could not be read."""
