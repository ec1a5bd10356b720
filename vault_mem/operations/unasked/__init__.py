"""Work done unasked, once a file is quiet (V-4).

`quiet` runs it, after an answer; `declined` remembers what the owner has undone.
"""
