"""Benchmarks. Each module has `run()` and prints its own table; never a test."""
