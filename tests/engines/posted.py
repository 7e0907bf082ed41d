"""An engine that sends all that it is given, and all that comes back, through pickle, as a cluster does."""

from __future__ import annotations

import pickle

from pdseqpriv.engines.local import Local, LocalRun


def posted(thing):
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 (our own)


class Posted(Local):
    """Local, with a border that only pickled things cross."""

    def start(self, frame, columns, others=None):  # noqa: ARG002 (they are all here)
        return PostedRun(frame, columns, self.partitions)


class PostedElsewhere(Posted):
    """The same, as if the rows were in another process."""

    def start(self, frame, columns, others=None):
        run = super().start(frame, columns, others)
        run.is_here = False
        return run


class PostedRun(LocalRun):
    """The verbs, with everything posted both ways."""

    def reduce(self, summarise, merge, *, copies=0):  # noqa: ARG002 (the table itself is here)
        summarise, merge = posted(summarise), posted(merge)
        return super().reduce(
            lambda sequences: posted(summarise(posted(sequences))),
            lambda first, second: posted(merge(posted(first), posted(second))),
        )

    def spread(self, work, pieces, bar):
        work = posted(work)
        return super().spread(
            lambda piece, pulse: posted(work(posted(piece), pulse)), [posted(one) for one in pieces], bar
        )

    def gather(self, look):
        look = posted(look)
        return super().gather(lambda frame, sequences: posted(look(posted(frame), posted(sequences))))

    def map(self, apply, finish, *, blanks=False, names_rows=False):
        apply, finish = posted(apply), posted(finish)
        return super().map(
            lambda frame, sequences: posted(apply(posted(frame), posted(sequences))),
            finish,
            blanks=blanks,
            names_rows=names_rows,
        )

    def emit(self, make, whole, cut, sizes):
        make, everything = posted(make), posted(posted(cut)(posted(whole), 0, sizes.size))
        return super().emit(lambda piece: posted(make(piece)), everything, cut, sizes)
