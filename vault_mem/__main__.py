"""`python -m vault_mem` is the command."""

from vault_mem.cli.main import main

main()
