"""Text to Memory and back: parsing, writing a new note, and editing one in place."""
