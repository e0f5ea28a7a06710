"""Runs between a baseline that looks at nothing and the ground truth."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from i2s_sdk.run.storage.record import Outcome, Record
from i2s_sdk.scoring.scorer import Aggregate, Metric
from i2s_sdk.stats.means import IntervalKind
from i2s_sdk.stats.skill import (
    ScoredRun,
    Skill,
    SkillColumn,
    SkillData,
    is_reference_point,
    mean_skill,
    skill_data,
    skill_of,
)
from i2s_wire.render.rendering import Verdict
from sample_records import changed, flat_record


def record(name: str, value: float | None, subset: str = "equation") -> Record:
    return flat_record(
        name,
        "latex",
        subset,
        "",
        outcome=Outcome.SCORED,
        usable=True,
        verdict=Verdict.RENDERED,
        metrics={"ems": value},
    )


def run(model: str, *values: float | None) -> ScoredRun:
    return ScoredRun(model, model, {f"i{at}": record(f"i{at}", value) for at, value in enumerate(values)})


EMS = SkillColumn("latex", (Metric("ems"),))


def found(*runs: ScoredRun, column: SkillColumn = EMS) -> dict[str, Skill]:
    data = (skill_data(one, [other for other in runs if other is not one], column) for one in runs)
    return {one.label: skill_of(one) for one in data if one is not None}


BLANK = run("baseline/blank", 0.6, 0.8)
CONSTANT = run("baseline/constant", 0.5, 0.7)
ORACLE = run("oracle", 1.0, 1.0)


def test_skill_is_the_share_of_the_way_from_the_best_floor_to_the_ceiling() -> None:
    (one,) = found(run("mine", 0.8, 0.9), BLANK, CONSTANT, ORACLE).values()
    assert (one.floor_model, one.ceiling) == ("baseline/blank", 1.0)
    assert one.floor == pytest.approx(0.7)
    assert one.skill.value == pytest.approx(0.5)
    assert one.skill.n == 2


def test_floors_and_the_oracle_have_none_and_other_baselines_have_one() -> None:
    runs = (run("mine", 0.8, 0.9), run("baseline/ocr", 0.1, 0.2), BLANK, CONSTANT, ORACLE)
    assert set(found(*runs)) == {"mine", "baseline/ocr"}
    assert (found(*runs)["baseline/ocr"].skill.value or 0) < 0


def test_without_a_floor_there_is_no_skill_and_without_the_oracle_the_ceiling_is_1() -> None:
    assert found(run("mine", 0.8, 0.9), ORACLE) == {}
    below = run("oracle", 0.9, 0.9)
    mine = run("mine", 0.8, 0.9)
    assert found(mine, BLANK)["mine"].skill.value == pytest.approx(0.5)
    assert found(mine, BLANK, below)["mine"].skill.value == pytest.approx(0.15 / 0.2)


def test_a_floor_that_lacks_an_instance_leaves_it_out_and_an_oracle_that_does_is_none() -> None:
    mine = run("mine", 0.8, 0.0, 0.9, 0.3)
    blank = run("baseline/blank", 0.6, None, 0.8, 0.1)
    oracle = ScoredRun("oracle", "oracle", dict(run("oracle", 1.0, 1.0, 1.0, 1.0).records))
    records = {**oracle.records, "i3": changed(oracle.records["i3"], reference_sha256="another")}
    (one,) = found(mine, blank, ScoredRun("oracle", "oracle", records)).values()
    assert (one.skill.n, one.ceiling) == (3, 1.0)
    assert one.skill.value == pytest.approx((2.0 - 1.5) / (3.0 - 1.5))


def test_a_floor_that_has_every_instance_goes_before_a_higher_one_that_has_not() -> None:
    (one,) = found(run("mine", 0.8, 0.9), run("baseline/shuffled", None, 0.9), CONSTANT).values()
    assert (one.floor_model, one.skill.n) == ("baseline/constant", 2)


def test_wild_subsets_and_samples_that_do_not_count_are_left_out() -> None:
    mine = run("mine", 0.8, 0.9)
    records = {
        **mine.records,
        "w": record("w", 0.0, "wild"),
        "f": changed(record("f", 0.0), outcome=Outcome.METRIC_FAILURE),
    }
    blank = {**BLANK.records, "w": record("w", 0.9, "wild"), "f": record("f", 0.9)}
    (one,) = found(
        ScoredRun("mine", "mine", records), ScoredRun("baseline/blank", "baseline/blank", blank)
    ).values()
    assert one.skill.n == 2


def test_the_interval_is_over_instances_and_narrows_with_them() -> None:
    def width(count: int) -> float:
        mine = run("mine", *(0.75 + 0.1 * (at % 2) for at in range(count)))
        blank = run("baseline/blank", *(0.6 for _ in range(count)))
        low, high = found(mine, blank)["mine"].skill.interval or (0.0, 0.0)
        assert low < (found(mine, blank)["mine"].skill.value or 0) < high
        return high - low

    assert width(200) < width(20) / 2


def test_fewer_than_five_instances_have_a_skill_without_interval() -> None:
    (one,) = found(run("mine", 0.8, 0.9, 0.7, 0.6), run("baseline/blank", 0.5, 0.6, 0.5, 0.5)).values()
    assert one.skill.value is not None
    assert (one.skill.interval, one.skill.interval_kind) == (None, IntervalKind.TOO_FEW)


def test_the_floor_of_an_instance_is_chosen_by_the_others() -> None:
    """Each baseline is the best by one instance alone, and is not the floor of that instance."""
    blank = run("baseline/blank", 0.9, 0.1, 0.1, 0.1, 0.1)
    constant = run("baseline/constant", 0.1, 0.2, 0.2, 0.2, 0.2)
    (one,) = found(run("mine", 0.5, 0.6, 0.7, 0.8, 0.9), blank, constant).values()
    assert one.floor == pytest.approx((0.1 + 4 * 0.1) / 5), "of the first constant, of the others blank"
    assert one.floor_model == "baseline/blank or baseline/constant"


def test_the_floor_is_that_of_the_best_baseline_if_one_is_clearly_the_best() -> None:
    low, high = run("baseline/blank", *[0.1] * 20), run("baseline/shuffled", *[0.4, 0.5] * 10)
    (one,) = found(run("mine", *[0.7, 0.8] * 10), low, high).values()
    assert (one.floor, one.floor_model) == (pytest.approx(0.45), "baseline/shuffled")


def test_the_choice_of_the_floor_does_not_lower_the_skill() -> None:
    """The highest of three baselines of the same mean is above it, and would take 0.02 off the skill."""
    rng = np.random.default_rng(4)
    skills = []
    for _ in range(100):
        floors = [run(f"baseline/{name}", *rng.beta(12, 8, 20)) for name in ("blank", "constant", "shuffled")]
        skills.append(found(run("mine", *[0.8] * 20), *floors)["mine"].skill.value or 0.0)
    assert np.mean(skills) == pytest.approx(0.5, abs=0.015)


def test_a_ceiling_that_is_no_higher_than_the_floor_says_nothing() -> None:
    (one,) = found(run("mine", 1.0, 1.0), run("baseline/blank", 1.0, 1.0), ORACLE).values()
    assert one.skill.value is None


def test_a_floor_of_another_target_is_none_and_one_of_an_earlier_version_is_one() -> None:
    def of(model: str, target: str, *values: float) -> ScoredRun:
        plain = run(model, *values)
        return replace(
            plain,
            records={name: changed(one, target_sha256=target) for name, one in plain.records.items()},
        )

    mine = of("mine", "t", 0.8, 0.9)
    assert found(mine, of("baseline/blank", "t", 0.6, 0.8))
    assert found(mine, of("baseline/blank", "", 0.6, 0.8))
    assert not found(mine, of("baseline/blank", "other", 0.6, 0.8))


def test_equal_samples_have_no_interval_of_no_width() -> None:
    (one,) = found(run("mine", 0.8, 0.8, 0.8), run("baseline/blank", 0.6, 0.6, 0.6)).values()
    assert one.skill.value == pytest.approx(0.5)
    assert (one.skill.interval, one.skill.interval_kind) == (None, IntervalKind.ALL_EQUAL)


def grouped(model: str, values: dict[str, dict[str, float]]) -> ScoredRun:
    """Return a run with values by subset and instance; the difficulty is the last word of the instance."""
    records = {
        name: changed(record(name, value, subset), difficulty=name.split()[-1])
        for subset, of_subset in values.items()
        for name, value in of_subset.items()
    }
    return ScoredRun(model, model, records)


def test_a_group_is_measured_by_the_floors_of_its_own_samples() -> None:
    both = {"equation": {"a easy": 0.8, "b hard": 0.6}, "table": {"c easy": 0.5, "d hard": 0.7}}
    mine = grouped("mine", both)
    blank = grouped("baseline/blank", {"equation": {"a easy": 0.6, "b hard": 0.2}})
    low = {"equation": {"a easy": 0.1, "b hard": 0.4}, "table": {"c easy": 0.4, "d hard": 0.4}}
    constant = grouped("baseline/constant", low)

    def of(by: Literal["subset", "difficulty"], group: str) -> Skill:
        return found(mine, blank, constant, column=replace(EMS, by=by, group=group))["mine"]

    equation, table = of("subset", "equation"), of("subset", "table")
    assert (equation.floor_model, equation.floor) == ("baseline/blank", pytest.approx(0.4))
    assert equation.skill.value == pytest.approx((0.7 - 0.4) / 0.6)
    assert (table.floor_model, table.skill.n) == ("baseline/constant", 2)
    assert table.skill.value == pytest.approx((0.6 - 0.4) / 0.6)
    easy = of("difficulty", "easy")
    assert (easy.floor_model, easy.floor) == ("baseline/constant", pytest.approx(0.25))
    assert not found(mine, blank, column=replace(EMS, by="subset", group="table"))


def test_a_wild_subset_has_a_skill_of_its_own_and_no_part_in_a_difficulty() -> None:
    mine, blank = (
        grouped(model, {"wild": {"w hard": value}, "equation": {"e hard": value / 2}})
        for model, value in (("mine", 0.8), ("baseline/blank", 0.4))
    )
    wild = found(mine, blank, column=replace(EMS, by="subset", group="wild"))["mine"]
    assert wild.value == pytest.approx(0.8)
    hard = found(mine, blank, column=replace(EMS, by="difficulty", group="hard"))["mine"]
    assert (hard.value, hard.skill.n) == (pytest.approx(0.4), 1)


def test_a_mean_of_columns_has_the_skill_of_its_value() -> None:
    """The value of a group is the mean of columns that have different numbers of samples."""
    column = SkillColumn("latex", (Metric("text"), Metric("formula")))

    def of(model: str, *values: tuple[float, float | None]) -> ScoredRun:
        records = {
            str(at): changed(record(str(at), None), metrics={"text": text, "formula": formula})
            for at, (text, formula) in enumerate(values)
        }
        return ScoredRun(model, model, records)

    mine = of("mine", *[(0.8, 0.9), (0.6, None), (0.4, 0.5)] * 20)
    blank = of("baseline/blank", *[(0.2, 0.1), (0.3, None), (0.1, 0.1)] * 20)
    (one,) = found(mine, blank, column=column).values()
    assert (one.value, one.floor) == (pytest.approx((0.6 + 0.7) / 2), pytest.approx((0.2 + 0.1) / 2))
    assert one.skill.value == pytest.approx((0.65 - 0.15) / 0.85)
    low, high = one.skill.interval or (0.0, 0.0)
    assert low < (one.skill.value or 0) < high


def test_a_pooled_ratio_has_the_skill_of_its_value() -> None:
    column = SkillColumn("latex", (Metric("fma", aggregate=Aggregate.POOLED),))

    def of(model: str, *parts: tuple[float, float]) -> ScoredRun:
        records = {
            str(at): changed(record(str(at), None), parts={"fma": part}) for at, part in enumerate(parts)
        }
        return ScoredRun(model, model, records)

    (one,) = found(
        of("mine", (3, 4), (8, 16)), of("baseline/constant", (1, 4), (4, 16)), column=column
    ).values()
    assert one.skill.value == pytest.approx((11 / 20 - 5 / 20) / (1 - 5 / 20))


def test_the_interval_of_a_mean_skill_is_about_that_of_a_plain_bootstrap_within_tasks() -> None:
    rng = np.random.default_rng(5)
    tasks, plain = [], []
    for n, low in ((400, 0.5), (250, 0.2)):
        floor = low + 0.1 * rng.random(n)
        value = floor + (1 - floor) * rng.beta(2, 3, n)
        ones = [((a, 1.0), (b, 1.0), (1.0, 1.0)) for a, b in zip(value, floor, strict=True)]
        tasks.append(
            SkillData("mine", "baseline/blank", "", tuple(((a,), (b,), (c,)) for a, b, c in ones), "ems")
        )
        drawn = (rng.integers(0, n, n) for _ in range(4000))
        plain.append([(value[at] - floor[at]).mean() / (1 - floor[at]).mean() for at in drawn])
    found = mean_skill(tasks)
    assert (found.n, found.interval_kind) == (2, IntervalKind.BAYESIAN_BOOTSTRAP)
    assert found.value == pytest.approx(sum(skill_of(task).skill.value or 0 for task in tasks) / 2)
    ends = np.quantile(np.mean(plain, axis=0), [0.025, 0.975])
    assert found.interval == pytest.approx(tuple(ends), abs=0.1 * (ends[1] - ends[0]))
    turned = [replace(task, rows=task.rows[::-1]) for task in reversed(tasks)]
    assert mean_skill(turned).interval == found.interval
    assert mean_skill(tasks[:1]).interval == skill_of(tasks[0]).skill.interval


def test_a_mean_over_a_task_without_skill_has_no_value() -> None:
    same = SkillData("mine", "baseline/blank", "", ((((1.0, 1.0),),) * 3,), "ems")
    assert mean_skill([same]).value is None
    assert mean_skill([]).value is None


@pytest.mark.parametrize(
    ("model", "is_one"),
    [("oracle", True), ("baseline/ocr", True), ("openai/oracle", False), ("replay:baseline/x", False)],
)
def test_reference_points_are_the_oracle_and_baselines(model: str, is_one: bool) -> None:
    assert is_reference_point(model) == is_one
