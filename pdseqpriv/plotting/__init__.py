"""Plots of tables and of what the audits return, as axes of matplotlib."""
