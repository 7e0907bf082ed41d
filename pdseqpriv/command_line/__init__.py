"""The command ``pdseqpriv``: the same functions on files."""
