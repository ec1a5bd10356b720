"""Saving and finding memories.

Verbs: remember, recall, search, show, compare, why_not. The other modules serve these.
"""
