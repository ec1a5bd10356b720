"""What git and sync services bring together.

git_setup (init --git, doctor --fix) and autocommit. The others put right what a merge has left.
"""
