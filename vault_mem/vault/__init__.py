"""The folder on disk: where things live, walking it, and writing to it without losing anything."""
