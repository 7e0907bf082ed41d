"""Generalize times and events: the loss of a group, and groups that lose little."""
