"""Small immutable values that users make or get."""
