"""Sensitive patterns sink below a threshold (Abul et al. 2007)."""
