"""What was said in sessions: kept, searched, removed, and asked for what is worth remembering.

Verbs: capture, sessions, hint. The rest of the folder serves them.
"""
