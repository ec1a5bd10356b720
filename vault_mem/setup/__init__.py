"""Setting up an agent: what it needs in its own files, added and taken away without disturbing the rest of them."""
