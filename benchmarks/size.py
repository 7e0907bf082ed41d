"""Lines of code per folder of the package, without docstrings, comments and blank lines.

``python -m benchmarks.size [folder]``
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "pdseqpriv"
NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def lines_of_code(source: str) -> int:
    """Count the lines that hold code."""
    held: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NOT_CODE:
            held.update(range(token.start[0], token.end[0] + 1))
    return len(held - _lines_of_docstrings(source))


def _lines_of_docstrings(source: str) -> set[int]:
    lines: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            docstring = node.body[0]
            lines.update(range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1))
    return lines


def sizes(package: Path) -> Counter[str]:
    """Count by folder; what is in no folder counts as "(top)"."""
    found: Counter[str] = Counter()
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).parts
        found[parts[0] if len(parts) > 1 else "(top)"] += lines_of_code(path.read_text(encoding="utf-8"))
    return found


def main(arguments: list[str]) -> None:
    """Print a line for each folder, and the sum."""
    found = sizes(Path(arguments[0]) if arguments else PACKAGE)
    for folder, lines in sorted(found.items()):
        print(f"{folder:18}{lines:8,}")
    print(f"{'all':18}{found.total():8,}")


if __name__ == "__main__":
    main(sys.argv[1:])
