"""How Sphinx builds the site: ``make site``, without a network."""

from __future__ import annotations

import sys

from pandera.pandas import Check, DataFrameModel
from sphinx.application import Sphinx

import pdseqpriv

# Modules that are loaded when they are first used, under the names that users know.
sys.modules |= {"pdseqpriv.verify": pdseqpriv.verify, "pdseqpriv.plot": pdseqpriv.plot}

project = "pdseqpriv"
version = release = pdseqpriv.__version__
author = "The pdseqpriv developers"
project_copyright = "the pdseqpriv developers"

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "myst_nb"]
templates_path = ["look/templates"]
exclude_patterns = ["look"]
nb_execution_mode = "off"  # the tests ran them
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]

autodoc_typehints = "none"  # the parameters' own text says it
autosummary_generate = True
numpydoc_show_class_members = False
nitpicky = True
# Types are words for readers ("list of events"), and names of pandas are documented elsewhere.
nitpick_ignore_regex = [(r"py:(class|obj|data|exc)", r".*")]

html_theme = "pydata_sphinx_theme"
html_title = "pdseqpriv"
html_static_path = ["look/static"]
html_css_files = ["site.css"]
html_extra_path = ["llms.txt"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "which_operation": [], "glossary": []}
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "navigation_with_keys": False,
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def setup(app: Sphinx) -> None:
    """Show the columns of the table models, and no signature of theirs."""
    app.connect("autodoc-process-signature", without_signature)
    app.connect("autodoc-process-docstring", with_columns)


def without_signature(_: Sphinx, __: str, name: str, *___: object) -> tuple[str, None] | None:
    return ("", None) if name.startswith("pdseqpriv.schemas.") else None


def with_columns(
    _: Sphinx, __: str, name: str, model: type[DataFrameModel], ___: object, lines: list[str]
) -> None:
    """Add a list of the columns, with what the model says of them."""
    if name.startswith("pdseqpriv.schemas."):
        lines.append("")
        for column, rules in model.to_schema().columns.items():
            told = [rules.description, str(rules.dtype or ""), *map(in_words, rules.checks)]
            told += ["may be null"] * rules.nullable + ["may be absent"] * (not rules.required)
            lines += [f"- ``{column}``: " + "; ".join(filter(None, told))]
        lines.append("")


def in_words(check: Check) -> str:
    """Say what a check asks for; rules of our own say it in the description of their column."""
    values = ", ".join(map(str, check.statistics.get("allowed_values", [])))
    limits = {
        "greater_than_or_equal_to": "at least {min_value}",
        "less_than_or_equal_to": "at most {max_value}",
    }
    return f"one of {values}" if values else limits.get(check.name, "").format(**check.statistics)
