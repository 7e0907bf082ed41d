"""The report: one page about a release, for the public or for the owner of the data."""
