"""Compiled loops on plain arrays."""
