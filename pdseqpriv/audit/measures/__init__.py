"""Measures of what a release keeps: one file per paper, and one for what every table has."""
