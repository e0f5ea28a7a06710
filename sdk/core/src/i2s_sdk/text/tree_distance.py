"""The tree edit distance of Zhang and Shasha, exact, of one ordered tree to many at the same time.

Inserting and deleting a node cost 1; renaming costs what ``TextTree`` says, which is between 0 and 1 and the
same in both directions. The distance does not depend on ``TextTree.size``.

The recurrence is that of K. Zhang and D. Shasha, "Simple fast algorithms for the editing distance between
trees and related problems", SIAM J. Comput. 18 (1989): for each pair of key roots (nodes that have a left
sibling, and the root) the distances of all prefixes of two subtrees in postorder. Here all prefixes of all
key roots of all the other trees are columns of one array, so that a row is computed by a few operations of
numpy; what the next row needs from the same row is a minimum over earlier columns. A distance to or from a
single leaf is in closed form: all other nodes, and the least cost of renaming the leaf to one of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

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

#: The most entries of a matrix of rename costs that is made at a time.
_ENTRIES = 1 << 21


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
    rows = _DistanceRows(tree, forest)
    for root in _key_roots(tree):
        if tree.leftmost[root] < root:
            _fill(rows, root)
    last = rows.distances[len(tree.kinds) - 1]
    return [float(last[root]) for root in forest.roots]


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
class _Columns:
    """Prefixes of the subtrees of some key roots, one after the other; each begins with the empty prefix.

    Attributes:
        first, last: The columns, from ``first`` up to and without ``last``.
        off_path: Columns whose last node has not the leftmost leaf of the subtree: columns, nodes.
        on_path: The others, without the empty prefixes: columns, nodes.
    """

    first: int
    last: int
    off_path: tuple[_Indices, _Indices]
    on_path: tuple[_Indices, _Indices]


@dataclass(frozen=True, slots=True)
class _Forest:
    """Trees side by side, their nodes numbered one after the other.

    Attributes:
        kinds, texts: Kinds and texts of all nodes.
        leftmost: Leftmost leaf below each node.
        counts: Number of nodes below each node and itself.
        leaves: The nodes that are leaves.
        roots: The roots.
        inserted: Number of nodes of the prefix, for each column.
        without: Column of the prefix before the leftmost leaf of its last node, for each column.
        levels: Columns by level: what a key root needs of others stands at lower levels.
        all: All columns as one.
    """

    kinds: tuple[Hashable, ...]
    texts: tuple[Sequence[str], ...]
    leftmost: _Indices
    counts: _Indices
    leaves: _Indices
    roots: tuple[int, ...]
    inserted: _Row
    without: _Indices
    levels: tuple[_Columns, ...]
    all: _Columns

    @classmethod
    def of(cls, trees: Sequence[TextTree]) -> _Forest:
        starts = np.concatenate(([0], np.cumsum([len(tree.kinds) for tree in trees])))
        leftmost = np.concatenate(
            [np.array(tree.leftmost) + start for tree, start in zip(trees, starts, strict=False)]
        )
        nodes = np.arange(len(leftmost))
        by_level = _levels(trees, starts, leftmost)
        pieces = [(root, leftmost[root]) for level in by_level for root in level]
        sizes = np.array([root - first + 2 for root, first in pieces], dtype=np.intp)
        bounds = np.concatenate(([0], np.cumsum(sizes)))
        firsts = np.repeat(np.array([first for _, first in pieces], dtype=np.intp), sizes)
        column_starts = np.repeat(bounds[:-1], sizes)
        columns = np.arange(bounds[-1])
        node = np.where(columns == column_starts, -1, firsts + columns - column_starts - 1)
        without = np.where(node < 0, 0, column_starts + leftmost[node] - firsts)
        on_path = (node >= 0) & (leftmost[node] == firsts)
        off_path = (node >= 0) & ~on_path
        ends = np.concatenate(([0], np.cumsum([len(level) for level in by_level], dtype=np.intp)))

        def columns_of(low: int, high: int) -> _Columns:
            first, last = int(bounds[low]), int(bounds[high])
            off, on = (first + np.flatnonzero(one[first:last]) for one in (off_path, on_path))
            return _Columns(first, last, (off, node[off]), (on, node[on]))

        return cls(
            kinds=tuple(kind for tree in trees for kind in tree.kinds),
            texts=tuple(text for tree in trees for text in tree.texts),
            leftmost=leftmost,
            counts=nodes - leftmost + 1,
            leaves=np.flatnonzero(nodes == leftmost),
            roots=tuple(int(end) - 1 for end in starts[1:]),
            inserted=(columns - column_starts).astype(np.float64),
            without=without,
            levels=tuple(columns_of(ends[i], ends[i + 1]) for i in range(len(by_level))),
            all=columns_of(0, len(pieces)),
        )


def _levels(trees: Sequence[TextTree], starts: NDArray[np.int64], leftmost: _Indices) -> list[list[int]]:
    """Return the key roots that are not leaves, each at a level above the key roots below it."""
    by_level: dict[int, list[int]] = defaultdict(list)
    for tree, start in zip(trees, starts, strict=False):
        inside: list[tuple[int, int]] = []  # the last key roots in postorder that no other one contains
        for root in _key_roots(tree):
            level = -1
            while inside and inside[-1][0] >= tree.leftmost[root]:
                level = max(level, inside.pop()[1])
            if tree.leftmost[root] < root:
                level += 1
                by_level[level].append(int(root + start))
            inside.append((root, level))
    return [by_level[level] for level in sorted(by_level)]


class _DistanceRows:
    """The distances between subtrees of a tree and of a forest.

    Attributes:
        tree: Its subtrees are the rows.
        forest: Its subtrees are the columns.
        distances: Distances of each pair of subtrees; those of a leaf are there from the beginning.
    """

    def __init__(self, tree: TextTree, forest: _Forest) -> None:
        self.tree = tree
        self.forest = forest
        self.distances = np.empty((len(tree.kinds), len(forest.kinds)))
        self._costs = _RenameCosts(forest.kinds, forest.texts)
        leaf_rows: dict[tuple[Hashable, Sequence[str]], list[int]] = defaultdict(list)
        for node, first in enumerate(tree.leftmost):
            if first == node:
                leaf_rows[tree.kinds[node], tree.texts[node]].append(node)
        bounds = np.stack((forest.leftmost, np.arange(len(forest.leftmost)) + 1), axis=1).ravel()
        for label, costs in self._costs.rows(list(leaf_rows)):
            # One entry beyond the last node, because reduceat takes no bound past the end.
            least = np.minimum.reduceat(np.append(costs, 1.0), bounds)[::2]
            self.distances[leaf_rows[label]] = forest.counts - 1 + least

    def rename(self, node: int) -> _Row:
        """Return the costs of renaming a node that is not a leaf, and fill in its distances to leaves."""
        ((_, costs),) = self._costs.rows([(self.tree.kinds[node], self.tree.texts[node])])
        leaves = self.forest.leaves
        least = costs[leaves]
        child = node - 1
        while child >= self.tree.leftmost[node]:
            first = self.tree.leftmost[child]
            np.minimum(least, self.distances[child, leaves] - (child - first), out=least)
            child = first - 1
        self.distances[node, leaves] = node - self.tree.leftmost[node] + least
        return costs


class _RenameCosts:
    """Costs of renaming any node to each node of a forest.

    Args:
        kinds: Kinds of the nodes of the forest.
        texts: Texts of the same nodes.
    """

    def __init__(self, kinds: Sequence[Hashable], texts: Sequence[Sequence[str]]) -> None:
        self._kinds: dict[Hashable, tuple[_Indices, list[Sequence[str]], _Indices]] = {}
        nodes: dict[Hashable, list[int]] = defaultdict(list)
        for node, kind in enumerate(kinds):
            nodes[kind].append(node)
        for kind, members in nodes.items():
            places: dict[Sequence[str], int] = {}
            which = [places.setdefault(texts[node], len(places)) for node in members]
            self._kinds[kind] = (np.array(members), list(places), np.array(which))
        self._count = len(kinds)

    def rows(
        self, labels: Sequence[tuple[Hashable, Sequence[str]]]
    ) -> Iterator[tuple[tuple[Hashable, Sequence[str]], _Row]]:
        """Yield each label, kind and text, with the costs of renaming a node that has it."""
        from rapidfuzz import process
        from rapidfuzz.distance import Levenshtein

        by_kind: dict[Hashable, list[Sequence[str]]] = defaultdict(list)
        for kind, text in labels:
            by_kind[kind].append(text)
        for kind, texts in by_kind.items():
            nodes, others, which = self._kinds.get(kind, (None, [], None))
            step = max(1, _ENTRIES // max(1, len(others)))
            for start in range(0, len(texts), step):
                some = texts[start : start + step]
                costs = process.cdist(some, others, scorer=Levenshtein.normalized_distance, dtype=np.float64)
                for text, cost in zip(some, costs, strict=True):
                    row = np.ones(self._count)
                    if nodes is not None:
                        row[nodes] = cost[which]
                    yield (kind, text), row


def _fill(rows: _DistanceRows, root: int) -> None:
    """Compute the distances of the subtrees that have the same leftmost leaf as the key root ``root``."""
    forest, leftmost = rows.forest, rows.tree.leftmost
    begin = leftmost[root]
    # A gap between the columns of two key roots, so that no minimum reaches from one to the other.
    gap = root - begin + 2
    offset = np.arange(len(forest.inserted)) + gap * np.cumsum(forest.inserted == 0)
    last_use = {leftmost[node]: node for node in range(begin, root + 1)}
    previous = forest.inserted
    before: dict[int, _Row] = {}  # by leaf, the row of the prefix that ends before it
    for node in range(begin, root + 1):
        first = leftmost[node]
        if first == node:
            before[node] = previous
        row = previous + 1.0
        if first != begin or node == begin:
            _take_subtrees(row, forest.all.on_path, before[first], rows, node)
            _take_subtrees(row, forest.all.off_path, before[first], rows, node)
            _take_inserted(row, forest.all, offset)
        else:
            costs = rows.rename(node)
            for columns in forest.levels:
                on_path, nodes = columns.on_path
                row[on_path] = np.minimum(row[on_path], previous[on_path - 1] + costs[nodes])
                _take_subtrees(row, columns.off_path, before[first], rows, node)
                _take_inserted(row, columns, offset)
                rows.distances[node, nodes] = row[on_path]
        if last_use[first] == node:
            del before[first]
        previous = row


def _take_subtrees(
    row: _Row, columns: tuple[_Indices, _Indices], before: _Row, rows: _DistanceRows, node: int
) -> None:
    """Lower a row where the subtree of ``node`` corresponds to that of the last node of a column."""
    at, nodes = columns
    row[at] = np.minimum(row[at], before[rows.forest.without[at]] + rows.distances[node, nodes])


def _take_inserted(row: _Row, columns: _Columns, offset: _Indices) -> None:
    """Lower a row where the last nodes of a column are inserted."""
    some = slice(columns.first, columns.last)
    row[some] = np.minimum.accumulate(row[some] - offset[some]) + offset[some]
