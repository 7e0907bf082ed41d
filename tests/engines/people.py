"""People with several sequences, releases that count people, and what the parts of a release tell of them."""

from __future__ import annotations

import pandas as pd

import pdseqpriv


def shared_visits(people=40):
    """Make a table of people with three sequences each; some rows of a sequence are at the same time."""
    rows = [
        (f"visit {3 * person + number}", "abc"[(person * t + number + t) % 3], t // 2, f"person {person}")
        for t in range(6)
        for person in range(people)
        for number in range(3)
    ]
    return pd.DataFrame(rows, columns=["seq_id", "event", "time", "who"])


def people_in_one_part(parts):
    """Count the people all of whose sequences are in one part of a release."""
    whose = shared_visits().drop_duplicates("seq_id").set_index("seq_id")["who"]
    who_is_where = [set(whose[part["seq_id"].unique()]) for part in parts]
    return sum(sum(person in there for there in who_is_where) == 1 for person in set(whose))


def in_their_order(frame):
    """Bring sequences together, with their rows as they are."""
    return frame.sort_values("seq_id", kind="stable", ignore_index=True)


ABOUT_PEOPLE = {
    "hide": lambda table: pdseqpriv.hide(table, ["a -> b"], max_support=9),
    "hide, drop": lambda table: pdseqpriv.hide(table, ["a -> b"], output="drop"),
    "sanitize": lambda table: pdseqpriv.sanitize(table, 0.4, events=["a"], scope="person"),
    "sanitize, pooled": lambda table: pdseqpriv.sanitize(table, 0.3, events=["a"], scope="table"),
}
