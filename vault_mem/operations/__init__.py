"""What can be done with a vault: one module per verb, in the groups that the commands have.

Operations take and return dataclasses; surfaces render them. `workspace` is what all of them work with.
"""
