"""Other memories beside this one: `make peers`."""
