"""What a benchmark prints and writes, and its exit code."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from benchmarks.harness.command import MeasurementError, Result, finish


def given(output: Path, *, as_json: bool = True) -> argparse.Namespace:
    return argparse.Namespace(json=as_json, output=output)


@pytest.mark.parametrize("code", [0, 1])
def test_a_result_is_printed_and_written_also_if_a_claim_does_not_hold(
    code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "result.json"
    assert finish(given(output), lambda: Result({"ratio": 2.0}, ["twice"], code)) == code
    assert json.loads(capsys.readouterr().out) == json.loads(output.read_text()) == {"ratio": 2.0}
    assert finish(given(output, as_json=False), lambda: Result({}, ["twice"], code)) == code
    assert capsys.readouterr().out == "twice\n"


def test_results_that_differ_are_not_written(tmp_path: Path) -> None:
    output = tmp_path / "result.json"
    assert finish(given(output), lambda: Result({}, [], 2)) == 2
    assert not output.exists()


def test_what_cannot_be_measured_is_one_line_and_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure() -> Result:
        raise MeasurementError("both sides differ")

    assert finish(given(tmp_path / "result.json"), measure) == 2
    assert capsys.readouterr() == ("", "benchmark: both sides differ\n")
