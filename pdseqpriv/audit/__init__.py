"""Functions that examine tables without changing them."""
