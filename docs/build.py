"""Build the site: ``make site`` calls it when the notebooks have been run.

All that belongs on the site is put together in build/site/source, so that nothing generated lies among the
sources, and Sphinx makes build/site/html of it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SITE = ROOT / "build" / "site"
SOURCE, HTML = SITE / "source", SITE / "html"
# What lies outside of docs/, and where it is on the site; links to it are changed accordingly.
ELSEWHERE = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "benchmarks/RESULTS.md": "results.md",
    "benchmarks/papers.svg": "pictures/papers.svg",
    "benchmarks/growth.svg": "pictures/growth.svg",
}


def main() -> int:
    stage()
    sphinx = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", SOURCE, HTML]
    return subprocess.run(sphinx, check=False).returncode  # noqa: S603 (our own interpreter)


def stage() -> None:
    """Put the sources of the site together."""
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.copytree(ROOT / "docs", SOURCE, ignore=shutil.ignore_patterns("__pycache__", "build.py"))
    for page in SOURCE.rglob("*.md"):
        page.write_text(with_our_links(page.read_text(encoding="utf-8")), encoding="utf-8")
    for name, place in ELSEWHERE.items():
        shutil.copy(ROOT / name, SOURCE / place)
    (SOURCE / "tutorials").mkdir()
    for notebook in sorted((ROOT / "examples" / "notebooks").glob("*.py")):
        shutil.copy(ROOT / "build" / "notebooks" / f"{notebook.stem}.ipynb", SOURCE / "tutorials")


def with_our_links(text: str) -> str:
    """Change links that lead out of docs/ to where the site has what they lead to."""
    for name, place in ELSEWHERE.items():
        text = text.replace(f"](../{name}", f"]({place}")
    return re.sub(r"\]\(\.\./examples/notebooks/(\w+)\.py\)", r"](tutorials/\1.ipynb)", text)


if __name__ == "__main__":
    sys.exit(main())
