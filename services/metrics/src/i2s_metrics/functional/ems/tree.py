"""The spanning tree of the transport simplex: who hangs below whom, and what flows there.

Nodes are the sources 0 to m - 1 and the sinks m to m + n - 1. An edge of the tree joins a source
and a sink and belongs to its lower end. Costs are packed: ``cost << SHIFT | sink``, so that the
least of a row gives the sink too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from i2s_metrics.functional.arrays import IntArray
from i2s_metrics.functional.compiled import compiled

#: Bits of a packed cost that hold the sink, so that there are at most 256.
SHIFT = 8
#: No node.
NONE = -1


class Tree(NamedTuple):
    """A rooted spanning tree, one number for each node.

    Attributes:
        parent: Its parent, or ``NONE``.
        first: One of its children, or ``NONE``.
        after: The next child of its parent, or ``NONE``.
        before: The previous one.
        depth: Edges up to the root.
        flow: Mass on the edge to its parent.
        potential: Potentials of sources and sinks so that cost = potential(source) - potential(sink) on
            edges of the tree, in packed costs without sink.
        stack: Room for a walk.
    """

    parent: IntArray
    first: IntArray
    after: IntArray
    before: IntArray
    depth: IntArray
    flow: IntArray
    potential: IntArray
    stack: IntArray


@compiled
def new_tree(nodes: int) -> Tree:
    """Return nodes without edges."""
    return Tree(
        np.full(nodes, NONE),
        np.full(nodes, NONE),
        np.full(nodes, NONE),
        np.full(nodes, NONE),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
    )


@compiled
def root_of(tree: Tree, node: int) -> int:
    """Return the node that has no parent, above this one."""
    while tree.parent[node] != NONE:
        node = tree.parent[node]
    return node


@compiled
def hang(tree: Tree, node: int, parent: int, flow: int) -> None:
    """Hang the tree that a node is in below another tree's node, by an edge from that node.

    The path from the node up to its root turns round. Depths and potentials are left as they are.
    """
    while True:
        above, carried = tree.parent[node], tree.flow[node]
        if above != NONE:
            cut(tree, node)
        sibling = tree.first[parent]
        tree.parent[node] = parent
        tree.after[node] = sibling
        tree.before[node] = NONE
        if sibling != NONE:
            tree.before[sibling] = node
        tree.first[parent] = node
        tree.flow[node] = flow
        if above == NONE:
            return
        parent, node, flow = node, above, carried


@compiled
def cut(tree: Tree, node: int) -> None:
    """Take a node, with all below it, off its parent."""
    before, after = tree.before[node], tree.after[node]
    if before != NONE:
        tree.after[before] = after
    else:
        tree.first[tree.parent[node]] = after
    if after != NONE:
        tree.before[after] = before
    tree.parent[node] = NONE


@compiled
def shift_below(tree: Tree, top: int, change: int) -> None:
    """Add to the potentials of a node and all below it, and set their depths; the top has a parent."""
    tree.depth[top] = tree.depth[tree.parent[top]] + 1
    tree.stack[0] = top
    height = 1
    while height:
        height -= 1
        node = tree.stack[height]
        tree.potential[node] += change
        child = tree.first[node]
        while child != NONE:
            tree.depth[child] = tree.depth[node] + 1
            tree.stack[height] = child
            height += 1
            child = tree.after[child]


@compiled
def set_potentials(tree: Tree, root: int, cost: IntArray, sources: int) -> None:
    """Compute all potentials and depths from the costs on the edges."""
    tree.depth[root] = 0
    tree.potential[root] = 0
    tree.stack[0] = root
    height = 1
    while height:
        height -= 1
        node = tree.stack[height]
        child = tree.first[node]
        while child != NONE:
            tree.depth[child] = tree.depth[node] + 1
            if child < sources:
                price = cost[child, node - sources] >> SHIFT << SHIFT
                tree.potential[child] = tree.potential[node] + price
            else:
                price = cost[node, child - sources] >> SHIFT << SHIFT
                tree.potential[child] = tree.potential[node] - price
            tree.stack[height] = child
            height += 1
            child = tree.after[child]
