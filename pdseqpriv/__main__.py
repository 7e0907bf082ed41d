"""``python -m pdseqpriv`` is the command ``pdseqpriv``."""

from pdseqpriv.command_line.app import main

main()
