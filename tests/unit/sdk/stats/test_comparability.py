"""Which runs can be compared, and over which instances."""

from __future__ import annotations

from dataclasses import replace

import pytest

from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.stats.comparability import ComparedRun, comparability, same_rules
from run_folders import options
from sample_records import changed, flat_record


def run(label: str, *names: str, reference: str = "r", target: str = "", **changes: object) -> ComparedRun:
    records = {
        name: flat_record(
            name,
            "latex",
            "equation",
            "",
            outcome=Outcome.SCORED,
            reference_sha256=reference,
            target_sha256=target,
        )
        for name in names
    }
    planned = [PlannedInstance(name, "latex", "equation") for name in names]
    return ComparedRun(label, options(model=label, **changes), planned, records)


def test_values_are_compared_over_the_instances_that_all_have_scored() -> None:
    found = comparability([run("a", "1", "2", "3"), run("b", "2", "3", "4")], "latex")
    assert found.common == {"2", "3"}
    assert found.notes == (
        "Values of latex are over the 2 instances that all runs scored (a 3 of 3, b 3 of 3).",
    )
    assert not found.refusal


def test_an_instance_that_one_run_has_lost_is_none() -> None:
    lost = run("b", "1", "2")
    records = {**lost.records, "1": changed(lost.records["1"], outcome=Outcome.RENDER_FAILURE)}
    assert comparability([run("a", "1", "2"), replace(lost, records=records)], "latex").common == {"2"}


def test_instances_of_another_reference_are_others_whatever_their_ids() -> None:
    found = comparability([run("a", "1"), run("b", "1", reference="other")], "latex")
    assert found.refusal == "latex is not ranked: no instance was scored in all runs."
    assert found.common is None


def test_instances_of_another_target_are_others_whatever_their_pictures() -> None:
    found = comparability([run("a", "1", target="t"), run("b", "1", target="other")], "latex")
    assert found.refusal == "latex is not ranked: the targets of 1 instance differ."
    assert found.common is None
    more = run("b", "1", "2", target="t")
    moved = changed(more.records["1"], target_sha256="other")
    mixed = replace(more, records={**more.records, "1": moved})
    found = comparability([run("a", "1", "2", target="t"), mixed], "latex")
    assert found.common == {"2"}
    assert "Targets of 1 instance of latex differ between the runs; it is left out." in found.notes


def test_runs_without_digests_of_targets_are_compared_by_their_pictures() -> None:
    old, older = run("a", "1"), run("b", "1")
    assert comparability([old, older], "latex").common == {"1"}
    assert comparability([old, run("c", "1", target="t")], "latex").common == {"1"}
    assert comparability([old, run("c", "1", reference="other", target="t")], "latex").refusal
    # What a run of an earlier version can be compared with need not be comparable with each other.
    assert comparability([old, run("c", "1", target="t"), run("d", "1", target="other")], "latex").refusal


def test_targets_tell_instances_without_a_picture_apart_too() -> None:
    here = run("a", "1", reference="", target="t", data_sha256="x")
    assert comparability([here, run("b", "1", reference="", target="t", data_sha256="x")], "latex").common
    assert comparability([here, run("b", "1", reference="", target="u", data_sha256="x")], "latex").refusal


def test_instances_without_a_picture_are_told_apart_by_their_data_set() -> None:
    here = run("a", "1", reference="", data_sha256="x")
    assert comparability([here, run("b", "1", reference="", data_sha256="x")], "latex").common == {"1"}
    assert comparability([here, run("b", "1", reference="", data_sha256="y")], "latex").refusal


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"profile": "helm"}, "follow different profiles (paper: a; helm: b)"),
        ({"metrics": {"ems": "2"}}, "versions of ems differ (1: a; 2: b)"),
        ({"engines": {"render-latex": "e2"}}, "digests of the engine of render-latex differ (e1: a; e2: b)"),
    ],
)
def test_runs_by_other_rules_are_not_ranked_and_the_reason_is_one_line(
    changes: dict[str, object], reason: str
) -> None:
    other = run("b", "1", **changes)
    found = comparability([run("a", "1"), other], "latex")
    assert found.refusal.startswith("latex is not ranked: ")
    assert reason in found.refusal
    assert "\n" not in found.refusal
    assert not same_rules(options(), other.options, "latex")


def test_what_decides_nothing_of_a_task_does_not_matter() -> None:
    other = run("b", "1", engines={"render-latex": "e1", "render-html": "h"}, sdk="2", data_sha256="x")
    assert comparability([run("a", "1", engines={"render-latex": "e1"}), other], "latex").common == {"1"}


def test_other_prompts_and_versions_of_other_metrics_are_noted() -> None:
    other = run("b", "1", prompts={"latex": "q"}, metrics={"ems": "1", "ssim": "2"})
    found = comparability([run("a", "1", prompts={"latex": "p"}), other], "latex")
    assert not found.refusal
    assert found.notes == (
        "Prompts of latex differ (p: a; q: b).",
        "Versions of ssim differ (1: a; 2: b): its values cannot be compared.",
    )


def test_reference_points_decide_no_instances() -> None:
    point = replace(run("oracle", "1", engines={"render-latex": "old"}), is_reference_point=True)
    found = comparability([run("a", "1", "2"), run("b", "1", "2"), point], "latex")
    assert found.common == {"1", "2"}
    assert not found.refusal


def test_a_run_alone_keeps_its_instances() -> None:
    assert comparability([run("a", "1", "2")], "latex").common is None
