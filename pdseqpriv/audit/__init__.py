"""Audit looks at tables and changes nothing."""
