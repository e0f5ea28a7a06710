"""Heading trees in profile reference are compared as the released code does, by apted; all others exactly."""

from __future__ import annotations

import pytest
from apted import APTED, Config
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

import readoc_definition
from i2s_sdk.scoring.scorer import MetricValues, Scorable
from i2s_sdk.tasks.readoc.scorer import ReadocScorer
from i2s_sdk.tasks.readoc.trees import MAX_NODES, apted_distance, heading_tree
from i2s_sdk.text.tree_distance import TextTree, tree_distances
from i2s_wire.metrics.profile import Profile


class _Heading:
    def __init__(self, title: str, depth: int) -> None:
        self.title, self.depth, self.children = title, depth, []


class _Costs(Config):
    def rename(self, node1: _Heading, node2: _Heading) -> float:
        longer = max(len(node1.title), len(node2.title))
        return Levenshtein.distance(node1.title, node2.title) / longer if longer else 0.0


def _released(predicted: list[str], gold: list[str]) -> float:
    """The distance by apted's own classes, of trees that are built from the top as the benchmark does."""
    roots = []
    for headings in (predicted, gold):
        path = [_Heading("Root", 0)]
        for heading in headings:
            marks, title = heading.split(" ", 1)
            while path[-1].depth >= len(marks):
                path.pop()
            path[-1].children.append(_Heading(title, len(marks)))
            path.append(path[-1].children[-1])
        roots.append(path[0])
    return float(APTED(*roots, _Costs()).compute_edit_distance())


_HEADINGS = st.lists(
    st.builds("{} {}".format, st.sampled_from(("#", "##", "###")), st.text("abRt", min_size=1, max_size=4)),
    max_size=14,
)

#: Headings whose distance is 25/6, and 26/6 to apted, but not the other way round.
_PREDICTED = ["# b", "### abab", "# aba", "## ab"]
_GOLD = ["# bba", "### abb", "## ab", "### aaaa", "# aaba"]


@given(_HEADINGS, _HEADINGS)
@settings(max_examples=300)
def test_distances_of_headings_are_those_of_apted_to_the_last_digit(
    predicted: list[str], gold: list[str]
) -> None:
    assert apted_distance(heading_tree(predicted), heading_tree(gold)) == _released(predicted, gold)


@given(_HEADINGS, _HEADINGS)
def test_exact_distances_are_never_greater(predicted: list[str], gold: list[str]) -> None:
    tree, other = heading_tree(predicted), heading_tree(gold)
    exact = readoc_definition.tree_distance(tree, other)
    assert tree_distances(tree, [other]) == pytest.approx([exact])
    assert exact <= apted_distance(tree, other) + 1e-9


def test_apted_is_not_exact_and_depends_on_the_order() -> None:
    predicted, gold = heading_tree(_PREDICTED), heading_tree(_GOLD)
    assert apted_distance(predicted, gold) == pytest.approx(26 / 6)
    assert apted_distance(gold, predicted) == pytest.approx(25 / 6)
    assert tree_distances(predicted, [gold]) == pytest.approx([25 / 6])


def _heading_column(profile: Profile, predicted: list[str], gold: list[str]) -> float | None:
    found = ReadocScorer(profile).score(Scorable("a", "\n".join(predicted), target="\n".join(gold)))
    assert isinstance(found, MetricValues)
    return found.metrics["heading_tree"]


def test_the_column_follows_apted_in_profile_reference_alone() -> None:
    assert _heading_column(Profile.HELM, _PREDICTED, _GOLD) == 1 - _released(_PREDICTED, _GOLD) / 5
    assert _heading_column(Profile.PAPER, _PREDICTED, _GOLD) == pytest.approx(1 - 25 / 6 / 6)


def test_documents_of_very_many_headings_are_compared_exactly() -> None:
    predicted, gold = _PREDICTED * MAX_NODES, _GOLD
    trees = heading_tree(predicted), heading_tree(gold)
    with pytest.raises(ValueError, match=f"more than {MAX_NODES} nodes"):
        apted_distance(*trees)
    (exact,) = tree_distances(trees[1], [trees[0]])
    assert _heading_column(Profile.HELM, predicted, gold) == 1 - exact / len(predicted)


@st.composite
def _tables(draw: st.DrawFn) -> TextTree:
    depths, kinds, texts = [0], ["table"], [""]
    for _ in range(draw(st.integers(0, 4))):
        cells = draw(
            st.lists(st.tuples(st.sampled_from(("td", "th")), st.text("ab", max_size=4)), max_size=4)
        )
        depths += [1, *[2] * len(cells)]
        kinds += ["tr", *[kind for kind, _ in cells]]
        texts += ["", *[text for _, text in cells]]
    return TextTree.of(depths, kinds, texts, len(depths))


class _TableCosts(Config):
    def rename(self, node1: list[object], node2: list[object]) -> float:
        if node1[0] != node2[0]:
            return 1.0
        return Levenshtein.normalized_distance(str(node1[1]), str(node2[1]))

    def children(self, node: list[object]) -> list[object]:
        return node[2:]


def _as_lists(tree: TextTree) -> list[object]:
    below: list[tuple[int, list[object]]] = []
    for node, first in enumerate(tree.leftmost):
        children = [one for start, one in below if start >= first]
        below = [(start, one) for start, one in below if start < first]
        below.append((first, [tree.kinds[node], tree.texts[node], *children]))
    return below[0][1]


@given(_tables(), _tables())
def test_apted_is_exact_for_tables(tree: TextTree, other: TextTree) -> None:
    by_apted = APTED(_as_lists(tree), _as_lists(other), _TableCosts()).compute_edit_distance()
    assert tree_distances(tree, [other]) == pytest.approx([by_apted])
