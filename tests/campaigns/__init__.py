"""Campaigns: thousands of cases of one kind, from a seed. `make test` runs samples, `make fuzz` and `make soak` all."""
