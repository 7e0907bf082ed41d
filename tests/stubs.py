"""Write the stubs that editors and type checkers read for the names that load late: `make stubs`.

A stub only says where a function is. Its signature and docstring stay in one place.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pdseqpriv

PACKAGE = Path(pdseqpriv.__file__).parent
HEAD = "# Written by `make stubs` from the names in __init__.py.\n\n"


def stubs():
    """Return the text of each stub by the name of its file."""
    return {"__init__.pyi": stub_of_package(), "methods.pyi": stub_of_methods()}


def stub_of_package():
    homes = imported_at_once()
    homes |= {
        name: f"pdseqpriv.{module}" for name, module in (pdseqpriv._METHODS | pdseqpriv._OTHERS).items()
    }
    homes |= {name: f"pdseqpriv.{module}".rpartition(".")[0] for name, module in pdseqpriv._MODULES.items()}
    names = sorted(pdseqpriv.__all__)
    imports = sorted(f"from {homes[name]} import {name} as {name}\n" for name in names)
    listed = "".join(f'    "{name}",\n' for name in names)
    return f"{HEAD}{''.join(imports)}\n__all__ = [\n{listed}]\n"


def imported_at_once():
    body = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8")).body
    return {one.name: node.module for node in body if isinstance(node, ast.ImportFrom) for one in node.names}


def stub_of_methods():
    methods = sorted(pdseqpriv._METHODS.items())
    imports = ["from pdseqpriv.engines.engine import BoundTable\n"]
    imports += [f"from pdseqpriv.{module} import {name} as _{name}\n" for name, module in methods]
    aliases = "".join(f"    {name} = _{name}\n" for name, _ in methods)
    return f"{HEAD}{''.join(sorted(imports))}\nclass Methods(BoundTable):\n{aliases}"


def write_stubs(folder):
    for name, text in stubs().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_stubs(PACKAGE)
