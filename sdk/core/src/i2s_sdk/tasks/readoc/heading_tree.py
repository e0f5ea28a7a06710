"""The tree of a document's headings."""

from __future__ import annotations

from collections.abc import Sequence

from i2s_sdk.tasks.readoc.tree import Tree


def level_and_title(heading: str) -> tuple[int, str]:
    """Return the number of ``#`` of a heading and its text."""
    title = heading.lstrip("#")
    return len(heading) - len(title), title.strip()


def heading_tree(headings: Sequence[str]) -> Tree:
    """Return the tree of headings below a root, each below the nearest one before it of a lower level.

    ``size`` of the tree is the number of headings, without the root.
    """
    depths = [0]
    titles = [""]
    levels: list[int] = []
    for heading in headings:
        level, title = level_and_title(heading)
        while levels and level <= levels[-1]:
            levels.pop()
        levels.append(level)
        depths.append(len(levels))
        titles.append(title)
    kinds = ["root", *["heading"] * len(headings)]
    return Tree.of(depths, kinds, titles, len(headings))
