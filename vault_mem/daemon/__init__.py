"""The daemon: one process per vault that keeps model and index ready and runs the commands of many clients."""
