"""Hide sensitive patterns until few enough sequences contain them (Abul et al. 2007)."""
