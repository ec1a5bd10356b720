"""Setting up an agent: adding what it needs to its files, and removing it, without disturbing the rest."""
