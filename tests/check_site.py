"""What ``make site`` built asks no network, has no broken link, and a place for every public name.

``make site`` runs it after the build; pytest alone does not find it.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

import pdseqpriv
from tests.notebooks import ROOT, SOURCES

HTML = ROOT / "build" / "site" / "html"
PAGES = sorted(path for path in HTML.rglob("*.html") if "_static" not in path.parts)
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "embed": "src"}
# What the address in a style sheet or in the attribute of an element that is loaded begins with.
OUTSIDE = re.compile(r"(https?:)?//", re.IGNORECASE)
IN_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")\s]*)", re.IGNORECASE)
IN_SCRIPT = re.compile(r"(?:import|fetch|importScripts)\s*\(\s*['\"`]((?:https?:)?//[^'\"`]*)")


class Page(HTMLParser):
    """The addresses that a page loads, the links in it, and the places that links can lead to."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.links, self.places, self.inside = [], [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "link" and given.get("rel") not in {"next", "prev", "index", "search", "canonical"}:
            self.loads.append(given.get("href") or "")
        if given.get(LOADING.get(tag, "")):
            self.loads.append(given[LOADING[tag]])
        self.loads += IN_STYLE.findall(given.get("style") or "")
        if given.get("srcdoc"):  # a page in the page
            self.inside.append(Page(given["srcdoc"]))

    def all_loads(self):
        return self.loads + [one for page in self.inside for one in page.all_loads()]


@pytest.fixture(scope="module")
def pages():
    found = {path: Page(path.read_text(encoding="utf-8")) for path in PAGES}
    assert len(found) > 60, "make site builds the site first"
    return found


def test_no_page_asks_the_network(pages):
    loaded = [(path, address) for path, page in pages.items() for address in page.all_loads()]
    assert len(loaded) > len(pages)
    assert not [one for one in loaded if OUTSIDE.match(one[1])]


def test_no_style_and_no_script_asks_the_network():
    files = [path for path in HTML.rglob("*") if path.suffix in {".css", ".js", ".html", ".svg"}]
    assert len(files) > len(PAGES)
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not IN_STYLE.findall(text), path
        assert not IN_SCRIPT.findall(text), path


def test_every_link_leads_somewhere(pages):
    seen = 0
    for path, page in pages.items():
        for link in page.links + page.loads:
            address = urlsplit(link)
            if address.scheme or link in {"", "#"}:
                continue
            seen += 1
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            assert target.exists(), (path.name, link)
            if address.fragment and target in pages:
                assert unquote(address.fragment) in pages[target].places, (path.name, link)
    assert seen > 1_000


def public_names():
    names = {f"pdseqpriv.{name}" for name in pdseqpriv.__all__ if name != "__version__"}
    names -= {"pdseqpriv.datasets", "pdseqpriv.plot", "pdseqpriv.schemas", "pdseqpriv.verify"}
    for module in ("plot", "schemas", "verify"):
        names |= {f"pdseqpriv.{module}.{name}" for name in getattr(pdseqpriv, module).__all__}
    made = [
        name for name in vars(pdseqpriv.datasets) if name.startswith("make_") or name.endswith("_taxonomy")
    ]
    return names | {f"pdseqpriv.datasets.{name}" for name in made if not name.startswith("_")}


def test_every_public_name_has_its_place(pages):
    places = {place for path, page in pages.items() if "reference" in path.parts for place in page.places}
    names = public_names()
    assert len(names) > 50
    assert names - places == set()


def test_every_notebook_is_a_page_with_plots_and_a_report(pages):
    for source in SOURCES.glob("*.py"):
        page = pages[HTML / "tutorials" / f"{source.stem}.html"]
        assert [one for one in page.loads if one.endswith(".png")], source.stem
        assert page.inside, source.stem


def test_the_page_for_language_models_leads_to_pages():
    text = (HTML / "llms.txt").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 10
    assert [link for link in links if not (HTML / link).exists()] == []
    for operation in ("k_anonymize", "generalize", "hide", "sanitize", "mine", "release_patterns"):
        assert f"df.seqpriv.{operation}(" in text
    assert len(text) < 5_000
