"""Benchmarks of vault-mem: `python -m benchmarks` runs them, one module `bench_NAME.py` each."""
