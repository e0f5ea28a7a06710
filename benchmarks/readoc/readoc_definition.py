"""Orders and tree distances of READOC as their definitions read, with the same libraries."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from i2s_sdk.text.tree_distance import TextTree


def tree_distance(tree: TextTree, other: TextTree) -> float:
    """Return the distance of two trees by the algorithm of Zhang and Shasha, as their paper has it."""
    first, second = tree.leftmost, other.leftmost
    distances: dict[tuple[int, int], float] = {}
    for i in sorted({leaf: node for node, leaf in enumerate(first)}.values()):
        for j in sorted({leaf: node for node, leaf in enumerate(second)}.values()):
            a, b = first[i], second[j]
            forest = {(a - 1, b - 1): 0.0}
            for x in range(a, i + 1):
                forest[x, b - 1] = forest[x - 1, b - 1] + 1
            for y in range(b, j + 1):
                forest[a - 1, y] = forest[a - 1, y - 1] + 1
            for x in range(a, i + 1):
                for y in range(b, j + 1):
                    least = min(forest[x - 1, y], forest[x, y - 1]) + 1
                    if first[x] == a and second[y] == b:
                        forest[x, y] = min(least, forest[x - 1, y - 1] + _renamed(tree, x, other, y))
                        distances[x, y] = forest[x, y]
                    else:
                        forest[x, y] = min(least, forest[first[x] - 1, second[y] - 1] + distances[x, y])
    return distances[len(first) - 1, len(second) - 1]


def _renamed(tree: TextTree, node: int, other: TextTree, other_node: int) -> float:
    if tree.kinds[node] != other.kinds[other_node]:
        return 1.0
    return Levenshtein.normalized_distance(tree.texts[node], other.texts[other_node])


def inversions(indices: Sequence[int]) -> int:
    """Return the number of pairs of which the earlier is greater."""
    return sum(a > b for i, a in enumerate(indices) for b in indices[i + 1 :])


def matched_blocks(predicted: Sequence[str], gold: Sequence[str]) -> list[tuple[int, int, float]]:
    """Return gold index, predicted index and distance of blocks that match."""
    used: set[int] = set()
    matches: list[tuple[int, int, float]] = []
    for number, block in enumerate(gold):
        offers = [
            (Levenshtein.normalized_distance(block, other), place)
            for place, other in enumerate(predicted)
            if place not in used
        ]
        distance, place = min(offers, default=(1.0, -1))
        if distance <= 0.5:
            used.add(place)
            matches.append((number, place, distance))
    return matches
