"""The numbers of a run from its records."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.data import Instance
from i2s_sdk.run.storage.manifest import Manifest
from i2s_sdk.run.storage.record import Outcome, Record
from i2s_sdk.scoring.scorer import Metric
from i2s_sdk.stats.aggregate import aggregate, results_document, summarize
from i2s_sdk.stats.bootstrap import mean_interval
from i2s_sdk.stats.columns import Columns
from i2s_sdk.stats.means import IntervalKind, Mean, mean_share_interval, share_interval
from i2s_sdk.tasks.benchmark import Benchmark
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Verdict
from run_folders import options
from sample_records import changed, flat_record


def _instance(name: str, subset: str = "equation", difficulty: str = "easy") -> Instance:
    return Instance(name, "latex", subset, Path("a.png"), difficulty)


def _scored(
    name: str, ems: float | None, verdict: Verdict = Verdict.RENDERED, before: Verdict | None = None
) -> Record:
    return flat_record(
        name,
        "latex",
        "equation",
        "easy",
        outcome=Outcome.SCORED,
        usable=verdict.has_picture,
        verdict=verdict,
        verdict_before_repair=before or verdict,
        metrics={"ems": ems},
    )


def _aggregate(instances: list[Instance], records: list[Record], profile: Profile = Profile.PAPER):
    return aggregate(
        instances,
        {record.instance.id: record for record in records},
        {"latex": Columns((Metric("ems"),), mean_of_cells=True)},
        profile,
    )


def _plain(mean: Mean) -> tuple[float | None, int]:
    return mean.value, mean.n


def test_a_failed_rendering_counts_zero_in_one_mean_and_not_in_the_other() -> None:
    records = [_scored("a", 0.8), _scored("b", 0.0, Verdict.COMPILE_ERROR)]
    total = _aggregate([_instance("a"), _instance("b")], records).tasks["latex"].total
    assert _plain(total.metrics["ems"].all) == (0.4, 2)
    assert _plain(total.metrics["ems"].rendered) == (0.8, 1)
    assert total.share_rendered == 0.5


def test_a_completion_without_structure_counts_zero() -> None:
    nothing = flat_record(
        "b", "latex", "equation", "easy", outcome=Outcome.NO_STRUCTURE, metrics={"ems": 0.0}
    )
    total = _aggregate([_instance("a"), _instance("b")], [_scored("a", 1.0), nothing]).tasks["latex"].total
    assert _plain(total.metrics["ems"].all) == (0.5, 2)
    assert total.scored == 2


@pytest.mark.parametrize("outcome", [one for one in Outcome if not one.counts])
def test_a_failure_of_ours_is_no_zero_and_is_not_forgotten(outcome: Outcome) -> None:
    failed = flat_record("b", "latex", "equation", "easy", outcome=outcome)
    summary = _aggregate([_instance("a"), _instance("b")], [_scored("a", 0.8), failed])
    total = summary.tasks["latex"].total
    assert _plain(total.metrics["ems"].all) == (0.8, 1)
    assert (total.scored, total.planned, summary.failures) == (1, 2, 1)
    assert total.outcomes == {"scored": 1, str(outcome): 1}


def test_a_sample_without_record_is_cancelled() -> None:
    total = _aggregate([_instance("a"), _instance("b")], [_scored("a", 0.8)]).tasks["latex"].total
    assert total.outcomes == {"cancelled": 1, "scored": 1}


def test_a_metric_that_is_not_defined_for_a_pair_has_its_own_n() -> None:
    records = [_scored("a", 0.8), _scored("b", None)]
    total = _aggregate([_instance("a"), _instance("b")], records).tasks["latex"].total
    assert _plain(total.metrics["ems"].all) == (0.8, 1)
    assert total.rendered == 2


def test_success_before_repair_is_that_of_the_first_render() -> None:
    records = [_scored("a", 0.8), _scored("b", 0.7, before=Verdict.COMPILE_ERROR)]
    total = _aggregate([_instance("a"), _instance("b")], records).tasks["latex"].total
    assert (total.share_rendered_before_repair, total.share_rendered) == (0.5, 1.0)


def test_the_value_of_a_task_weighs_instances_in_paper_and_groups_in_helm() -> None:
    instances = [_instance("a"), _instance("b"), _instance("c"), _instance("d", difficulty="hard")]
    records = [_scored("a", 0.9), _scored("b", 0.9), _scored("c", 0.9), _scored("d", 0.1)]
    assert _aggregate(instances, records).tasks["latex"].values["ems"] == pytest.approx(0.7)
    helm = _aggregate(instances, records, Profile.HELM)
    assert helm.tasks["latex"].values["ems"] == pytest.approx(0.5)


def test_nothing_has_no_mean() -> None:
    total = _aggregate([_instance("a")], []).tasks["latex"].total
    assert _plain(total.metrics["ems"].all) == (None, 0)
    assert total.share_rendered is None


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from("xy")), min_size=1, max_size=30), st.randoms())
def test_the_order_of_records_changes_nothing(values: list[tuple[float, str]], chance: random.Random) -> None:
    instances = [_instance(str(number), subset) for number, (_, subset) in enumerate(values)]
    records = [_scored(str(number), ems) for number, (ems, _) in enumerate(values)]
    before = _aggregate(instances, records)
    chance.shuffle(records)
    assert _aggregate(instances, records) == before


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from("xyz")), min_size=1, max_size=30))
def test_subsets_add_up_to_the_task(values: list[tuple[float, str]]) -> None:
    instances = [_instance(str(number), subset) for number, (_, subset) in enumerate(values)]
    records = [_scored(str(number), ems) for number, (ems, _) in enumerate(values)]
    task = _aggregate(instances, records).tasks["latex"]
    assert sum(group.planned for group in task.subsets) == task.total.planned == len(values)
    weighted = sum((group.metrics["ems"].all.value or 0.0) * group.scored for group in task.subsets)
    assert weighted / len(values) == pytest.approx(task.total.metrics["ems"].all.value)


def test_means_have_the_interval_of_their_own_values() -> None:
    values = {"a": 0.8, "b": 0.0, "c": 0.6, "d": 0.7, "e": 0.9, "f": 0.6}
    records = [
        _scored(name, ems, Verdict.RENDERED if ems else Verdict.COMPILE_ERROR) for name, ems in values.items()
    ]
    total = _aggregate([_instance(name) for name in values], records).tasks["latex"].total
    assert total.metrics["ems"].all.interval == mean_interval([0.0, 0.6, 0.6, 0.7, 0.8, 0.9])
    assert total.metrics["ems"].rendered.interval == mean_interval([0.6, 0.6, 0.7, 0.8, 0.9])
    assert total.success.interval == share_interval(5, 6)
    assert total.success_before_repair.interval == share_interval(5, 6)
    kinds = (total.metrics["ems"].all.interval_kind, total.success.interval_kind)
    assert kinds == (IntervalKind.BAYESIAN_BOOTSTRAP, IntervalKind.WILSON)


def test_fewer_than_five_values_have_no_interval() -> None:
    records = [_scored(name, ems) for name, ems in zip("abcd", (0.2, 0.5, 0.6, 0.9), strict=True)]
    total = _aggregate([_instance(name) for name in "abcd"], records).tasks["latex"].total
    of_ems = total.metrics["ems"].all
    assert (of_ems.n, of_ems.interval, of_ems.interval_kind) == (4, None, IntervalKind.TOO_FEW)
    assert total.success.interval == share_interval(4, 4)


def test_the_mean_over_groups_in_helm_has_the_interval_of_its_groups() -> None:
    values = {"a easy": 0.9, "b easy": 0.8, "c hard": 0.3, "d hard": 0.5, "e hard": 0.1, "f medium": 0.6}
    instances = [_instance(name, difficulty=name.split()[1]) for name in values]
    records = [
        changed(_scored(instance.id, values[instance.id]), difficulty=instance.difficulty)
        for instance in instances
    ]
    latex = _aggregate(instances, records, Profile.HELM).tasks["latex"]
    low, high = latex.intervals["ems"] or (1.0, 0.0)
    assert latex.values["ems"] == pytest.approx((0.85 + 0.3 + 0.6) / 3)
    assert 0.2 < low < 0.45
    assert 0.7 < high < 0.9
    few = _aggregate(instances[:4], records[:4], Profile.HELM).tasks["latex"]
    assert (few.intervals["ems"], few.interval_kinds["ems"]) == (None, IntervalKind.TOO_FEW)


def test_a_mean_of_equal_values_has_no_interval_and_says_why() -> None:
    records = [_scored(name, 1.0) for name in "abcd"]
    total = _aggregate([_instance(name) for name in "abcd"], records).tasks["latex"].total
    assert total.metrics["ems"].all == Mean(1.0, 4, None, IntervalKind.ALL_EQUAL)
    assert total.success.interval == share_interval(4, 4) != (1.0, 1.0)
    one = _aggregate([_instance("a")], records[:1]).tasks["latex"].total
    assert one.metrics["ems"].all == Mean(1.0, 1, None, IntervalKind.TOO_FEW)
    assert one.success.interval == share_interval(1, 1)


def test_equal_values_in_each_group_are_named_in_helm() -> None:
    instances = [_instance("a"), _instance("b"), _instance("c", difficulty="hard")]
    records = [_scored("a", 0.9), _scored("b", 0.9), _scored("c", 0.4)]
    latex = _aggregate(instances, records, Profile.HELM).tasks["latex"]
    assert (latex.intervals["ems"], latex.interval_kinds["ems"]) == (None, IntervalKind.EQUAL_IN_GROUPS)
    same = _aggregate(instances[:2], records[:2], Profile.HELM).tasks["latex"]
    assert (same.intervals["ems"], same.interval_kinds["ems"]) == (None, IntervalKind.ALL_EQUAL)
    assert latex.intervals["rendered"] == mean_share_interval([(1, 1), (2, 2)])


def test_wild_subsets_stand_apart() -> None:
    instances = [_instance("a"), _instance("b", "wild"), _instance("c", "wild_legacy")]
    records = [_scored("a", 0.8), _scored("b", 0.2), _scored("c", 0.1)]
    for profile in Profile:
        summary = _aggregate(instances, records, profile)
        task = summary.tasks["latex"]
        assert (task.total.planned, task.values["ems"]) == (1, 0.8)
        assert [subset.name for subset in task.subsets] == ["equation"]
        assert [one.name for one in task.apart] == ["wild", "wild_legacy"]
        assert (summary.planned, summary.scored) == (3, 3)


def test_the_share_rendered_is_a_value_of_the_task() -> None:
    instances = [_instance("a"), _instance("b"), _instance("c"), _instance("d", difficulty="hard")]
    records = [
        _scored("a", 0.9),
        _scored("b", 0.9),
        _scored("c", 0.9),
        _scored("d", 0, Verdict.COMPILE_ERROR),
    ]
    assert _aggregate(instances, records).tasks["latex"].values["rendered"] == 0.75
    helm = _aggregate(instances, records, Profile.HELM).tasks["latex"]
    assert helm.values["rendered"] == 0.5
    assert helm.intervals["rendered"] == mean_share_interval([(0, 1), (3, 3)])
    assert helm.interval_kinds["rendered"] is IntervalKind.NEWCOMBE


_NAMES = st.tuples(st.sampled_from(("latex", "webpage")), st.sampled_from("xy"), st.sampled_from(("a", "b")))


@given(st.lists(st.tuples(st.floats(0, 1), _NAMES), min_size=1, max_size=20), st.randoms())
def test_results_of_a_data_set_in_another_order_are_the_same_bytes(
    values: list[tuple[float, tuple[str, str, str]]], chance: random.Random
) -> None:
    instances = [
        Instance(str(number), task, subset, Path("a.png"), difficulty)
        for number, (_, (task, subset, difficulty)) in enumerate(values)
    ]
    records = {
        one.id: changed(
            _scored(one.id, ems), task=one.task, subset=one.subset, cost=ems, completion="x", attempts=1
        )
        for one, (ems, _) in zip(instances, values, strict=True)
    }
    shuffled = chance.sample(instances, len(instances))
    missing = {"lpips": "no weights", "cis": "no weights", "edit of webpage": "no html2text"}
    other = dict(chance.sample(list(missing.items()), len(missing)))
    for profile in Profile:
        before = _document(instances, records, missing, profile)
        backwards = dict(reversed(records.items()))
        assert _document(shuffled, backwards, other, profile) == before


def _document(
    instances: list[Instance], records: dict[str, Record], unavailable: dict[str, str], profile: Profile
) -> bytes:
    manifest = Manifest(options(profile=profile), unavailable=unavailable)
    return results_document(summarize(manifest, instances, records), manifest)


def test_a_benchmark_has_the_mean_of_its_tasks_as_headline() -> None:
    instances = [
        replace(_instance(name), task=task) for name, task in zip("abc", ("x", "x", "y"), strict=True)
    ]
    records = {
        one.id: changed(_scored(one.id, value), task=one.task)
        for one, value in zip(instances, (0.0, 1.0, 1.0), strict=True)
    }
    columns = {task: Columns((Metric("ems"),)) for task in ("x", "y")}
    both = Benchmark("both", "Both", {"x": "ems", "y": "ems"})
    more = Benchmark("more", "More", {"x": "ems", "z": "ems"})
    found = aggregate(instances, records, columns, Profile.HELM, [both, more]).benchmarks
    assert found.keys() == {"both"}
    assert (found["both"].value, found["both"].n) == (0.75, 2)
    del records["c"]
    assert aggregate(instances, records, columns, Profile.HELM, [both]).benchmarks["both"].value is None


def test_profile_helm_takes_samples_of_a_task_that_has_no_cells() -> None:
    instances = [_instance("a", subset="x"), _instance("b", subset="y"), _instance("c", subset="y")]
    records = {one.id: _scored(one.id, value) for one, value in zip(instances, (0.0, 1.0, 1.0), strict=True)}
    means = [
        aggregate(instances, records, {"latex": Columns((Metric("ems"),), mean_of_cells=cells)}, Profile.HELM)
        for cells in (True, False)
    ]
    assert [mean.tasks["latex"].values["ems"] for mean in means] == [0.5, pytest.approx(2 / 3)]
