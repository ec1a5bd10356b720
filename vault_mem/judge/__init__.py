"""The judge: whether one text only repeats another, and what differs if not. English and Japanese."""
