"""Groups of sequences that look the same to whoever watches some events (Sherkat et al. 2013)."""
