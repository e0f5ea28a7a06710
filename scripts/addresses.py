#!/usr/bin/env python3
"""Gives the packages of a checkout the address of their repository.

    scripts/addresses.py URL REVISION [CHECKOUT]

Before packages are built for an index: ``[project.urls]`` in each pyproject.toml, and absolute links in each
README.md, which an index shows without the files beside it. The workflow of releases runs it on a checkout of
its own, so that no address is kept in the repository.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path

_LINK = re.compile(r"(\]\()(?![a-z][a-z0-9+.-]*:|#)([^)\s]+)(\))")
_TABLE = re.compile(r"^\[(?!project\]|build-system\])", re.MULTILINE)


def with_urls(project: str, url: str, revision: str) -> str:
    """Return a pyproject.toml with a table of addresses.

    Args:
        project: The text of the file.
        url: Address of the repository.
        revision: Tag or commit that is released.
    """
    urls = (
        f'[project.urls]\nSource = "{url}"\nDocumentation = "{url}/blob/{revision}/docs/index.md"\n'
        f'Changelog = "{url}/blob/{revision}/CHANGELOG.md"\nIssues = "{url}/issues"\n\n'
    )
    table = _TABLE.search(project)
    assert table is not None  # every package says what its wheel holds
    return project[: table.start()] + urls + project[table.start() :]


def with_absolute_links(page: str, folder: str, url: str, revision: str) -> str:
    """Return a page whose relative links lead into the repository.

    Args:
        page: The page in Markdown.
        folder: Folder of the page in the repository.
        url: Address of the repository.
        revision: Tag or commit that is released.
    """

    def absolute(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, match[2]))
        return f"{match[1]}{url}/blob/{revision}/{path}{match[3]}"

    return _LINK.sub(absolute, page)


def main(url: str, revision: str, checkout: Path) -> int:
    """Change the files; returns the exit code."""
    for project in sorted([*checkout.glob("protos/pyproject.toml"), *checkout.glob("s*/*/pyproject.toml")]):
        text = project.read_text(encoding="utf-8")
        if "[project.urls]" in text:
            print(f"addresses: {project} has addresses already", file=sys.stderr)
            return 1
        project.write_text(with_urls(text, url, revision), encoding="utf-8")
        readme = project.with_name("README.md")
        folder = project.parent.relative_to(checkout).as_posix()
        page = with_absolute_links(readme.read_text(encoding="utf-8"), folder, url, revision)
        readme.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    root = Path(sys.argv[3]) if len(sys.argv) == 4 else Path(__file__).resolve().parents[1]
    sys.exit(main(sys.argv[1].rstrip("/"), sys.argv[2], root))
