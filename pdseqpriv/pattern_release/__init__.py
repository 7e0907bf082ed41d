"""Pattern tables whose supports can be shared (PICS, PAKDD 2007)."""
