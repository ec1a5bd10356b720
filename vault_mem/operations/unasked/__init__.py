"""What nobody asked for, once a file is quiet (V-4).

`quiet` runs it, after an answer; `declined` knows what its owner took back.
"""
