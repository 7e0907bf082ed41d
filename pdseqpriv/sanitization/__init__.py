"""Sensitive events stay below a relative frequency in every prefix (Loukides and Gwadera 2015)."""
