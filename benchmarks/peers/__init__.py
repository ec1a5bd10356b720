"""Comparison with other memory programs: `make peers`."""
