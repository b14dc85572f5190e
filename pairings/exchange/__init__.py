"""Tournaments on paper and in files: prints, calendar, JSON, tables, tsh, FIDE. Plain values only."""
