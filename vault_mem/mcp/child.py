"""The command as a child of the server: its arguments are the first line of standard input, the rest is its input."""

from __future__ import annotations

import json
import os
import sys


def main() -> int:
    """Run the command line that the server sent."""
    line = bytearray()
    while (byte := os.read(0, 1)) not in (b"\n", b""):  # not one byte more: the rest belongs to the command
        line += byte
    sys.argv[1:] = json.loads(line)
    from vault_mem import client

    return int(client.main())


if __name__ == "__main__":
    sys.exit(main())
