"""The build of the embedded default model: English and Japanese static vectors from registry packages alone.

`python -m training.build` makes it, `python -m training.check` measures it, docs/model.md explains it. Nothing here is
imported by the vault_mem package.
"""
