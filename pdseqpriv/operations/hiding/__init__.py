"""How patterns are hidden: summary, plan and release of :func:`pdseqpriv.hide`."""
