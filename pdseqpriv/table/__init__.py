"""The sequence table: its columns, its schema, its arrays, and the record of what was applied to it."""
