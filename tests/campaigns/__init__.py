"""Campaigns: thousands of cases of one kind, each from a seed. `make test` runs a sample, `make fuzz` and `make soak` all."""
