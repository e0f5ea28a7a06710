"""Trees of headings, and the distance between them that the package ``apted`` computes.

``apted_distance`` is the distance of the released code. ``apted`` 1.0.3 is the last release of the package,
of 2017. Its distance can be greater than the exact one (``i2s_sdk.text.tree_distance``) if renaming costs
fractions. The algorithm (M. Pawlik and N. Augsten, "Tree edit distance:
Robust and memory-efficient", Information Systems 56, 2016) stores for two subtrees their distance
without their roots. For a
leaf and a larger subtree, ``APTED.gted`` of the package stores the distance with the roots instead, so that
renaming the leaf to the root of the larger subtree costs up to 1 more than it should. Which pairs this
meets depends on the paths by which the algorithm takes the trees apart, and on which tree comes first.

Trees of tables have no such pair: a cell, whose costs are fractions, is a leaf and is renamed to leaves only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from i2s_sdk.text.tree_distance import TextTree


def level_and_title(heading: str) -> tuple[int, str]:
    """Return the number of ``#`` of a heading and its text."""
    title = heading.lstrip("#")
    return len(heading) - len(title), title.strip()


def heading_tree(headings: Sequence[str]) -> TextTree:
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
    return TextTree.of(depths, kinds, titles, len(headings))


#: The most nodes of a tree that ``apted_distance`` takes: time and memory grow with the product of the sizes,
#: at worst 27 µs of CPU time for each pair of nodes, and with the square of the larger size.
MAX_NODES = 500

#: The released code gives the root of a tree of headings this title.
_ROOT_TITLE = "Root"


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    title: str
    children: list[_Node] = field(default_factory=list)


class _Costs:
    """The costs of edits, by the methods that ``apted`` calls."""

    #: The type by which ``apted`` makes zeros.
    valuecls = int

    def __init__(self) -> None:
        self._renames: dict[tuple[str, str], float] = {}

    def delete(self, node: _Node) -> int:
        """Return the cost of deleting a node."""
        del node
        return 1

    def insert(self, node: _Node) -> int:
        """Return the cost of inserting a node."""
        del node
        return 1

    def rename(self, predicted: _Node, gold: _Node) -> float:
        """Return the share of characters that differ."""
        pair = (predicted.title, gold.title)
        cost = self._renames.get(pair)
        if cost is None:
            cost = self._renames[pair] = _share(*pair)
        return cost

    def children(self, node: _Node) -> list[_Node]:
        """Return the nodes directly below a node."""
        return node.children


def apted_distance(predicted: TextTree, gold: TextTree) -> float:
    """Return the distance of two trees of headings as the released code has it.

    Args:
        predicted: The tree of the prediction, which the released code passes first.
        gold: The tree of the gold document.

    Raises:
        ValueError: A tree has more than ``MAX_NODES`` nodes.
    """
    from apted import APTED

    if max(len(predicted.kinds), len(gold.kinds)) > MAX_NODES:
        raise ValueError(f"a tree has more than {MAX_NODES} nodes")
    return float(APTED(_nodes(predicted), _nodes(gold), _Costs()).compute_edit_distance())


def _nodes(tree: TextTree) -> _Node:
    """Return the root of a tree as nodes that hold their children."""
    below: list[tuple[int, _Node]] = []  # subtrees without a parent as yet, each with its first node
    for number, first in enumerate(tree.leftmost):
        node = _Node("".join(tree.texts[number]))
        while below and below[-1][0] >= first:
            node.children.insert(0, below.pop()[1])
        below.append((first, node))
    ((_, root),) = below
    return _Node(_ROOT_TITLE, root.children)


def _share(title: str, other: str) -> float:
    from rapidfuzz.distance import Levenshtein

    longer = max(len(title), len(other))
    return Levenshtein.distance(title, other) / longer if longer else 0.0
