"""Frequent sequential patterns."""
