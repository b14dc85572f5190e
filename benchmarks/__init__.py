"""How fast the house is. Each module has `run()` and prints its own table; never a test."""
