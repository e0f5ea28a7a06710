"""Exact optimal transport between two finite distributions, in whole numbers.

A primal network simplex (Dantzig) on the dense transport problem. Masses and costs are integers,
so that nothing is rounded, and the tree stays strongly feasible (Cunningham 1976: an edge
without flow leads from a source up to a sink), so that it ends however many ties there are.

Nodes of the spanning tree are the sources 0 to m - 1 and the sinks m to m + n - 1. An edge of the tree
joins a source and a sink and belongs to its lower end. Costs are packed: ``cost << SHIFT | sink``, so that
the least of a row gives the sink too.
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


class SpanningTree(NamedTuple):
    """A rooted spanning tree, one number for each node."""

    #: Its parent, or ``NONE``.
    parent: IntArray
    #: One of its children, or ``NONE``.
    first: IntArray
    #: The next child of its parent, or ``NONE``.
    after: IntArray
    #: The previous one.
    before: IntArray
    #: Edges up to the root.
    depth: IntArray
    #: Mass on the edge to its parent.
    flow: IntArray
    #: Potentials of sources and sinks so that cost = potential(source) - potential(sink) on edges of the
    #: tree, in packed costs without sink.
    potential: IntArray
    #: Room for a walk.
    stack: IntArray


@compiled
def new_tree(nodes: int) -> SpanningTree:
    """Return nodes without edges."""
    return SpanningTree(
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
def root_of(tree: SpanningTree, node: int) -> int:
    """Return the node that has no parent, above this one."""
    while tree.parent[node] != NONE:
        node = tree.parent[node]
    return node


@compiled
def hang(tree: SpanningTree, node: int, parent: int, flow: int) -> None:
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
def cut(tree: SpanningTree, node: int) -> None:
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
def shift_below(tree: SpanningTree, top: int, change: int) -> None:
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
def set_potentials(tree: SpanningTree, root: int, cost: IntArray, sources: int) -> None:
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


_SINK = (1 << SHIFT) - 1
#: Sources that are looked at for each step; the best edge of them enters the tree.
_ROWS = 6
#: More than any cost with its potentials.
_FAR = 1 << 60


@compiled
def start(tree: SpanningTree, cost: IntArray, supply: IntArray, demand: IntArray) -> None:
    """Make a first plan: sources far from the sinks first, each to the sinks that suit it best.

    Args:
        tree: Nodes without edges, sources and sinks.
        cost: Packed, shape (at least sources, at least sinks).
        supply: Positive masses of the sources.
        demand: Positive masses of the sinks, of the same sum. Used up.
    """
    sources, sinks = len(supply), len(demand)
    far, handicap = np.zeros(sources, np.int64), np.zeros(sinks, np.int64)
    for i in range(sources):
        for j in range(sinks):
            far[i] -= cost[i, j] >> SHIFT
        for j in range(sinks):
            handicap[j] -= cost[i, j] >> SHIFT
    for j in range(sinks):
        handicap[j] = handicap[j] // sources << SHIFT
    for i in np.argsort(far):
        left = supply[i]
        while left > 0:
            j = least(cost, i, handicap) & _SINK
            moved = min(left, demand[j])
            left -= moved
            demand[j] -= moved
            if demand[j] == 0:
                handicap[j] = _FAR
            hang(tree, i, sources + j, moved)
    root = root_of(tree, sources)
    for i in range(sources):
        if root_of(tree, i) != root:
            hang(tree, i, sources, 0)
    set_potentials(tree, root, cost, sources)


@compiled
def improve(tree: SpanningTree, cost: IntArray, sources: int) -> None:
    """Change a plan until it is optimal: no edge costs less than the potentials of its ends."""
    potential = tree.potential[sources:]
    idle = source = 0
    while idle < sources:
        best = best_source = 0
        for _ in range(_ROWS):
            reduced = least(cost, source, potential) - tree.potential[source]
            if reduced < best:
                best, best_source = reduced, source
            source = source + 1 if source + 1 < sources else 0
        if best >> SHIFT < 0:
            idle = 0
            _enter(tree, best_source, sources + (best & _SINK), best >> SHIFT << SHIFT)
        else:
            idle += _ROWS


@compiled
def plan_cost(tree: SpanningTree, cost: IntArray, sources: int) -> float:
    """Return the cost of the plan: the sum of flows times costs."""
    total = 0.0
    for node in range(len(tree.parent)):
        above = tree.parent[node]
        if above != NONE:
            if node < sources:
                price = cost[node, above - sources] >> SHIFT
            else:
                price = cost[above, node - sources] >> SHIFT
            total += float(tree.flow[node]) * float(price)
    return total


@compiled
def least(cost: IntArray, source: int, potential: IntArray) -> int:
    """Return the least packed cost of a row plus the potential of the sink."""
    lowest = 1 << 62
    for j in range(len(potential)):
        lowest = min(lowest, cost[source, j] + potential[j])
    return lowest


@compiled
def _enter(tree: SpanningTree, source: int, sink: int, reduced: int) -> None:
    """Let an edge carry as much as it can; the edge that this empties leaves the tree.

    Of several the last on the way round, along the new edge from the top, leaves: so the tree
    stays strongly feasible.
    """
    parent, depth, flow = tree.parent, tree.depth, tree.flow
    up, back = source, sink
    least_up = least_back = 1 << 62
    out_up = out_back = NONE
    giving = True  # whether flow on the edge above shrinks: every other edge from either end
    giving_back = True
    while up != back:
        if depth[up] >= depth[back]:
            if giving and flow[up] < least_up:
                least_up, out_up = flow[up], up
            giving = not giving
            up = parent[up]
        else:
            if giving_back and flow[back] <= least_back:
                least_back, out_back = flow[back], back
            giving_back = not giving_back
            back = parent[back]
    top = up
    moved = min(least_up, least_back)
    if moved > 0:
        _push(tree, source, top, moved)
        _push(tree, sink, top, moved)
    if least_back <= least_up:
        cut(tree, out_back)
        hang(tree, sink, source, moved)
        shift_below(tree, sink, -reduced)
    else:
        cut(tree, out_up)
        hang(tree, source, sink, moved)
        shift_below(tree, source, reduced)


@compiled
def _push(tree: SpanningTree, node: int, top: int, moved: int) -> None:
    sign = -moved
    while node != top:
        tree.flow[node] += sign
        sign = -sign
        node = tree.parent[node]
