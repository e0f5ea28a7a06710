"""The text of an HTML document that profile ``helm`` compares.

The reference implementation used the package html2text, which writes headings, lists and images as
Markdown. It is under the GPL, so it is an extra of this package and never imported if it is not installed.

Source: fidelity vectors of HELM v1.0.x, kind "html_to_text".
"""

from __future__ import annotations

import importlib.util
import re

EXTRA = "html2text"
REQUIREMENT = "i2s-sdk[helm-text]"

_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n.*?^---[ \t]*\r?\n", re.DOTALL | re.MULTILINE)


def is_available() -> bool:
    """Return whether the package that makes the text is installed."""
    return importlib.util.find_spec(EXTRA) is not None


def html_to_text(html: str) -> str:
    """Return the text of a document: links left out, images as Markdown, no blank lines, lines trimmed.

    Raises:
        ModuleNotFoundError: html2text is not installed; see ``is_available``.
    """
    import html2text

    reader = html2text.HTML2Text()
    reader.ignore_links = True
    lines = (line.strip() for line in reader.handle(html).splitlines())
    return "\n".join(line for line in lines if line)


def without_front_matter(page: str) -> str:
    """Return a page of a Jekyll site less the settings at its beginning."""
    return _FRONT_MATTER.sub("", page, count=1)
