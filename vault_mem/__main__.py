"""`python -m vault_mem` is the command."""

import sys

from vault_mem.client import main

sys.exit(main())
