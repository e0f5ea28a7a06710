"""What pages of the documentation hold: blocks of code below their headings, and rows of tables."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def section(page: str, heading: str) -> str:
    """Return the text of a page from a heading of the second level to the next one.

    Raises:
        KeyError: The page has no such heading.
    """
    parts = re.split(r"^## (.*)$", (DOCS / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[heading]


def blocks(text: str, language: str) -> list[str]:
    """Return the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[str]:
    """Return the commands of the blocks for a shell, each in one line, without comments."""
    joined = re.sub(r"\\\n\s*", "", "".join(blocks(text, "sh")))
    return [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def rows(text: str, *columns: str) -> list[dict[str, str]]:
    """Return the rows of the tables with these columns; marks of code and emphasis are taken off the cells.

    Args:
        text: Text of a page.
        columns: Columns as in the heading of the table, with their marks.
    """
    heading = f"| {' | '.join(columns)} |\n"
    found = []
    for part in text.split(heading)[1:]:
        for line in part.splitlines()[1:]:
            if not line.startswith("|"):
                break
            cells = [cell.strip().strip("*`") for cell in line.strip("|").split("|")]
            found.append(dict(zip(columns, cells, strict=True)))
    return found
