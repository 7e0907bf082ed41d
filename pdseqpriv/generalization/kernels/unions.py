"""How many people are on at least one of several lists."""

import numpy as np

from pdseqpriv.compiled import Array, compiled


@compiled
def count_unions(lists: Array, starts: Array, wanted: Array, wanted_starts: Array, n_people: int) -> Array:
    """Return, per question, the number of people on any of the lists that it names.

    List ``l`` is ``lists[starts[l]:starts[l + 1]]``; question ``q`` names the lists
    ``wanted[wanted_starts[q]:wanted_starts[q + 1]]``.
    """
    n_questions = len(wanted_starts) - 1
    counts = np.zeros(n_questions, np.int64)
    last_question = np.full(n_people, -1, np.int64)
    for question in range(n_questions):
        for place in range(wanted_starts[question], wanted_starts[question + 1]):
            for entry in range(starts[wanted[place]], starts[wanted[place] + 1]):
                person = lists[entry]
                counts[question] += last_question[person] != question
                last_question[person] = question
    return counts
