"""Columns beside the sequences that are released with them, as far as enough people share both."""
