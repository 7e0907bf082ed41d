"""Find groups of sequences that satisfy what is asked for and lose little (sections 4 to 6 of the paper)."""
