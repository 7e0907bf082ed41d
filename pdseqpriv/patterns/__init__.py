"""Patterns and their text form, and tables of patterns."""
