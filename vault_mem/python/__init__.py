"""The surface for Python programs: `Vault` and `AsyncVault` as `from vault_mem import …` gives them."""
