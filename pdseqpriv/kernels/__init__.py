"""Compiled loops on plain arrays, one file per idea. They know nothing of pandas."""
