"""Every answer, notice and scaffold that vault-mem prints, in one module per group of commands (`register`).

Help texts stand with their commands in `cli`, and an error's text where it is raised.
"""
