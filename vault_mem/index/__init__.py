"""The index: what the files say, made searchable. It can be deleted at any time; the files rebuild it."""
