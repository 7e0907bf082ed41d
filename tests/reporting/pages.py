"""A small table with an answer to everything, pages about it, and what a page must never be."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd

ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "section", "footer", "div", "h1",
    "h2", "h3", "p", "ul", "li", "span", "code", "dl", "dt", "dd", "svg", "rect", "text", "line", "polyline",
    "circle", "details", "summary", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]


def visits(n=40):
    """Everybody goes from home to work; everybody also has an event, an id and times of their own."""
    people = np.arange(n)
    frame = pd.concat(
        [
            pd.DataFrame({"seq_id": people, "event": "home", "time": people * 1_000 + 500_017}),
            pd.DataFrame({"seq_id": people, "event": "work", "time": people * 1_000 + 500_117}),
            pd.DataFrame(
                {"seq_id": people, "event": [f"secret-{i}" for i in people], "time": people + 900_019}
            ),
        ],
        ignore_index=True,
    )
    return frame.assign(seq_id=frame["seq_id"].map("patient-{}".format))


def checked(text):
    """See that a page is inert: only known elements, no script, handler, link or address."""
    found = Tags(text)
    assert set(found.tags) <= ALLOWED
    assert not [
        name for name in found.attributes if name.startswith("on") or name in {"src", "href", "style"}
    ]
    assert not re.search(r"https?:|url\(|@import", text)
    return text


def words(text):
    """Return what a page says, without how it looks."""
    plain = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    said = re.findall(r'aria-label="([^"]*)"', plain)
    return " ".join(unescape(" ".join([re.sub(r"<[^>]*>", " ", plain), *said])).split())
