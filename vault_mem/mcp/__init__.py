"""The memory as tools of the Model Context Protocol: each call becomes a command line."""
