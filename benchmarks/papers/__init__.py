"""Published algorithms as they are printed, compiled like ours: what the library is held against."""
