"""Side by side with peers and with the papers' own algorithms: ``make bench``."""
