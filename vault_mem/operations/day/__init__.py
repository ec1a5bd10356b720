"""An agent's day: what to know, and what to think about.

Verbs: wake_up, introspect, emotion_trend, update_self. `budget` serves them.
"""
