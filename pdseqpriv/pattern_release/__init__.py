"""Pattern tables whose supports can be shared (PICS, Jin et al. 2007)."""
