"""Engines run the same operations wherever the data live."""
