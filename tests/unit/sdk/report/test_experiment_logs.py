"""Values of finished runs at services for experiments, through their own clients."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fake_hub import fake_hub
from i2s_sdk.cli.main import run
from i2s_sdk.cli.options import log_runs
from i2s_sdk.errors import StoreError, UsageError
from i2s_sdk.report.experiment_logs import Destination, ExperimentTracker, log_run, values_of
from i2s_sdk.run.storage.folder import read_run
from i2s_sdk.stats.aggregate import summarize_run
from run_folders import make_run


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    return make_run(tmp_path / "answers", 20, pictures=False)


def _values(finished: Path) -> dict[str, float]:
    return values_of(summarize_run(read_run(finished)))


def test_values_have_names_of_task_subset_and_metric(finished: Path) -> None:
    found = _values(finished)
    summary = summarize_run(read_run(finished))
    assert found["latex/ems"] == summary.tasks["latex"].values["ems"]
    assert found["samples/planned"] == 20
    assert {"latex/equation/ems", "latex/table/rendered", "latex/wild/ems", "webpage/css/ems"} <= found.keys()


@pytest.mark.parametrize("text", ["", "wandb", "wandb:", "hub:name", "hub:a/b/c", "elsewhere:name"])
def test_what_is_no_destination_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"there are wandb:\[ENTITY/\]PROJECT"):
        Destination.parse(text)


def test_a_missing_client_is_told_before_anything_is_done(
    monkeypatch: pytest.MonkeyPatch, finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("i2s_sdk.report.experiment_logs.find_spec", lambda name: None)
    assert run(["log-run", str(finished), "--to", "wandb:project"]) == 2
    assert capsys.readouterr().err.startswith("error: wandb needs the package wandb, which is missing: ")


def test_the_hub_has_results_and_options_in_a_private_data_set(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("huggingface_hub", reason="i2s-sdk[hub] is not installed")
    with fake_hub() as hub:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", hub.url)
        monkeypatch.setenv("HF_TOKEN", hub.token)
        log_run(finished, Destination.parse("hub:me/results"))
    files = {name: json.loads(content) for name, content in hub.files["me/results"].items()}
    assert files["runs/answers/results.json"]["planned"] == 20
    assert files["runs/answers/options.json"]["model"] == "model-a"
    assert hub.private == {"me/results": True}


def test_a_service_that_refuses_loses_no_run(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("huggingface_hub", reason="i2s-sdk[hub] is not installed")
    before = {path: path.read_bytes() for path in finished.rglob("*") if path.is_file()}
    with fake_hub() as hub:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", hub.url)
        monkeypatch.setenv("HF_TOKEN", "hf_wrong")
        assert (
            log_runs([finished], [Destination(ExperimentTracker.HUB, "me/results")]) == StoreError.exit_code
        )
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(f"the run is kept, try again with: i2s-sdk log-run {finished} --to hub:me/results")
    assert {path: path.read_bytes() for path in finished.rglob("*") if path.is_file()} == before


def test_mlflow_has_values_options_and_results(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # else it wants a database
    uri = (tmp_path / "store").as_uri()
    log_run(finished, Destination(ExperimentTracker.MLFLOW, uri))
    client = mlflow.MlflowClient(tracking_uri=uri)
    experiment = client.get_experiment_by_name("i2s")
    (found,) = client.search_runs([experiment.experiment_id])
    assert found.info.status == "FINISHED"
    assert found.data.metrics == pytest.approx(_values(finished))
    assert found.data.params["model"] == "model-a"
    assert [one.path for one in client.list_artifacts(found.info.run_id)] == ["results.json"]


def test_wandb_keeps_a_run_offline(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb", reason="wandb is not installed")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    where = Path(log_run(finished, Destination(ExperimentTracker.WANDB, "project")))
    (kept,) = where.parent.glob("*.wandb")
    content = kept.read_bytes()
    assert b"latex/equation/ems" in content
    assert b"model-a" in content
