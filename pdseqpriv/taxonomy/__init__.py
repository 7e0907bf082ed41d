"""Which events belong to which category."""
