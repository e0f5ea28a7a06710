"""The tree edit distance of Zhang and Shasha, exact, of one ordered tree to many at the same time.

Inserting and deleting a node cost 1; renaming costs what ``TextTree`` says, which is between 0 and 1 and the
same in both directions. The distance does not depend on ``TextTree.size``.

The recurrence is that of K. Zhang and D. Shasha, "Simple fast algorithms for the editing distance between
trees and related problems", SIAM J. Comput. 18 (1989): for each pair of key roots (nodes that have a left
sibling, and the root) the distances of all prefixes of two subtrees in postorder. Here they are computed as
savings: a distance is the number of all nodes less what is saved, and a pair of nodes that are renamed saves
2 less the cost of renaming. All prefixes of all key roots of all the other trees are columns of one array,
and key roots of the tree that have the same shape and do not contain each other, as rows of a table, are
computed at the same time. What a column needs from columns of the same prefix is then a maximum over those
before it, so a few operations of numpy compute all columns. A subtree and a single leaf save what the best
node of the subtree saves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TextTree:
    """An ordered tree, its nodes numbered in postorder from 0."""

    #: What a node is; renaming a node to one of another kind costs 1.
    kinds: tuple[Hashable, ...]
    #: Tokens of a node, each of one or more characters; renaming a node to one of the same kind costs the
    #: Levenshtein distance divided by the greater number of tokens, or 0 if both have none.
    texts: tuple[Sequence[str], ...]
    #: Number of the leftmost leaf below each node, which is the node itself if it is a leaf.
    leftmost: tuple[int, ...]
    #: What a distance is divided by; need not be the number of nodes.
    size: int

    @classmethod
    def of(
        cls, depths: Sequence[int], kinds: Sequence[Hashable], texts: Sequence[Sequence[str]], size: int
    ) -> TextTree:
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


_Row = NDArray[np.float64]
_Indices = NDArray[np.intp]

#: The most entries of an array that is made at a time beside the savings, a row of columns excepted.
_ENTRIES = 1 << 16


def tree_distances(tree: TextTree, others: Sequence[TextTree]) -> list[float]:
    """Return the edit distance of a tree to each of other trees.

    Time and memory grow with the number of nodes of ``tree`` times that of all the others, and with the
    depths; the smaller side should be ``tree``.
    """
    if not others:
        return []
    if all(_same(tree, other) for other in others):
        return [0.0] * len(others)
    forest = _Forest.of(others)
    savings = _rename_savings(tree, forest)
    _save_with_leaves(savings, tree, forest.leaves)
    step = max(1, _ENTRIES // max(1, len(forest.base)))
    for level in _levels([tree], [0]):
        by_shape: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for root in level:
            first = tree.leftmost[root]
            by_shape[tuple(leaf - first for leaf in tree.leftmost[first : root + 1])].append(first)
        for shape, firsts in by_shape.items():
            for start in range(0, len(firsts), step):
                _fill(savings, forest, shape, np.array(firsts[start : start + step]))
    nodes = len(tree.kinds)
    return [
        nodes + len(other.kinds) - float(savings[-1, root])
        for other, root in zip(others, forest.roots, strict=True)
    ]


def comparison_cost(tree: TextTree, other: TextTree) -> int:
    """Return the number of entries that ``tree_distances`` computes for two trees, about 10 ns each."""
    rows, columns = (
        sum(
            root - text_tree.leftmost[root] + 2
            for root in _key_roots(text_tree)
            if text_tree.leftmost[root] < root
        )
        for text_tree in (tree, other)
    )
    return rows * columns


def _same(tree: TextTree, other: TextTree) -> bool:
    return (tree.kinds, tree.leftmost, tree.texts) == (other.kinds, other.leftmost, other.texts)


def _key_roots(tree: TextTree) -> list[int]:
    """Return the greatest node of each leftmost leaf, in order."""
    return sorted({leaf: node for node, leaf in enumerate(tree.leftmost)}.values())


@dataclass(frozen=True, slots=True)
class _Forest:
    """Trees side by side, their nodes numbered one after the other.

    A column is a prefix of the subtree of a key root that is no leaf; those of a key root follow each other,
    and begin with the empty prefix.

    Attributes:
        kinds, texts: Kinds and texts of all nodes.
        leaves: The nodes that are leaves.
        roots: The roots.
        nodes: The last node of the prefix, for each column; the number of all nodes for an empty one.
        without: Column of the prefix before the leftmost leaf of its last node, or itself if it is empty.
        on_path: Whether the last node has the leftmost leaf of the subtree, for each column.
        diagonal: The column before it if the node is on that path, else that of the empty prefix.
        base: What is added to the savings of a column: more than any column of key roots before it has, so
            that no maximum reaches from one key root to the next.
        levels: Columns by level: what a key root needs of others stands at lower levels.
    """

    kinds: tuple[Hashable, ...]
    texts: tuple[Sequence[str], ...]
    leaves: _Indices
    roots: tuple[int, ...]
    nodes: _Indices
    without: _Indices
    on_path: NDArray[np.bool_]
    diagonal: _Indices
    base: _Row
    levels: tuple[slice, ...]

    @classmethod
    def of(cls, trees: Sequence[TextTree]) -> _Forest:
        starts = [0, *accumulate(len(tree.kinds) for tree in trees)]
        count = starts[-1]
        leftmost = np.concatenate(
            [np.array(tree.leftmost) + start for tree, start in zip(trees, starts, strict=False)]
        )
        by_level = _levels(trees, starts)[1:]
        roots = np.array([root for level in by_level for root in level], dtype=np.intp)
        sizes = roots - leftmost[roots] + 2
        bounds = np.concatenate(([0], np.cumsum(sizes)))
        first_nodes, first_columns = (np.repeat(begins, sizes) for begins in (leftmost[roots], bounds[:-1]))
        columns = np.arange(bounds[-1])
        empty = columns == first_columns
        nodes = np.where(empty, count, first_nodes + columns - first_columns - 1)
        leftmost_of = np.append(leftmost, -1)[nodes]
        on_path = leftmost_of == first_nodes
        ends = bounds[[0, *accumulate(map(len, by_level))]]
        return cls(
            kinds=tuple(kind for tree in trees for kind in tree.kinds),
            texts=tuple(text for tree in trees for text in tree.texts),
            leaves=np.flatnonzero(leftmost == np.arange(count)),
            roots=tuple(end - 1 for end in starts[1:]),
            nodes=nodes,
            without=np.where(empty, columns, first_columns + leftmost_of - first_nodes),
            on_path=on_path,
            diagonal=np.where(on_path, columns - 1, first_columns),
            base=2.0 * first_columns,
            levels=tuple(slice(int(low), int(high)) for low, high in pairwise(ends)),
        )


def _levels(trees: Sequence[TextTree], starts: Sequence[int]) -> list[list[int]]:
    """Return the key roots by level: first those that are leaves, then each above the key roots below it.

    Args:
        trees: Trees.
        starts: What is added to the numbers of the nodes of each tree.
    """
    by_level: list[list[int]] = [[]]
    for tree, start in zip(trees, starts, strict=False):
        inside: list[tuple[int, int]] = []  # the last key roots in postorder that no other one contains
        for root in _key_roots(tree):
            level = 0 if tree.leftmost[root] == root else 1
            while inside and inside[-1][0] >= tree.leftmost[root]:
                level = max(level, inside.pop()[1] + 1)
            if level == len(by_level):
                by_level.append([])
            by_level[level].append(root + start)
            inside.append((root, level))
    return by_level


def _rename_savings(tree: TextTree, forest: _Forest) -> _Row:
    """Return what renaming each node of a tree to each of a forest saves; 0 in a further column.

    Shape (nodes of the tree, nodes of the forest + 1).
    """
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    savings = np.ones((len(tree.kinds), len(forest.kinds) + 1))
    savings[:, -1] = 0.0
    by_kind, others_by_kind = _by_kind(tree.kinds), _by_kind(forest.kinds)
    for kind in by_kind.keys() & others_by_kind.keys():
        others = others_by_kind[kind]
        other_texts, other_places = _distinct(forest.texts, others)
        step = max(1, _ENTRIES // len(others))
        for start in range(0, len(by_kind[kind]), step):
            own = by_kind[kind][start : start + step]
            texts, places = _distinct(tree.texts, own)
            costs = process.cdist(
                texts, other_texts, scorer=Levenshtein.normalized_distance, dtype=np.float64
            )
            savings[np.ix_(own, others)] = 2.0 - costs[np.ix_(places, other_places)]
    return savings


def _by_kind(kinds: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    nodes: dict[Hashable, list[int]] = defaultdict(list)
    for node, kind in enumerate(kinds):
        nodes[kind].append(node)
    return nodes


def _distinct(texts: Sequence[Sequence[str]], nodes: Sequence[int]) -> tuple[list[Sequence[str]], list[int]]:
    """Return the texts of some nodes, each once, and for each node the place of its text among them."""
    places: dict[Sequence[str], int] = {}
    of_nodes = [places.setdefault(texts[node], len(places)) for node in nodes]
    return list(places), of_nodes


def _save_with_leaves(savings: _Row, tree: TextTree, leaves: _Indices) -> None:
    """Let each subtree of a tree save with a leaf what the best of its nodes saves.

    Args:
        savings: What renaming nodes saves; is changed.
        tree: The tree of the rows.
        leaves: Columns of leaves.
    """
    for node, first in enumerate(tree.leftmost):
        if first == node:
            continue
        best = savings[node].copy()
        child = node - 1
        while child >= first:
            np.maximum(best, savings[child], out=best)
            child = tree.leftmost[child] - 1
        savings[node, leaves] = best[leaves]


def _fill(savings: _Row, forest: _Forest, shape: Sequence[int], firsts: _Indices) -> None:
    """Compute the savings of the nodes of a tree that have the leftmost leaf of one of some key roots.

    Args:
        savings: What subtrees save; for these nodes, and for leaves, what renaming nodes saves until then.
        forest: The trees of the columns.
        shape: Leftmost leaf of each node of the subtree of a key root, counted from the first node.
        firsts: First node of the subtree of each key root.
    """
    last_use = {leaf: at for at, leaf in enumerate(shape)}
    before: dict[int, _Row] = {}  # by leaf, the savings of the prefix that ends before it
    previous = np.tile(forest.base, (len(firsts), 1))
    for at, leaf in enumerate(shape):
        own = savings[firsts + at]
        if leaf == 0:
            # A leaf saves what the best node of a prefix saves, whatever the levels.
            levels = forest.levels if at else (slice(None),)
            previous = _on_path(own, forest, levels, previous)
            savings[firsts + at] = own
            continue
        if leaf == at:
            before[leaf] = previous
        saved = before[leaf].take(forest.without, axis=1)
        saved += own.take(forest.nodes, axis=1)
        np.maximum(saved, previous, out=saved)
        # There is no NaN, and fmax accumulates faster than maximum.
        previous = np.fmax.accumulate(saved, axis=1)
        if last_use[leaf] == at:
            del before[leaf]


def _on_path(own: _Row, forest: _Forest, levels: Sequence[slice], previous: _Row) -> _Row:
    """Return the savings of prefixes whose last node has their leftmost leaf, and store those of the node.

    Args:
        own: What renaming the node saves with each node, and what it saves with each leaf; then its subtree.
        forest: The trees of the columns.
        levels: The columns, those first that others need.
        previous: Savings of the prefixes without the node.
    """
    row = np.empty_like(previous)
    for level in levels:
        nodes, on_path = forest.nodes[level], forest.on_path[level]
        saved = previous.take(forest.diagonal[level], axis=1)
        saved += own.take(nodes, axis=1)
        np.maximum(saved, previous[:, level], out=saved)
        part = np.fmax.accumulate(saved, axis=1, out=row[:, level])
        own[:, nodes[on_path]] = (part - forest.base[level])[:, on_path]
    return row
