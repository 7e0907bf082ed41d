"""Open pages in a browser, on a phone and on a desktop, light and dark; ends with 1 if something is wrong.

``python look.py FOLDER``, where FOLDER has ``pages/*.html`` and ``axe/package/axe.min.js``. It needs nothing
of the library, so that its environment is small. Pictures and PDFs are left beside the pages.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from unicodedata import normalize

try:
    from playwright.sync_api import sync_playwright
    from pypdf import PdfReader
except ImportError:
    sync_playwright = None

SIZES = {"phone": (360, 740), "desktop": (1400, 900)}
LOOKS = ("light", "dark")
FOR_AXE = {("phone", "light"), ("desktop", "dark")}  # it takes most of the time: every size and look once
BAD = {"serious", "critical"}
# Only what is wrong is told: the rest takes most of the time.
AXE = "async () => JSON.stringify((await axe.run(document, {resultTypes: ['violations']})).violations)"
PAPER = 673  # pixels between the margins of A4
FEW = 100  # letters that no printed page has fewer of
DARK = 100  # of 255, at most, are letters on paper
# What of a page is not seen: no width, no height, or beside the page. Tables may be scrolled on their own.
UNSEEN = """() => {
  const wide = document.documentElement.clientWidth, found = [];
  if (document.documentElement.scrollWidth > wide) found.push("the page must be scrolled sideways");
  for (const svg of document.querySelectorAll("svg")) {
    const box = svg.getBoundingClientRect(), name = svg.getAttribute("aria-label").slice(0, 40);
    if (box.width < 100 || box.height < 20) found.push(name + ": too small to be seen");
    if (box.left < 0 || box.right > wide) found.push(name + ": beside the page");
    for (const text of svg.querySelectorAll("text")) {
      const own = text.getBoundingClientRect();
      if (own.left < box.left - 1 || own.right > box.right + 1) found.push(name + ": a name is cut");
      if (own.height < 9) found.push(name + ": too small to be read");
    }
  }
  return found;
}"""
# The headings, and for each section what its drawing says: all of it must be on one page when printed.
SAID = """() => [...document.querySelectorAll("section")].map(section =>
  [...section.querySelectorAll("h2, svg text")].map(text => text.textContent))"""
# A page with one fault of each kind, to see that they are found.
FAULTY = """<!DOCTYPE html><html><body style="width: 3000px; background: #777"><script>console.log(1)</script>
<img src="nothing.png"><p style="color: #888">pale</p>
<svg aria-label="off" viewBox="0 0 2500 9" width="2500" height="9" role="img">
<text x="-50" font-size="5">cut</text></svg>
<section><h2>Torn</h2><svg aria-label="tall" viewBox="0 0 200 3000" width="200" height="3000">
<text y="20">top</text><text y="2990">bottom</text></svg></section>
<section class="screen"><h2>Absent</h2></section><p class="new"></p><p class="new">.</p>
<style>@media print { body { color: #eee } .screen { display: none } .new { break-before: page } }</style>
</body></html>"""
FAULTS = {
    "the console says", "it asks for", "sideways", "too small to be seen", "beside the page", "a name is cut",
    "too small to be read", "axe: color-contrast", "axe: image-alt",
    "printed: the page must be scrolled sideways", "printed: 'Torn' is torn", "printed: 'Absent' is absent",
    "is empty", "printed: pale letters",
}  # fmt: skip


def unseen_faults(browser, folder, axe):
    """Return which faults of a faulty page are not found."""
    page = folder / "faulty.html"
    page.write_text(FAULTY, encoding="utf-8")
    found = " ".join(looked_at(browser, page, axe))
    return [one for one in FAULTS if one not in found and (axe is not None or not one.startswith("axe"))]


def looked_at(browser, page, axe):
    """Return what is wrong with a page, however it is looked at."""
    tab = browser.new_page()
    wrong, asked = [], []
    tab.on("console", lambda message: wrong.append(f"the console says: {message.text}"))
    tab.on("pageerror", lambda error: wrong.append(f"an error: {error}"))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(page.as_uri())
    if axe is not None:
        tab.evaluate(axe)  # beside the page, whose rules allow no script
    for size, look in ((size, look) for size in SIZES for look in LOOKS):
        wide, tall = SIZES[size]
        tab.set_viewport_size({"width": wide, "height": tall})
        tab.emulate_media(color_scheme=look)
        found = tab.evaluate(UNSEEN)
        tab.screenshot(path=page.with_name(f"{page.stem}-{size}-{look}.png"), full_page=True)
        if axe is not None and (size, look) in FOR_AXE:
            found += findings(tab)
        wrong += [f"{size}, {look}: {one}" for one in found]
    wrong += [f"printed: {one}" for one in printed(tab, page.with_suffix(".pdf"))]
    tab.close()
    return [*wrong, *(f"it asks for {url[:80]}" for url in asked[1:])]


def findings(tab):
    """Return what axe-core finds serious; what is folded is unfolded for it."""
    tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    found = tab.evaluate(AXE)
    tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = false")
    return [
        f"axe: {one['id']}: {one['help']} ({one['nodes'][0]['html'][:80]})"
        for one in json.loads(found)
        if one["impact"] in BAD
    ]


def printed(tab, target):
    """Print a page, and return what is wrong on paper."""
    tab.emulate_media(media="print", color_scheme="dark")  # paper is white all the same
    tab.set_viewport_size({"width": PAPER, "height": 1000})
    wrong, sections = tab.evaluate(UNSEEN), tab.evaluate(SAID)
    ink = tab.evaluate("getComputedStyle(document.body).color")
    wrong += ["pale letters on white paper"] if min(map(int, re.findall(r"\d+", ink))) > DARK else []
    tab.pdf(path=target, format="A4")
    return wrong + on_paper(sections, target)


def on_paper(sections, target):
    """Read a printed page, and return what is torn, absent or empty."""
    pages = [letters(page.extract_text()) for page in PdfReader(target).pages]
    wrong = [f"page {number} is empty" for number, text in enumerate(pages, 1) if len(text) < FEW]
    for title, *texts in sections:
        if not any(letters(title) in page for page in pages):
            wrong.append(f"{title!r} is absent")
        elif not any(all(letters(one) in page for one in (title, *texts)) for page in pages):
            wrong.append(f"{title!r} is torn by the end of a page")
    return wrong


def letters(text):
    """Keep what is read back from a PDF as it was written."""
    return "".join(one for one in normalize("NFKC", text) if one.isascii() and one.isalnum())


def main(folder):
    """Look at all pages."""
    chromium, axe = shutil.which("chromium"), folder / "axe" / "package" / "axe.min.js"
    if sync_playwright is None:
        return skipped("playwright or pypdf is not installed")
    if chromium is None:
        return skipped("chromium is not installed")
    if not axe.exists():
        say("axe-core is not installed: nothing is said about people who use a screen reader.")
    text = axe.read_text(encoding="utf-8") if axe.exists() else None
    pages, wrong = sorted((folder / "pages").glob("*.html")), []
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        wrong += [f"a faulty page: {one!r} is not found" for one in unseen_faults(browser, folder, text)]
        for page in pages:
            wrong += [f"{page.stem}: {one}" for one in looked_at(browser, page, text)]
        browser.close()
    say(
        "\n".join(
            [*wrong, f"{len(pages)} pages, each seen in 4 ways and printed: {len(wrong)} things are wrong."]
        )
    )
    return 1 if wrong or not pages else 0


def say(text):
    sys.stdout.write(f"{text}\n")


def skipped(why):
    say(f"The browser tests were skipped: {why}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
