"""A table with secrets, releases without them, and a search for them in every byte of a folder."""

from __future__ import annotations

import base64

import pandas as pd
import pyarrow.parquet as pq

import pdseqpriv

SECRET = "clinic-for-secrets"  # noqa: S105 (a word, not a password)
# Times that no other bytes look like.
_BEGIN = 0x1234_5678_9ABC_0000
PLACES = {"home": ["house", "garden"], "town": ["shop", "bar", SECRET]}


def visits():
    """Two people of twelve were at the secret place; notes and labels say so, too."""
    rows = [
        (f"id-of-person-{n}", event, _BEGIN + 97 * n + 7 * t)
        for n in range(12)
        for t, event in enumerate(["house", *([SECRET] if n in {3, 8} else []), "shop", "garden", "bar"])
    ]
    frame = pd.DataFrame(rows, columns=["seq_id", "event", "time"])
    frame["note"] = "note about " + frame["event"]
    frame = frame.astype({"seq_id": "category", "event": "category", "note": "category"})
    frame.attrs["source"] = SECRET
    return frame


RELEASES = {
    "hide, drop": lambda table: pdseqpriv.hide(table, [SECRET], output="drop"),
    "hide, mark": lambda table: pdseqpriv.hide(table, [SECRET]),
    "hide, replace": lambda table: pdseqpriv.hide(table, [SECRET], output="replace", seed=1),
    "sanitize": lambda table: pdseqpriv.sanitize(table, 0.01, events=[SECRET]),
    "sanitize, pooled": lambda table: pdseqpriv.sanitize(table, 0.01, events=[SECRET], scope="table"),
    "k_anonymize": lambda table: pdseqpriv.k_anonymize(table, 3),
    "k_anonymize, groups": lambda table: pdseqpriv.k_anonymize(table, 3, guarantee="identical"),
    "generalize": lambda table: pdseqpriv.generalize(table, PLACES, k=3),
}
WITHOUT_PEOPLE = ("k_anonymize", "generalize")


def assert_only_what_is_released(folder, name, *, is_compressed=False):
    """Look in all bytes for whatever is not in a cell of the release, and for what may be in none."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    parts = [file for file in files if file.suffix == ".parquet"]
    cells = pd.concat([pq.ParquetFile(file).read().to_pandas() for file in parts])
    content = b"".join(file.read_bytes() for file in files) + b"".join(map(_noted, parts))
    known = {str(value) for column in cells for value in cells[column].unique()}
    original = visits()
    texts = {str(value) for column in ("seq_id", "event", "note") for value in original[column].unique()}
    times = set(original["time"].tolist())
    assert SECRET not in "".join(known)
    assert not [text for text in texts - known if text.encode() in content]
    assert SECRET.encode() not in content
    gone = [time for time in times if str(time) not in known]
    assert not [
        time for time in gone if time.to_bytes(8, "little") in content or str(time).encode() in content
    ]
    if name.startswith(WITHOUT_PEOPLE):
        assert b"id-of-person" not in content
        assert b"note about" not in content
    if not is_compressed:  # all that is there would be found
        assert all(text.encode() in content for text in cells["event"].dropna())
        assert all(time.to_bytes(8, "little") in content for time in times.difference(gone))


def _noted(file):
    """Return what Arrow notes of a file, which is encoded there, and the statistics."""
    metadata = pq.read_metadata(file)
    notes = metadata.metadata or {}
    groups = [metadata.row_group(n).to_dict() for n in range(metadata.num_row_groups)]
    return base64.b64decode(notes.get(b"ARROW:schema", b"")) + repr((notes, groups)).encode()
