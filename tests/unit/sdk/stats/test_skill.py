"""Runs between a baseline that looks at nothing and the ground truth."""

from __future__ import annotations

from dataclasses import replace

import pytest

from i2s_sdk.runlog.outcome import Outcome
from i2s_sdk.runlog.record import Record
from i2s_sdk.stats.skill import ScoredRun, Skill, is_reference_point, skill_of
from i2s_wire.render.rendering import Verdict


def record(name: str, value: float | None, subset: str = "equation") -> Record:
    return Record(name, "latex", subset, "", Outcome.SCORED, True, Verdict.RENDERED, metrics={"ems": value})


def run(model: str, *values: float | None) -> ScoredRun:
    return ScoredRun(model, model, {f"i{at}": record(f"i{at}", one) for at, one in enumerate(values)})


def found(*runs: ScoredRun) -> dict[str, Skill]:
    skills = (skill_of(one, [other for other in runs if other is not one], "latex", "ems") for one in runs)
    return {one.label: one for one in skills if one is not None}


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
    records = {**oracle.records, "i3": replace(oracle.records["i3"], reference_sha256="another")}
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
        "f": replace(record("f", 0.0), outcome=Outcome.METRIC_FAILURE),
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


def test_a_ceiling_that_is_no_higher_than_the_floor_says_nothing() -> None:
    (one,) = found(run("mine", 1.0, 1.0), run("baseline/blank", 1.0, 1.0), ORACLE).values()
    assert one.skill.value is None


@pytest.mark.parametrize(
    ("model", "is_one"),
    [("oracle", True), ("baseline/ocr", True), ("openai/oracle", False), ("replay:baseline/x", False)],
)
def test_reference_points_are_the_oracle_and_baselines(model: str, is_one: bool) -> None:
    assert is_reference_point(model) == is_one
