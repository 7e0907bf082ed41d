"""Delete occurrences of sensitive events: from counts to what to delete."""
