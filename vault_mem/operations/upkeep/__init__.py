"""Keeping memories clean: changed, linked, merged, closed, forgotten, private.

Verbs: edit_memory (edit, tag), rename, link, graph, episodes, consolidate, merge, validity (done, close, reopen,
confirm), tidy, tidy_plan, review, forget, purge, undo, private, publish, backup. The other modules serve these.
"""
