"""Steps in a row, whose promises are all checked on the table that comes out."""
