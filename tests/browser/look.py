"""Open pages in a browser, on a phone and on a desktop, light and dark; ends with 1 if something is wrong.

``python look.py FOLDER``, where FOLDER has ``pages/*.html`` and ``axe/package/axe.min.js``. It needs nothing
of the library, so that its environment is small. Pictures and PDFs are left beside the pages.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

SIZES = {"phone": (360, 740), "desktop": (1400, 900)}
LOOKS = ("light", "dark")
FOR_AXE = {("phone", "light"), ("desktop", "dark")}  # it takes most of the time: every size and look once
BAD = {"serious", "critical"}
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
# A page with one fault of each kind, to see that they are found.
FAULTY = """<!DOCTYPE html><html><body style="width: 3000px; background: #777"><script>console.log(1)</script>
<img src="nothing.png"><p style="color: #888">pale</p>
<svg aria-label="off" viewBox="0 0 2500 9" width="2500" height="9" role="img">
<text x="-50" font-size="5">cut</text></svg>
</body></html>"""
FAULTS = {
    "the console says", "it asks for", "sideways", "too small to be seen", "beside the page", "a name is cut",
    "too small to be read", "axe: color-contrast", "axe: image-alt",
}  # fmt: skip


def unseen_faults(browser, folder, axe):
    """Return which faults of a faulty page are not found."""
    page = folder / "faulty.html"
    page.write_text(FAULTY, encoding="utf-8")
    found = " ".join(looked_at(browser, page, "phone", "light", axe))
    return [one for one in FAULTS if one not in found and (axe is not None or not one.startswith("axe"))]


def looked_at(browser, page, size, look, axe):
    """Return what is wrong with a page."""
    wide, tall = SIZES[size]
    tab = browser.new_page(viewport={"width": wide, "height": tall}, color_scheme=look)
    said, asked = [], []
    tab.on("console", lambda message: said.append(f"the console says: {message.text}"))
    tab.on("pageerror", lambda error: said.append(f"an error: {error}"))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(page.as_uri())
    wrong = [*said, *(f"it asks for {url[:80]}" for url in asked[1:]), *tab.evaluate(UNSEEN)]
    tab.screenshot(path=page.with_name(f"{page.stem}-{size}-{look}.png"), full_page=True)
    if axe is not None and (size, look) in FOR_AXE:
        wrong += findings(tab, axe)
    if size == "desktop" and look == "light":
        wrong += printed(tab, page.with_suffix(".pdf"))
    tab.close()
    return wrong


def findings(tab, axe):
    """Return what axe-core finds serious. It is run beside the page, whose rules allow no script."""
    tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    tab.evaluate(axe)
    found = tab.evaluate("async () => JSON.stringify((await axe.run()).violations)")
    return [
        f"axe: {one['id']}: {one['help']} ({one['nodes'][0]['html'][:80]})"
        for one in json.loads(found)
        if one["impact"] in BAD
    ]


def printed(tab, target):
    """Print a page, and return what is wrong with that."""
    tab.pdf(path=target, format="A4")
    return [] if target.read_bytes().startswith(b"%PDF") and target.stat().st_size > 5_000 else ["no PDF"]


def main(folder):
    """Look at all pages."""
    chromium, axe = shutil.which("chromium"), folder / "axe" / "package" / "axe.min.js"
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return skipped("playwright is not installed")
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
            for size, look in ((size, look) for size in SIZES for look in LOOKS):
                wrong += [
                    f"{page.stem}, {size}, {look}: {one}"
                    for one in looked_at(browser, page, size, look, text)
                ]
        browser.close()
    say("\n".join([*wrong, f"{len(pages)} pages, each seen in 4 ways: {len(wrong)} things are wrong."]))
    return 1 if wrong or not pages else 0


def say(text):
    sys.stdout.write(f"{text}\n")


def skipped(why):
    say(f"The browser tests were skipped: {why}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
