"""Groups of sequences that look the same to anyone who knows some of the events (Sherkat et al. 2013)."""
