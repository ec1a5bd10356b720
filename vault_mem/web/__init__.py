"""The vault as a page in the browser of this machine: a server for one person (SPEC U-4)."""
