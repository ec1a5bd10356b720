"""Git, and what sync services leave behind.

git_setup (init --git, doctor --fix) and autocommit. The other modules repair what a merge left.
"""
