"""Packages that agents install from."""
