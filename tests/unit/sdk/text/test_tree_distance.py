"""Distances of trees against the plain algorithm of Zhang and Shasha."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import readoc_definition
from i2s_sdk.text.tree_distance import TextTree, tree_distances

_TEXTS = st.one_of(st.text("xyz", max_size=3), st.sampled_from([("x", "<b>"), ("<b>", "</b>", "y")]))


@st.composite
def _trees(draw: st.DrawFn) -> TextTree:
    depths = [0]
    for _ in range(draw(st.integers(0, 11))):
        depths.append(draw(st.integers(1, depths[-1] + 1)))
    kinds = [draw(st.sampled_from("ab")) for _ in depths]
    return TextTree.of(depths, kinds, [draw(_TEXTS) for _ in depths], len(depths))


@given(_trees(), st.lists(_trees(), max_size=4))
def test_distances_are_those_of_the_textbook(tree: TextTree, others: list[TextTree]) -> None:
    expected = [readoc_definition.tree_distance(tree, other) for other in others]
    assert tree_distances(tree, others) == pytest.approx(expected)


def test_a_tree_of_one_node_has_a_distance_to_every_tree() -> None:
    leaf = TextTree.of([0], ["a"], ["x"], 1)
    chain = TextTree.of([0, 1, 2], ["b", "b", "a"], ["", "", "x"], 3)
    assert tree_distances(leaf, [chain, leaf]) == [2.0, 0.0]
    assert tree_distances(chain, [leaf, chain]) == [2.0, 0.0]
