"""Values of finished runs at services for experiments, through their own clients."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from documentation_pages import commands, section
from fake_hub import fake_hub
from i2s_sdk.cli.main import run
from i2s_sdk.cli.options import log_runs
from i2s_sdk.errors import StoreError, UsageError
from i2s_sdk.report.experiment_logs import (
    Destination,
    ExperimentTracker,
    SampleImage,
    SampleTable,
    log_run,
    values_of,
)
from i2s_sdk.run.storage.folder import RunFolder, read_run
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
    assert [artifact.path for artifact in client.list_artifacts(found.info.run_id)] == ["results.json"]


def test_wandb_keeps_a_run_offline(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb", reason="wandb is not installed")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    where = Path(log_run(finished, Destination(ExperimentTracker.WANDB, "project")))
    (kept,) = where.parent.glob("*.wandb")
    content = kept.read_bytes()
    assert b"latex/equation/ems" in content
    assert b"model-a" in content


@pytest.fixture
def with_images(tmp_path: Path) -> Path:
    run = make_run(tmp_path / "with-images", 10)
    with RunFolder.open(run) as folder:
        folder.tell({"label": "short", "note": "before the change"})
    return run


def test_a_table_has_a_row_for_each_sample_with_its_values_its_answer_and_its_images(
    with_images: Path, tmp_path: Path
) -> None:
    table = SampleTable.of(read_run(with_images), tmp_path)
    assert len(table.rows) == 10
    first = dict(zip(table.columns, table.rows[0], strict=True))
    assert (first["id"], first["answer"]) == ("equation-0000", "answer equation-0000")
    records = read_run(with_images).ordered()
    values = [row[table.columns.index("ems")] for row in table.rows]
    assert values == [record.score.metrics.get("ems") for record in records]
    record = records[0]
    assert first["reference"] == SampleImage(tmp_path / f"{record.instance.reference_sha256}.png")
    assert all(one.file.read_bytes() for row in table.rows for one in row if isinstance(one, SampleImage))


def test_mlflow_has_a_table_of_samples_as_its_own_client_makes_one(
    with_images: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    uri = (tmp_path / "store").as_uri()
    log_run(with_images, Destination(ExperimentTracker.MLFLOW, uri), samples=True)
    client = mlflow.MlflowClient(tracking_uri=uri)
    (found,) = client.search_runs([client.get_experiment_by_name("i2s").experiment_id])
    assert (found.info.run_name, found.data.tags["mlflow.note.content"]) == ("short", "before the change")
    assert json.loads(found.data.tags["mlflow.loggedArtifacts"]) == [
        {"path": "samples.json", "type": "table"}
    ]
    table = json.loads(Path(client.download_artifacts(found.info.run_id, "samples.json")).read_text())
    image = table["data"][0][table["columns"].index("reference")]["filepath"]
    assert Path(client.download_artifacts(found.info.run_id, image)).read_bytes().startswith(b"\x89PNG")


def test_wandb_has_a_table_of_samples(
    with_images: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("wandb", reason="wandb is not installed")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.setenv("WANDB_DATA_DIR", str(tmp_path / "data"))
    log_run(with_images, Destination(ExperimentTracker.WANDB, "project"), samples=True)
    staged = [path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()]
    table = next(json.loads(one) for one in staged if one.startswith(b'{"_type": "table"'))
    reference = table["columns"].index("reference")
    assert [row[reference]["_type"] for row in table["data"]] == ["image-file"] * 10
    digests = {hashlib.sha256(one).hexdigest() for one in staged}
    assert {record.instance.reference_sha256 for record in read_run(with_images).ordered()} <= digests


class RecordedCalls:
    """Stands for a client that is not installed, and keeps what it was called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[object, ...]]] = []

    def __getattr__(self, name: str) -> Callable[..., SimpleNamespace]:
        def call(*given: object, **named: object) -> SimpleNamespace:
            self.calls.append((name, (*given, *named.values())))
            ids = SimpleNamespace(run_id="r1")
            return SimpleNamespace(info=ids, experiment_id="e1")

        return call


def test_the_documented_command_sends_mlflow_a_table_of_samples(
    with_images: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = RecordedCalls()
    monkeypatch.setitem(sys.modules, "mlflow", SimpleNamespace(MlflowClient=lambda tracking_uri: client))
    monkeypatch.setattr("i2s_sdk.report.experiment_logs.find_spec", lambda name: name)
    page = section("integrations.md", "Weights & Biases, MLflow and the Hub of Hugging Face")
    (line,) = commands(page)
    words = line.removeprefix("i2s-sdk").replace("runs/answers", str(with_images)).split()
    assert words.pop() == "--samples"
    assert run(words) == 0
    assert "log_artifacts" not in [name for name, _ in client.calls]  # samples are sent if they are wanted
    client.calls.clear()
    assert run([*words, "--samples"]) == 0
    texts = {given[2]: given[1] for name, given in client.calls if name == "log_text"}
    table = json.loads(str(texts["samples.json"]))
    assert len(table["data"]) == 10
    (artifacts,) = (given for name, given in client.calls if name == "log_artifacts")
    assert artifacts[2] == "table_images/samples"


def test_the_hub_takes_no_samples(with_images: Path) -> None:
    with pytest.raises(UsageError, match="--samples sends tables to wandb and mlflow"):
        log_run(with_images, Destination(ExperimentTracker.HUB, "me/results"), samples=True)
