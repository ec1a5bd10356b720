"""The closing questions to the agent; settings named `scaffold_…` replace them, --no-scaffold leaves them out."""

from __future__ import annotations

SAVED = "Do any of these connections surprise you? Is there a pattern forming?"
DUPLICATE = (
    "Is there truly something new here, or is this a repetition?\n"
    "If your understanding has deepened, try expressing what changed specifically."
)
FORGOTTEN = (
    "This memory is gone. Was there anything worth preserving in a new form?\n"
    "If this was part of a merge, save the consolidated version with remember."
)
CANDIDATES = (
    "Review each pair with recall. If one is redundant, use forget to remove it.\n"
    "If both have value, consider which perspective to keep."
)
WAKE_UP = (
    "What of this matters now, and what would you like to take up again?\n"
    "If something is hard to say yet, you can keep it with remember(private=true)."
)
INTROSPECT = (
    "Reflect on these in your own words. How do you feel right now?\n"
    "If this is a genuinely new insight, save with remember (category: introspection).\n"
    "If your self-understanding changed, use update_self.\n"
    "Use emotion_trend for a deeper look at your emotional patterns.\n"
    "If memory feels fragmented, run consolidate."
)


def compose(data: str, scaffold: str) -> str:
    """The data and, below a rule, the scaffold if there is one."""
    return f"{data}\n\n---\n{scaffold}" if scaffold else data
