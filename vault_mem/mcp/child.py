"""The command as a child of the server: its arguments are the first line of standard input, the rest is its input."""

from __future__ import annotations

import json
import os
import sys


def main() -> int:
    """Run the command line that the server sent."""
    line = bytearray()
    while (byte := os.read(0, 1)) not in (b"\n", b""):  # byte by byte, since the rest is the command's own input
        line += byte
    sys.argv[1:] = json.loads(line)
    from vault_mem.client import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
