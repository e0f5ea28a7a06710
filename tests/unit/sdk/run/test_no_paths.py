"""What a run stores can be given to anybody: no file of it holds a path of the machine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from i2s_sdk.data import read_folder
from i2s_sdk.errors import UsageError
from i2s_sdk.report import write_report
from i2s_sdk.run.evaluate import evaluate
from i2s_sdk.run.export import export
from i2s_sdk.run.merge import merge
from i2s_sdk.run.stages import score_run
from i2s_sdk.run.storage.folder import path_remover, read_records
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.settings import Settings

ITEMS = Path(__file__).resolve().parents[4] / "examples" / "sobench"
SETTINGS = Settings(fail_on_error="100%")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that is in none of the other folders that have names of their own."""
    folder = tmp_path / "home" / "somebody"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return folder


@pytest.fixture
def data(home: Path) -> Path:
    return Path(shutil.copytree(ITEMS, home / "my-items"))


@pytest.fixture
def model(home: Path, data: Path) -> str:
    """Answers to half of the instances; the model fails at the others, with the path of its file."""
    answers = home / "answers.jsonl"
    ids = [instance.id for instance in read_folder(data).instances][::2]
    answers.write_text("".join(json.dumps({"id": one, "completion": "{}"}) + "\n" for one in ids))
    return f"replay:{answers}"


def _require_no_path(folder: Path, *places: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    for file in files:
        for place in places:
            assert str(place).encode() not in file.read_bytes(), file.relative_to(folder)


@pytest.mark.slow
def test_no_file_of_a_run_holds_a_path_of_the_machine(
    tmp_path: Path, home: Path, data: Path, model: str
) -> None:
    shards = [tmp_path / f"part-{index}" for index in (1, 2)]
    for index, out in enumerate(shards, start=1):
        evaluate(data, model, out=out, settings=SETTINGS, shard=f"{index}/2")
    merge(shards, tmp_path / "whole")
    write_report([tmp_path / "whole"], tmp_path / "report")
    (tmp_path / "exported").mkdir()
    for name in ("records.jsonl", "records.csv"):
        assert export(tmp_path / "whole", tmp_path / "exported" / name)
    failures = [record.failure for record in read_records(tmp_path / "whole").values() if record.failure]
    assert failures
    assert all("has no completion for" in failure.message for failure in failures)
    for folder in (*shards, *(tmp_path / name for name in ("whole", "report", "exported"))):
        _require_no_path(folder, tmp_path, home)


@pytest.mark.slow
def test_a_stage_finds_the_data_set_of_a_run_that_was_begun_on_this_machine(
    tmp_path: Path, data: Path, model: str
) -> None:
    run = tmp_path / "run"
    evaluate(data, model, out=run, settings=SETTINGS)
    manifest = json.loads((run / "manifest.json").read_text())
    assert manifest["about"]["data"] == data.name
    assert score_run(run, settings=SETTINGS).summary.planned == len(read_folder(data).instances)


@pytest.mark.slow
def test_a_stage_on_another_machine_asks_for_the_data_set(
    tmp_path: Path, home: Path, data: Path, model: str
) -> None:
    evaluate(data, model, out=tmp_path / "run", settings=SETTINGS)
    shutil.rmtree(home / ".cache" / "i2s" / "data-locations")
    with pytest.raises(UsageError, match=r"where the data set 'my-items' .* name it with --data"):
        score_run(tmp_path / "run", settings=SETTINGS)
    found = score_run(tmp_path / "run", data=data, settings=SETTINGS)
    assert Outcome.MODEL_FAILURE in {record.outcome for record in read_records(tmp_path / "run").values()}
    assert found.summary.planned


@pytest.mark.slow
def test_a_run_of_an_earlier_version_has_the_path_itself(tmp_path: Path, data: Path, model: str) -> None:
    run = tmp_path / "run"
    evaluate(data, model, out=run, settings=SETTINGS)
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["about"]["data"] = str(data)
    (run / "manifest.json").write_text(json.dumps(manifest))
    shutil.rmtree(data.parent / ".cache" / "i2s" / "data-locations")
    assert score_run(run, settings=SETTINGS).summary.planned


def test_folders_of_the_machine_are_replaced_by_what_they_are(tmp_path: Path, home: Path) -> None:
    remove = path_remover(tmp_path / "run")
    text = f"see {tmp_path}/run/logs/x.log, {home}/.cache/a: {home} and {home}s and /usr/bin/x{home}"
    assert remove(text) == f"see RUN/logs/x.log, ~/.cache/a: ~ and TMP{str(home)[4:]}s and /usr/bin/x{home}"
