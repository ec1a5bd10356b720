"""What can be done with a vault: one module per verb. Operations take and return dataclasses; surfaces render them."""
