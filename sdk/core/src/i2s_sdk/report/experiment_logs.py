"""Sends a finished run to Weights & Biases, MLflow or the Hub of Hugging Face.

Their own clients do it, with their own configuration: ``WANDB_API_KEY`` and ``WANDB_MODE=offline``,
``MLFLOW_TRACKING_TOKEN``, ``HF_TOKEN`` and ``HF_ENDPOINT``. Sent are the options of the run, its values, and
the file ``results.json``, and if that is wanted a table of the samples with their images; no facts about the
machine.
"""

from __future__ import annotations

import enum
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from i2s_sdk.errors import StoreError, UsageError
from i2s_sdk.run.storage.folder import StoredRun, read_run
from i2s_sdk.run.storage.interface import PathOrUrl
from i2s_sdk.run.storage.manifest import NOTE
from i2s_sdk.run.storage.record import Record
from i2s_sdk.stats.aggregate import Summary, results_document, summarize_run, task_columns
from i2s_wire.installation import install_command

#: Experiment of MLflow that runs are put into.
MLFLOW_EXPERIMENT = "i2s"

#: How often the client of MLflow repeats a request, unless MLFLOW_HTTP_REQUEST_MAX_RETRIES says otherwise.
#: Its own default, 7, takes four minutes if nothing answers.
MLFLOW_RETRIES = 3

_RESULTS = "results.json"

#: Name of the table of samples, and the folder of its images at MLflow, as MLflow's own client has it.
_SAMPLES, _MLFLOW_IMAGES = "samples", "table_images/samples"
_MOST_REASON = 300  # characters of what a client says


class ExperimentTracker(enum.StrEnum):
    """Where the numbers of runs are sent, as the beginning of a destination."""

    WANDB = "wandb"
    MLFLOW = "mlflow"
    HUB = "hub"


#: Module of the client of each service, and the extra of this package that installs it.
_CLIENTS = {
    ExperimentTracker.WANDB: ("wandb", "i2s-sdk[wandb]"),
    ExperimentTracker.MLFLOW: ("mlflow", "i2s-sdk[mlflow]"),
    ExperimentTracker.HUB: ("huggingface_hub", "i2s-sdk[hub]"),
}

FORMS = "wandb:[ENTITY/]PROJECT, mlflow:TRACKING_URI or hub:OWNER/NAME"


@dataclass(frozen=True, slots=True)
class Destination:
    """Where the numbers of a run are sent."""

    #: Which service.
    service: ExperimentTracker
    #: Project of Weights & Biases, tracking URI of MLflow, or data set of the Hub.
    name: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the destination that a text such as "wandb:my-project" names.

        Raises:
            UsageError: It names none, or the client of the service is not installed.
        """
        kind, _, name = text.partition(":")
        if (
            kind not in set(ExperimentTracker)
            or not name
            or (kind == ExperimentTracker.HUB and name.count("/") != 1)
        ):
            raise UsageError(f"{text!r} is no destination of runs; there are {FORMS}")
        module, extra = _CLIENTS[ExperimentTracker(kind)]
        if find_spec(module) is None:
            raise UsageError(f"{kind} needs the package {module}, which is missing: {install_command(extra)}")
        return cls(ExperimentTracker(kind), name)

    def __str__(self) -> str:
        return f"{self.service}:{self.name}"


def log_run(run: PathOrUrl, destination: Destination, *, samples: bool = False) -> str:
    """Send a finished run, and return where it is.

    Every call makes a new run at Weights & Biases and MLflow; on the Hub the files of a run with the same
    name are replaced.

    Args:
        run: Its folder, or its URL.
        destination: Where to send it.
        samples: Whether a table of the samples, with answers and images, is sent too.

    Raises:
        UsageError: It is not the folder of a run, or the Hub is to take samples.
        StoreError: The service refuses or does not answer. The run is unchanged.
    """
    if samples and destination.service is ExperimentTracker.HUB:
        raise UsageError(f"--samples sends tables to wandb and mlflow; leave it out for {destination}")
    stored = read_run(run)
    summary = summarize_run(stored)
    send: Callable[[StoredRun, Summary, str, Path | None], str] = {
        ExperimentTracker.WANDB: _send_to_wandb,
        ExperimentTracker.MLFLOW: _send_to_mlflow,
        ExperimentTracker.HUB: _send_to_hub,
    }[destination.service]
    try:
        with tempfile.TemporaryDirectory() as images:
            return send(stored, summary, destination.name, Path(images) if samples else None)
    except Exception as error:
        # The clients raise errors of their own, of their HTTP clients and of the system.
        said = " ".join(str(error).split())[:_MOST_REASON] or type(error).__name__
        raise StoreError(f"{destination} does not take the run {run}: {said}") from error


def values_of(summary: Summary) -> dict[str, float]:
    """Return the values of a run by names such as "latex/ems" and "latex/equation/ems".

    Values that are not defined are left out.
    """
    values: dict[str, float | None] = {
        "samples/planned": float(summary.planned),
        "samples/scored": float(summary.scored),
    }
    for task, result in summary.tasks.items():
        values.update({f"{task}/{name}": value for name, value in result.values.items()})
        values.update({f"{task}/{name}": float(count) for name, count in result.accounts.counts.items()})
        for group in (*result.subsets, *result.apart):
            values[f"{task}/{group.name}/rendered"] = group.share_rendered
            for name, means in group.metrics.items():
                values[f"{task}/{group.name}/{name}"] = means.all.value
    return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class SampleImage:
    """An image in a table of samples."""

    #: The file, named by the SHA-256 of its content.
    file: Path


Cell = str | float | None | SampleImage


@dataclass(frozen=True, slots=True)
class SampleTable:
    """The samples of a run, a row each, in the order of the data set."""

    columns: list[str]
    rows: list[list[Cell]]

    @classmethod
    def of(cls, stored: StoredRun, images: Path) -> Self:
        """Return the table of a run, with its images written into a folder."""
        records = stored.ordered()
        tasks = dict.fromkeys(record.instance.task for record in records)
        by_task = {task: task_columns(stored.manifest, task) for task in tasks}
        metrics = list(dict.fromkeys(name for own in by_task.values() for name in own.names))
        columns = ["id", "task", "subset", "difficulty", "outcome", "verdict", *metrics]
        rows: list[list[Cell]] = [
            [
                *_facts_of(record),
                *map(by_task[record.instance.task].of_sample(record).get, metrics),
                *_texts_of(stored.with_texts(record)),
                *_images_of(stored, record, images),
            ]
            for record in records
        ]
        return cls([*columns, "message", "answer", "reference", "rendering"], rows)


def _facts_of(record: Record) -> Iterator[str]:
    instance, verdict = record.instance, record.rendering.verdict
    yield from (instance.id, instance.task, instance.subset, instance.difficulty, str(record.outcome))
    yield verdict.name if verdict is not None else ""


def _texts_of(record: Record) -> Iterator[str]:
    failure = record.failure.message if record.failure is not None else ""
    for text in (failure or record.message, record.answer.completion or ""):
        yield text.encode("utf-8", "backslashreplace").decode()  # a lone surrogate has no bytes


def _images_of(stored: StoredRun, record: Record, folder: Path) -> Iterator[SampleImage | None]:
    for digest in (record.instance.reference_sha256, record.rendering.sha256):
        png = stored.image(digest) if digest else None
        if png is None:
            yield None
            continue
        file = folder / f"{digest}.png"
        file.write_bytes(png)
        yield SampleImage(file)


def _options_of(stored: StoredRun) -> dict[str, Any]:
    return stored.manifest.options.to_json()


def _name_of(stored: StoredRun) -> str:
    """Return the name of a run at a service that tells runs of one name apart."""
    return stored.manifest.label or _folder_of(stored)


def _folder_of(stored: StoredRun) -> str:
    return Path(str(stored.path)).name or stored.manifest.options.model


def _send_to_wandb(stored: StoredRun, summary: Summary, name: str, images: Path | None) -> str:
    import wandb

    entity, _, project = name.rpartition("/")
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / _RESULTS
        results.write_bytes(results_document(summary, stored.manifest))
        run = wandb.init(
            project=project,
            entity=entity or None,
            name=_name_of(stored),
            notes=stored.manifest.about.get(NOTE),
            config=_options_of(stored),
            settings=wandb.Settings(console="off", silent=True),
        )
        try:
            run.summary.update(values_of(summary))
            artifact = wandb.Artifact(f"results-{run.id}", type="results")
            artifact.add_file(str(results))
            run.log_artifact(artifact)
            if images is not None:
                samples = SampleTable.of(stored, images)
                rows = [
                    [wandb.Image(str(one.file)) if isinstance(one, SampleImage) else one for one in row]
                    for row in samples.rows
                ]
                run.log({_SAMPLES: wandb.Table(columns=samples.columns, data=rows)})
        finally:
            run.finish()
        return str(run.url or run.dir)


def _send_to_mlflow(stored: StoredRun, summary: Summary, uri: str, images: Path | None) -> str:
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", str(MLFLOW_RETRIES))
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=uri)
    experiment = client.get_experiment_by_name(MLFLOW_EXPERIMENT)
    identity = experiment.experiment_id if experiment else client.create_experiment(MLFLOW_EXPERIMENT)
    run = client.create_run(identity, run_name=_name_of(stored)).info.run_id
    try:
        for key, value in _options_of(stored).items():
            text = value if isinstance(value, str) else json.dumps(value)
            client.log_param(run, key, text)
        for key, number in values_of(summary).items():
            client.log_metric(run, key, number)
        client.log_text(run, results_document(summary, stored.manifest).decode(), _RESULTS)
        if note := stored.manifest.about.get(NOTE):
            client.set_tag(run, "mlflow.note.content", note)
        if images is not None:
            # What MLflow's log_table makes, which needs pandas and an image in each row.
            table = SampleTable.of(stored, images)
            document = {
                "columns": table.columns,
                "data": [[_mlflow_cell(one) for one in row] for row in table.rows],
            }
            client.log_artifacts(run, str(images), _MLFLOW_IMAGES)
            client.log_text(run, json.dumps(document), f"{_SAMPLES}.json")
            tables = [{"path": f"{_SAMPLES}.json", "type": "table"}]
            client.set_tag(run, "mlflow.loggedArtifacts", json.dumps(tables))
    except BaseException:
        client.set_terminated(run, status="FAILED")
        raise
    client.set_terminated(run)
    return f"run {run} of experiment {MLFLOW_EXPERIMENT}"


def _mlflow_cell(cell: Cell) -> object:
    if not isinstance(cell, SampleImage):
        return cell
    path = f"{_MLFLOW_IMAGES}/{cell.file.name}"
    return {"type": "image", "filepath": path, "compressed_filepath": path}


def _send_to_hub(stored: StoredRun, summary: Summary, name: str, images: Path | None) -> str:
    from huggingface_hub import CommitOperationAdd, HfApi

    files: Mapping[str, bytes] = {
        _RESULTS: results_document(summary, stored.manifest),
        "options.json": (json.dumps(_options_of(stored), indent=2) + "\n").encode(),
    }
    api = HfApi()
    api.create_repo(name, repo_type="dataset", private=True, exist_ok=True)
    run = _folder_of(stored)  # which replaces files of this name
    commit = api.create_commit(
        name,
        [CommitOperationAdd(f"runs/{run}/{file}", content) for file, content in files.items()],
        commit_message=f"Add the results of {run}",
        repo_type="dataset",
    )
    return str(commit.commit_url)
