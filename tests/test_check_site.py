"""The checks of the site see what they look for, whether or not the site has been built."""

from __future__ import annotations

import pytest

from tests.check_site import IN_SCRIPT, IN_STYLE, OUTSIDE, Page


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/x.css">',
        '<link rel="icon" href="http://example/x.png">',
        "<img src='HTTPS://example/x.png'>",
        '<p style="background: url(https://example/x.png)">',
        '<iframe srcdoc="&lt;img src=&quot;https://example/x.png&quot;&gt;"></iframe>',
    ],
)
def test_what_a_page_loads_from_elsewhere_is_seen(text):
    assert [bool(OUTSIDE.match(one)) for one in Page(text).all_loads()] == [True]


@pytest.mark.parametrize(
    "text",
    [
        '<a href="https://example/">elsewhere</a>',
        '<script src="_static/x.js"></script>',
        '<img src="data:image/png;base64,//8=">',
    ],
)
def test_what_is_here_and_links_that_a_reader_follows_are_not(text):
    assert not [one for one in Page(text).all_loads() if OUTSIDE.match(one)]


def test_styles_and_scripts_are_read():
    assert IN_STYLE.findall("@import 'https://example/x.css'; a { background: url(//example/x.png) }") == [
        "https://example/x.css",
        "//example/x.png",
    ]
    assert IN_STYLE.findall("a { background: url(x.png) } b { background: url(data:x) }") == []
    assert IN_SCRIPT.findall('import("https://example/x.js"); fetch("index.json")') == [
        "https://example/x.js"
    ]


def test_links_and_places_are_read():
    page = Page('<a href="x.html#there">x</a><h2 id="here">y</h2>')
    assert (page.links, page.places) == (["x.html#there"], {"here"})
