"""The command line: each command parses, calls one operation, and renders what it returns."""
