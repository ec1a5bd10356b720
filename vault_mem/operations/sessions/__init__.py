"""Sessions: kept, searched, removed, and looked through for what is worth remembering.

Verbs: capture, sessions, hint. The rest of the folder serves them.
"""
