"""The numbers of the paper: spot values and sums, typed anew from its tables."""

from __future__ import annotations

import pytest

from i2s_sdk.report.published import published_table
from i2s_sdk.stats.leaderboard import Column, mean_win_rates
from i2s_sdk.tasks.registry import SPECS


@pytest.mark.parametrize(
    ("table", "model", "values"),
    [
        ("2", "GPT-4 Omni", [0.923, 0.807, 0.660, 0.980, 0.710, 0.491, 0.340]),
        ("2", "GPT-4 Vision", [0.577, 0.758, 0.598, 0.957, 0.653, 0.000, 0.000]),
        ("2", "IDEFICS-instruct (80B)", [0.115, 0.357, 0.240, 0.001, 0.001, 0.000, 0.000]),
        ("A2", "GPT-4o (2024-05-13)", [0.807, 0.660, 0.146, 0.745, 0.198, 0.568, 0.420]),
        ("A2", "LLaVA 1.6 (13B)", [0.345, 0.247, 0.004, 0.300, 0.128, 0.215, 0.097]),
        ("A3", "Claude 3.5 Sonnet (20240620)", [0.972, 0.724, 0.010, 0.822, 0.285, 0.781, 0.589]),
        ("A3", "Qwen-VL Chat", [0.031, 0.008, 0.000, 0.021, 0.017, 0.018, 0.000]),
        ("A4", "Gemini 1.0 Pro Vision", [0.583, 0.402, 0.000, 0.411, 0.284, 0.332]),
        ("A4", "LLaVA 1.5 (13B)", [0.040, 0.026, 0.000, 0.029, 0.019, 0.023]),
    ],
)
def test_rows_are_as_printed(table: str, model: str, values: list[float]) -> None:
    assert list(published_table(table).rows[model]) == values


#: Tasks whose tables are those of the paper of Image2Struct.
OURS = {spec.name: spec.published_table for spec in SPECS.values() if spec.published_table.startswith("A")}


@pytest.mark.parametrize("name", ["2", *OURS.values()])
def test_each_table_has_fourteen_models_and_whole_rows(name: str) -> None:
    table = published_table(name)
    assert len(table.rows) == 14
    assert {len(row) for row in table.rows.values()} == {len(table.columns)}
    assert all(0 <= value <= 1 for row in table.rows.values() for value in row)


@pytest.mark.parametrize(("task", "name"), OURS.items())
def test_the_overall_table_has_the_values_of_the_tables_of_tasks(task: str, name: str) -> None:
    overall, table = published_table("2"), published_table(name)
    for metric in ("rendered", "ems"):
        ours = sorted(overall.values(model)[f"{task} {metric}"] for model in overall.rows)
        theirs = sorted(table.values(model)[metric] for model in table.rows)
        # The paper itself gives one model 0.789 and 0.795, 0.499 and 0.502.
        assert ours == pytest.approx(theirs, abs=0.0061)


def test_printed_win_rates_are_those_of_the_printed_values_but_for_ties_of_rounding() -> None:
    table = published_table("2")
    columns = [
        Column(name, {model: table.values(model)[name] for model in table.rows}) for name in table.columns[1:]
    ]
    printed = {model: table.values(model)["win_rate"] for model in table.rows}
    assert sum(printed.values()) == pytest.approx(7.0, abs=0.002)
    found = mean_win_rates(list(table.rows), columns)
    tied = {"GPT-4 Vision", "Qwen-VL Chat", "IDEFICS-instruct (9B)", "IDEFICS-instruct (80B)"}
    for model, rate in printed.items():
        assert found[model] == pytest.approx(rate, abs=0.04 if model in tied else 0.0006), model


def test_the_source_is_named() -> None:
    assert "arXiv:2410.22456" in published_table("2").source


def test_the_tables_of_visualwebbench_have_the_columns_of_its_tasks() -> None:
    for spec in SPECS.values():
        if spec.published_table.startswith("visualwebbench"):
            table = published_table(spec.published_table).of_task(spec.name)
            assert table.columns == (spec.main_metric,)
            assert all(0 <= value <= 1 for row in table.rows.values() for value in row)
    (caption,) = published_table("visualwebbench").of_task("web_caption").rows["GPT-4V"]
    (point,) = published_table("visualwebbench grounding").of_task("action_ground_point").rows["CogAgent"]
    assert (caption, point) == (0.345, 0.584)


def test_the_means_of_visualwebbench_are_those_of_its_seven_columns() -> None:
    table = published_table("visualwebbench")
    assert len(table.columns) == 8
    for model, (*values, mean) in table.rows.items():
        assert sum(values) / 7 == pytest.approx(mean, abs=0.0006), model
    assert "arXiv:2404.05955" in table.source
    assert table.label == ""
    assert published_table("A2").label == "Table A2"


def test_tables_of_a_task_are_in_its_folder() -> None:
    for spec in SPECS.values():
        named = {spec.published_table, spec.human_table, *spec.subset_tables.values()} - {""}
        assert named <= spec.published.keys(), spec.name


def test_a_table_that_nobody_has_is_not_found() -> None:
    with pytest.raises(KeyError, match="A9"):
        published_table("A9")


@pytest.mark.parametrize("name", ["omnidocbench", "olmocrbench"])
def test_columns_that_are_measured_otherwise_are_named_below_the_table(name: str) -> None:
    table = published_table(name)
    assert "overall" in table.departs
    assert set(table.departs) < set(table.columns)
    (note,) = table.of_task(name).departure_notes
    assert all(column in note for column in table.departs)
    assert published_table("2").departure_notes == []


def test_rows_of_another_version_of_the_data_stand_in_a_table_of_their_own() -> None:
    table, newer = published_table("omnidocbench"), published_table("omnidocbench v1.6")
    assert not set(table.rows) & set(newer.rows)
    assert newer.data == ()
    assert len(newer.rows) == 5
    assert not any("v1.6" in row for row in table.rows)
