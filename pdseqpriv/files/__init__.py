"""Tables from files and to files."""
