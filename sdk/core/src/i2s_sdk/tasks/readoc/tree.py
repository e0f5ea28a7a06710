"""Ordered trees whose nodes have a kind and a text."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tree:
    """An ordered tree, its nodes numbered in postorder from 0.

    Attributes:
        kinds: What a node is; renaming a node to one of another kind costs 1.
        texts: Tokens of a node, each of one or more characters; renaming a node to one of the same kind costs
            the Levenshtein distance divided by the greater number of tokens, or 0 if both have none.
        leftmost: Number of the leftmost leaf below each node, which is the node itself if it is a leaf.
        size: What a distance is divided by; need not be the number of nodes.
    """

    kinds: tuple[Hashable, ...]
    texts: tuple[Sequence[str], ...]
    leftmost: tuple[int, ...]
    size: int

    @classmethod
    def of(
        cls, depths: Sequence[int], kinds: Sequence[Hashable], texts: Sequence[Sequence[str]], size: int
    ) -> Tree:
        """Return the tree whose nodes are given in preorder.

        Args:
            depths: Depth of each node. That of the first, the root, is 0; that of another is at most one
                more than that of the node before.
            kinds: Kind of each node.
            texts: Tokens of each node.
            size: What a distance is divided by.
        """
        order: list[int] = []
        leftmost: list[int] = []
        path: list[tuple[int, int]] = []  # nodes from the root on, each with the first node below it
        for node, depth in enumerate(depths):
            while len(path) > depth:
                _finish(path, order, leftmost)
            path.append((node, len(order)))
        while path:
            _finish(path, order, leftmost)
        return cls(tuple(kinds[i] for i in order), tuple(texts[i] for i in order), tuple(leftmost), size)


def _finish(path: list[tuple[int, int]], order: list[int], leftmost: list[int]) -> None:
    node, first = path.pop()
    order.append(node)
    leftmost.append(first)
