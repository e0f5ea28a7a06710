"""Evaluations with real services: the upper bound, bad answers, resume, interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from i2s_sdk import evaluate
from i2s_sdk.data import read_folder
from i2s_sdk.errors import RunConflictError, UsageError
from i2s_sdk.run.storage.folder import RECORDS, read_records
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.settings import Settings
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Verdict

pytestmark = pytest.mark.integration

evaluate_latex = partial(evaluate, tasks=["latex"])


@pytest.fixture(scope="module")
def oracle(running: Settings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("oracle") / "run"
    evaluate_latex(model="oracle", out=folder, settings=running)
    return folder


def _answers(path: Path, answers: dict[str, str | None]) -> str:
    lines = [json.dumps({"id": name, "completion": text}) for name, text in answers.items()]
    path.write_text("\n".join(lines) + "\n")
    return f"replay:{path}"


def test_the_ground_truth_has_the_best_score_everywhere(oracle: Path, running: Settings) -> None:
    assert running.examples is not None
    instances = [instance for instance in read_folder(running.examples).instances if instance.task == "latex"]
    records = read_records(oracle)
    assert set(records) == {instance.id for instance in instances}
    for record in records.values():
        assert (record.outcome, record.rendering.verdict) == (Outcome.SCORED, Verdict.RENDERED), (
            record.instance.id
        )
        assert record.rendering.repairs == (), record.instance.id
        assert record.score.metrics["ems"] == pytest.approx(1.0, abs=1e-6), record.instance.id
        assert record.score.metrics["edit"] == 1.0, record.instance.id


def test_pictures_lie_under_the_digest_of_their_content(oracle: Path) -> None:
    import hashlib

    for record in read_records(oracle).values():
        for digest in (record.instance.reference_sha256, record.rendering.sha256):
            png = (oracle / "pictures" / digest[:2] / f"{digest}.png").read_bytes()
            assert hashlib.sha256(png).hexdigest() == digest


def test_a_finished_run_is_told_again_without_any_service(oracle: Path, running: Settings) -> None:
    before = (oracle / RECORDS).read_bytes()
    nobody = replace(running, render_latex="127.0.0.1:1", metrics="127.0.0.1:1", start_seconds=0.1)
    result = evaluate_latex(model="oracle", out=oracle, settings=nobody)
    assert result.covered
    assert result.summary.scored == result.summary.planned
    assert (oracle / RECORDS).read_bytes() == before


@pytest.mark.parametrize(
    ("change", "named"), [({"profile": Profile.HELM}, "profile: paper"), ({"limit": 3}, "limit: none")]
)
def test_other_options_in_the_same_folder_are_refused_by_name(
    change: dict[str, object], named: str, oracle: Path, running: Settings
) -> None:
    with pytest.raises(RunConflictError, match=named):
        evaluate_latex(model="oracle", out=oracle, settings=running, **change)


def test_a_folder_of_something_else_is_refused(tmp_path: Path, running: Settings) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(UsageError, match=r"thesis\.tex"):
        evaluate_latex(model="oracle", out=tmp_path, settings=running)
    assert [path.name for path in tmp_path.iterdir() if path.name != ".lock"] == ["thesis.tex"]


def test_every_kind_of_answer_has_its_outcome(tmp_path: Path, running_as_installed: Settings) -> None:
    model = _answers(
        tmp_path / "answers.jsonl",
        {
            "equation-gaussian-posterior": "```latex\n\\begin{equation}x^2\\end{equation}\n```",
            "equation-evidence-bound": "",
            "equation-block-inverse": "x^2",
            "equation-clipped-objective": "\\undefinedcommandofnobody",
            "table-sampling-steps": None,
        },
    )
    result = evaluate_latex(model=model, out=tmp_path / "run", limit=6, settings=running_as_installed)
    records = read_records(tmp_path / "run")
    outcomes = {name: (record.outcome, record.rendering.verdict) for name, record in records.items()}
    assert outcomes == {
        "equation-gaussian-posterior": (Outcome.SCORED, Verdict.RENDERED),
        "equation-evidence-bound": (Outcome.NO_STRUCTURE, None),
        "equation-block-inverse": (Outcome.SCORED, Verdict.RENDERED),
        "equation-clipped-objective": (Outcome.SCORED, Verdict.COMPILE_ERROR),
        "table-sampling-steps": (Outcome.MODEL_FAILURE, None),
        "table-hyperparameters": (Outcome.MODEL_FAILURE, None),
    }
    repaired = records["equation-block-inverse"]
    assert repaired.rendering.verdict_before_repair is Verdict.COMPILE_ERROR
    assert [note.kind for note in repaired.rendering.repairs] == ["wrap_math"]
    assert 0.0 < repaired.score.metrics["ems"] < 1.0
    refused = records["equation-clipped-objective"]
    assert refused.score.metrics.keys() - {"lpips", "cis"} == {
        *("ems", "ems_scaled", "pixel", "exact", "ssim", "ssim_scaled"),
        *("edit", "edit_tex", "edit_normal", "glyph_f1", "cdm"),
    }  # as weights are here
    assert set(refused.score.metrics.values()) == {0.0}
    assert refused.rendering.error is not None
    assert refused.rendering.error.kind == "UNDEFINED_COMMAND"

    total = result.summary.tasks["latex"].total
    assert (total.planned, total.scored, total.rendered, total.rendered_before_repair) == (6, 4, 2, 1)
    assert total.metrics["ems"].all.n == 4
    assert total.metrics["ems"].rendered.n == 2
    assert not result.covered


def test_a_failure_of_ours_is_tried_again_and_nothing_else(tmp_path: Path, running: Settings) -> None:
    answers = tmp_path / "answers.jsonl"
    known = {"equation-gaussian-posterior": "$x$"}
    first = evaluate_latex(model=_answers(answers, known), out=tmp_path / "run", limit=2, settings=running)
    assert first.summary.scored == 1
    again = evaluate_latex(model=_answers(answers, known), out=tmp_path / "run", limit=2, settings=running)
    assert again.summary == first.summary
    ids = [json.loads(line)["id"] for line in (tmp_path / "run" / RECORDS).read_text().splitlines()]
    assert ids.count("equation-gaussian-posterior") == 1
    assert ids.count("equation-evidence-bound") == 2


def test_a_run_of_records_replays_to_the_same_numbers(
    oracle: Path, tmp_path: Path, running: Settings
) -> None:
    result = evaluate_latex(model=f"replay:{oracle / RECORDS}", out=tmp_path / "run", settings=running)
    ours, theirs = read_records(tmp_path / "run"), read_records(oracle)
    assert result.covered
    for name, record in ours.items():
        assert record.score.metrics == theirs[name].score.metrics
        assert record.rendering.sha256 == theirs[name].rendering.sha256


@pytest.mark.parametrize(
    ("number", "shell"),
    [
        (signal.SIGINT, ()),
        pytest.param(
            *(signal.SIGTERM, ()),
            marks=pytest.mark.nightly(instead="SIGTERM below a shell, which differs for SIGINT alone"),
        ),
        (signal.SIGTERM, ("sh", "-c", "trap '' INT; exec \"$@\"", "sh")),  # as shells start what runs beside
    ],
)
def test_an_interrupted_run_keeps_what_is_finished_and_goes_on(
    number: signal.Signals,
    shell: tuple[str, ...],
    oracle: Path,
    tmp_path: Path,
    endpoints: dict[str, str],
) -> None:
    run = tmp_path / "run"
    command = [
        sys.executable,
        "-m",
        "i2s_sdk.cli",
        "evaluate",
        "--task",
        "latex",
        "--out",
        str(run),
        "--jobs",
        "1",
        "--json",
    ]
    environment = {**os.environ, **endpoints}
    with subprocess.Popen(
        [*shell, *command], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as first:
        records = run / RECORDS
        while first.poll() is None and not (records.exists() and records.read_bytes().count(b"\n") >= 2):
            time.sleep(0.01)  # a look, not a wait for something
        first.send_signal(number)
        _, said = first.communicate(timeout=60)
    assert first.returncode == 130, said
    assert "interrupted" in said
    kept = records.read_bytes()
    assert 2 <= kept.count(b"\n") < 17

    second = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    assert records.read_bytes().startswith(kept)
    assert records.read_bytes().count(b"\n") == 17
    assert json.loads(second.stdout)["scored"] == 17
    for name, record in read_records(run).items():
        assert record.score.metrics == read_records(oracle)[name].score.metrics


def test_killed_and_started_again_gives_the_same_numbers(
    oracle: Path, tmp_path: Path, endpoints: dict[str, str]
) -> None:
    run = tmp_path / "run"
    command = [
        sys.executable,
        "-m",
        "i2s_sdk.cli",
        "evaluate",
        "--task",
        "latex",
        "--out",
        str(run),
        "--json",
    ]
    environment = {**os.environ, **endpoints}
    records = run / RECORDS
    for wanted in (1, 5, 11):
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as one:
            while one.poll() is None and not (
                records.exists() and records.read_bytes().count(b"\n") >= wanted
            ):
                time.sleep(0.01)  # a look, not a wait for something
            one.kill()
    subprocess.run(command, env=environment, capture_output=True, check=True, timeout=300)
    ids = [json.loads(line)["id"] for line in records.read_text().splitlines()]
    assert len(ids) == len(set(ids)) == 17
    assert (run / "results.json").read_bytes() == (oracle / "results.json").read_bytes()
