"""What doctor looks at, by subject: the machine, the notes, what is private."""
