"""The table as arrays: columns, times, events, and writing rows back without traces."""
