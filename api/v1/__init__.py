"""The first version of the API: what it shows and what it does."""
