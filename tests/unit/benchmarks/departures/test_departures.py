"""The sizes of departures: the rules that are replaced are ours, and the page has what was measured."""

import json
from pathlib import Path

import pytest

from benchmarks.departures import aggregates, ems, sets
from benchmarks.departures.size import Count, Size, size
from i2s_metrics.functional.ems import HELM, PAPER, earth_mover_similarity
from i2s_metrics.images import equalise

ROOT = Path(__file__).resolve().parents[4]
RESULTS = json.loads((ROOT / "benchmarks/results/departures.json").read_text())
PAGE = (ROOT / "docs/departures.md").read_text()


def small_pairs():
    return [
        recorded_pair
        for recorded_pair in sets.recorded_pairs()
        if recorded_pair.prediction.size + recorded_pair.reference.size < 1_000_000
    ]


@pytest.mark.slow
def test_without_another_rule_the_value_is_that_of_the_metric():
    pairs = small_pairs()[:8]
    assert len(pairs) == 8
    expected = [
        earth_mover_similarity(*equalise(pair.prediction, pair.reference, pair.policy, 10**7), PAPER).value
        for pair in pairs
    ]
    assert ems.values(ems.BY_PAPER, pairs) == pytest.approx(expected, abs=1e-9)


def test_the_rules_of_helm_are_those_of_its_profile():
    pair = small_pairs()[0]
    helm = ems.Variant("", "helm", HELM, clips=False)
    images = equalise(pair.prediction, pair.reference, pair.policy, 10**7)
    expected = earth_mover_similarity(*images, HELM).value
    assert ems.values(helm, [pair]) == pytest.approx([expected], abs=1e-9)


def test_a_size_is_the_other_value_less_ours():
    found = size("point", "other", "set", "ems", [1.0, 0.5, 0.5], [0.9, 0.5, 0.50005])
    assert (found.total, found.changed) == (3, 1)
    assert found.cell() == "1 of 3, −0.100 to +0.000, median 0.000"
    assert size("point", "other", "set", "ems", [1.0], [1.0]).cell() == "none of 1"


def test_four_printed_win_rates_do_not_follow_from_the_rounded_columns():
    rates = [one for one in aggregates.measure() if "win rates" in one.point]
    assert [rate.numbers["do not follow"] for rate in rates] == [4, 3, 3]


def test_exchanged_images_are_never_compared_with_themselves():
    pairs = sets.exchanged("music", 3)
    assert len(pairs) == 33
    assert all(first != second for first, second in (pair.name.split(" for ") for pair in pairs))


def recorded_sizes():
    for part in RESULTS.values():
        for one in part["sizes"]:
            yield Size(**one) if "metric" in one else Count(**one)


def test_the_page_has_every_size_of_the_metrics_of_images():
    cells = [
        recorded_size.cell()
        for recorded_size in recorded_sizes()
        if isinstance(recorded_size, Size) and "exchanged" in recorded_size.of
    ]
    cells += [
        recorded_size.cell()
        for recorded_size in recorded_sizes()
        if isinstance(recorded_size, Size) and "pairs" in recorded_size.of
    ]
    assert len(cells) > 40
    assert [cell for cell in cells if cell not in PAGE] == []


def test_every_part_was_measured():
    assert set(RESULTS) == {"ems", "pictures", "texts", "aggregates", "latex", "music", "pages"}
