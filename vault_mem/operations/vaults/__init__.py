"""The vault as a whole.

Verbs: init, configure, views, status, doctor (its checks in `checks/`), stats, evaluate, import_, export.
`obsidian` serves init.
"""
