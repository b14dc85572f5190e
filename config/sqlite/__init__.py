"""SQLite with a fair queue of writers (see `base`)."""
