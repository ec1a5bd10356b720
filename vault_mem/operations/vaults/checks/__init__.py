"""What doctor checks, by subject: the machine, the notes, merges, what is private."""
