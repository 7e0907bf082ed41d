"""Reading tables from files and writing them to files."""
