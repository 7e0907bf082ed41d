"""Groups of sequences that look the same to who watches some events (Sherkat, Li, Mamoulis 2013)."""
