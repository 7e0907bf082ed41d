"""What is released is shared by at least k people (Monreale et al. 2014)."""
