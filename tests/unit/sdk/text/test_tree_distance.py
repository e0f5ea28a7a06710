"""Distances of trees against the plain algorithm of Zhang and Shasha."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import readoc_definition
from i2s_sdk.text import tree_distance as module
from i2s_sdk.text.tree_distance import TextTree, tree_distances

_TEXTS = st.one_of(st.text("xyz", max_size=3), st.sampled_from([("x", "<b>"), ("<b>", "</b>", "y")]))


@st.composite
def _trees(draw: st.DrawFn) -> TextTree:
    depths = [0]
    for _ in range(draw(st.integers(0, 11))):
        depths.append(draw(st.integers(1, depths[-1] + 1)))
    kinds = [draw(st.sampled_from("ab")) for _ in depths]
    return TextTree.of(depths, kinds, [draw(_TEXTS) for _ in depths], len(depths))


@pytest.mark.parametrize("entries", [1, 1 << 16])
@given(_trees(), st.lists(_trees(), max_size=4))
def test_distances_are_those_of_the_textbook(entries: int, tree: TextTree, others: list[TextTree]) -> None:
    expected = [readoc_definition.tree_distance(tree, other) for other in others]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_ENTRIES", entries)
        assert tree_distances(tree, others) == pytest.approx(expected, abs=1e-9)


def _table(rows: list[list[str]]) -> TextTree:
    depths = [0, *(depth for row in rows for depth in [1, *[2] * len(row)])]
    texts = ["", *(text for row in rows for text in ["", *row])]
    return TextTree.of(depths, ["a"] * len(depths), texts, len(depths))


def test_tables_with_many_rows_of_one_shape_have_the_distance_of_the_textbook() -> None:
    rows = [[f"{row}.{cell}" for cell in range(1 + row % 3)] for row in range(30)]
    tree, other = _table(rows), _table([*rows[1:9], ["new", "row"], *rows[7::2]])
    expected = readoc_definition.tree_distance(tree, other)
    assert tree_distances(tree, [other, tree]) == pytest.approx([expected, 0.0], abs=1e-9)


def test_a_tree_of_one_node_has_a_distance_to_every_tree() -> None:
    leaf = TextTree.of([0], ["a"], ["x"], 1)
    chain = TextTree.of([0, 1, 2], ["b", "b", "a"], ["", "", "x"], 3)
    assert tree_distances(leaf, [chain, leaf]) == [2.0, 0.0]
    assert tree_distances(chain, [leaf, chain]) == [2.0, 0.0]
