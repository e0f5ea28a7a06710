"""Repeated runs of one model."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.cli.main import group
from i2s_sdk.errors import UsageError
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.report.analyses import repeated_runs
from i2s_sdk.run.evaluate import repeated_models
from i2s_sdk.run.storage.record import Outcome, Record
from i2s_sdk.stats.aggregate import RENDERED
from i2s_sdk.stats.repeats import pass_at_k, repeats
from run_folders import make_run
from sample_records import changed, flat_record


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_is_the_share_of_choices_with_one_that_passes(case: tuple[int, int, int]) -> None:
    answers, passed, k = case
    choices = list(itertools.combinations([True] * passed + [False] * (answers - passed), k))
    assert pass_at_k(passed, answers, k) == pytest.approx(sum(map(any, choices)) / len(choices))


def run(**values: float | None) -> dict[str, Record]:
    return {
        name: flat_record(
            name, "latex", "equation", "", outcome=Outcome.SCORED, usable=bool(value), metrics={"ems": value}
        )
        for name, value in values.items()
    }


def test_variance_is_parted_into_that_of_answers_and_that_of_instances() -> None:
    found = repeats([run(a=0.2, b=0.8), run(a=0.4, b=0.6)], "latex", "ems", 0.5)
    assert found is not None
    assert found.mean.value == pytest.approx(0.5)
    assert found.within == pytest.approx(0.02)  # each instance: variance of two values 0.2 apart
    assert found.between == pytest.approx(0.08 - 0.02 / 2)  # of 0.3 and 0.7, less half of the other
    assert [found.pass_at[k].value for k in (1, 2)] == [0.5, 0.5]


def test_only_instances_that_all_runs_have_scored_count() -> None:
    first, second = run(a=0.2, b=0.8, c=0.1), run(a=0.4, b=None)
    found = repeats([first, second], "latex", "ems")
    assert found is not None
    assert found.mean.n == 1
    assert found.pass_at == {}
    assert found.between is None
    assert repeats([run(x=0.1), run(y=0.1)], "latex", "ems") is None


def test_usable_answers_pass_without_a_threshold() -> None:
    found = repeats([run(a=0.0, b=0.5), run(a=0.3, b=0.5)], "latex", RENDERED)
    assert found is not None
    assert [found.pass_at[k].value for k in (1, 2)] == [0.75, 1.0]


def test_the_command_prints_every_metric(tmp_path: Path) -> None:
    runs = [str(make_run(tmp_path / salt, 60, salt=salt, pictures=False)) for salt in "ab"]
    shown = CliRunner().invoke(group, ["repeats", *runs, "--threshold", "0.5"])
    assert shown.exit_code == 0, shown.output
    assert "pass@2" in shown.stdout
    metrics = {(repeated_run.task, repeated_run.metric) for repeated_run in repeated_runs(runs)}
    assert ("latex", "ems") in metrics
    assert ("music", RENDERED) in metrics


def test_one_run_or_runs_by_other_rules_are_refused(tmp_path: Path) -> None:
    one = make_run(tmp_path / "a", 20, pictures=False)
    with pytest.raises(UsageError, match="two or more"):
        repeated_runs([one])
    with pytest.raises(UsageError, match="these are of model-a, model-b"):
        repeated_runs([one, make_run(tmp_path / "c", 20, pictures=False, model="model-b")])
    again = make_run(tmp_path / "d", 20, pictures=False, model="model-a (repeat 2)")
    assert repeated_runs([one, again])
    with pytest.raises(UsageError, match="different profiles"):
        repeated_runs([one, make_run(tmp_path / "b", 20, pictures=False, profile="helm")])


def test_repeats_have_names_and_answers_of_their_own() -> None:
    options = ModelOptions(base_url="http://127.0.0.1:9/v1", temperature=0.7)
    first, second = repeated_models(["openai/m"], options, 2)
    assert [first.name, second.name] == ["openai/m", "openai/m (repeat 2)"]
    assert first.fingerprint != second.fingerprint


def test_repeats_that_would_be_equal_are_refused() -> None:
    with pytest.raises(UsageError, match="--temperature"):
        repeated_models(["openai/m"], ModelOptions(base_url="http://127.0.0.1:9/v1"), 2)
    with pytest.raises(UsageError, match="oracle gives the same answers"):
        repeated_models(["oracle"], ModelOptions(temperature=0.7), 2)


@pytest.mark.parametrize("words", [["--dry-run"], ["--predictions", "outputs"]])
def test_repeats_where_nothing_is_repeated_are_refused(words: list[str]) -> None:
    ended = CliRunner().invoke(group, ["evaluate", "--repeats", "2", *words])
    assert isinstance(ended.exception, UsageError)
    assert "--repeats" in ended.exception.message


def test_an_instance_with_another_target_in_a_run_is_left_out() -> None:
    one, other = run(a=0.5, b=0.7), run(a=0.6, b=0.9)
    moved = {"a": changed(other["a"], target_sha256="t")}
    both = [{**one, "a": changed(one["a"], target_sha256="s")}, {**other, **moved}]
    found = repeats(both, "latex", "ems")
    assert found is not None
    assert found.mean.value == pytest.approx(0.8)
