"""A generalized release beside its original, as arrays that checks and measures read."""
