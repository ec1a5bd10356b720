"""vault-mem mcp."""
