"""The daemon: one process that keeps model and indexes ready and runs the commands of many clients, in all vaults."""
