"""The table as arrays: columns, times, events, and rows written back without traces."""
