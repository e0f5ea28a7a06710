"""The bundled examples have the results, records, exports and manifests that are recorded."""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from current_recordings import compare_json, compare_lines, condensed, recorded
from i2s_sdk import evaluate, export
from i2s_sdk.run.storage.folder import ANSWERS, MANIFEST, RECORDS, RENDERINGS, RESULTS
from i2s_sdk.run.storage.manifest import INSTANCES
from i2s_sdk.settings import Settings
from i2s_wire.metrics.profile import Profile
from kept_services import kept_services

pytestmark = [pytest.mark.integration, pytest.mark.timeout(1200)]

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
SERVICES = ("render-latex", "render-html", "render-lilypond", "render-python", "metrics", "documents")
#: Models by the name in the recording.
MODELS = {
    "oracle": "oracle",
    "baseline": "baseline/ocr",
    "replay": f"replay:{EXAMPLES}/try/replay.jsonl",
    "shuffled": "baseline/shuffled",
}
#: The baseline makes large images whose similarity takes seconds: a few of its samples stand for all.
FEW = ("equation-evidence-bound", "webpage-css-reading-list", "music-melody")
#: Models of each data set; of those without recorded answers, the answers of other instances.
DATA_SETS = {
    ".": ("oracle", "replay", "baseline"),
    **dict.fromkeys(("charts", "readoc", "scimage", "sobench", "visualwebbench"), ("oracle", "shuffled")),
}
#: What the version of an engine decides, and with it the values.
OF_RENDERINGS = ("rendering_sha256", "width", "height", "metrics", "undefined", "detail", "parts", "exported")
LONG = pytest.mark.nightly(instead="the other models, in both profiles")
#: Columns of an export that differ between two runs.
VOLATILE = ("engine_digest", "isolation", "seconds_generate", "seconds_render", "seconds_score", "log")


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings that name every service; the metric service has no weights of networks."""
    nowhere = {name: str(tmp_path_factory.mktemp("none")) for name in ("XDG_CACHE_HOME", "TORCH_HOME")}
    with kept_services(tmp_path_factory.mktemp("logs"), {**os.environ, **nowhere}, SERVICES) as settings:
        yield replace(settings, fail_on_error="100%")


def _cases() -> Iterator[tuple[str, str, Profile]]:
    for data, models in DATA_SETS.items():
        for model in models:
            for profile in Profile:
                yield data, model, profile


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def manifest_of(run: Path) -> dict[str, Any]:
    """Return the manifest of a run with types in place of what this machine decides."""
    manifest: dict[str, Any] = json.loads((run / MANIFEST).read_text(encoding="utf-8"))
    manifest["about"] = sorted(manifest["about"])
    manifest["options"]["engines"] = sorted(manifest["options"]["engines"])
    manifest["options"]["model"] = manifest["options"]["model"].replace(str(EXAMPLES), "EXAMPLES")
    return manifest


def engines_of(run: Path) -> dict[str, str]:
    """Return the versions and fonts that renderings of a run depend on."""
    about = json.loads((run / MANIFEST).read_text(encoding="utf-8"))["about"]
    return {
        name: value.partition(", isolation")[0]
        for name, value in about.items()
        if name in SERVICES or name.endswith("fonts digest")
    }


def keys_of(run: Path) -> dict[str, list[str]]:
    """Return the keys that lines of the files of a run have, in their order: each form of a line once."""
    return {
        name: sorted({" ".join(line) for line in _lines(run / name)})
        for name in (INSTANCES, ANSWERS, RENDERINGS, RECORDS)
    }


def exported_rows(run: Path) -> tuple[list[str], dict[str, str]]:
    """Return the columns of an export, and digests of its rows by their ids; CSV says what JSON lines say."""
    table, sheet = run.with_suffix(".jsonl"), run.with_suffix(".csv")
    assert export(run, table) == export(run, sheet)
    rows, digests = _lines(table), dict[str, str]()
    with sheet.open(encoding="utf-8", newline="") as file:
        cells = list(csv.DictReader(file))
    for row, cell in zip(rows, cells, strict=True):
        assert list(row) == list(cell)
        # A text that a spreadsheet would take for a formula has a mark before it.
        assert {name: text.removeprefix("'") for name, text in cell.items()} == {
            name: "" if value is None else str(value).removeprefix("'") for name, value in row.items()
        }
        fixed = {name: _rounded(value) for name, value in row.items() if name not in VOLATILE}
        digests[row["id"]] = hashlib.sha256(json.dumps(fixed).encode()).hexdigest()[:16]
    return list(rows[0]), digests


def _rounded(value: object) -> object:
    return round(value, 8) if isinstance(value, float) else value


def record_lines(run: Path, rows: dict[str, str]) -> list[dict[str, Any]]:
    """Return the records of a run in the order of ids, without times, places and digests of this machine."""
    lines = []
    for record in sorted(_lines(run / RECORDS), key=lambda record: str(record["id"])):
        fixed = {"engine_digest": "DIGEST", "isolation": "TIER", "seconds": sorted(record["seconds"])}
        present = {name: value for name, value in fixed.items() if name in record}
        lines.append({**condensed(record | present), "exported": rows[record["id"]]})
    return lines


@pytest.mark.parametrize(
    ("data", "model", "profile"),
    [
        pytest.param(
            *case,
            id=f"{case[0].replace('.', 'image2struct')}-{case[1]}-{case[2].value}",
            marks=LONG if case[1] == "baseline" else (),
        )
        for case in _cases()
    ],
)
def test_examples_have_the_files_that_are_recorded(
    data: str, model: str, profile: Profile, tmp_path: Path, services: Settings
) -> None:
    run, name = tmp_path / "run", f"results/{data.replace('.', 'image2struct')}-{model}-{profile.value}"
    samples = FEW if model == "baseline" else ()
    evaluate(EXAMPLES / data, MODELS[model], out=run, settings=services, profile=profile, samples=samples)
    columns, rows = exported_rows(run)
    engines, known = engines_of(run), recorded(f"{name}.json")
    whole = {
        "engines": engines,
        "manifest": manifest_of(run),
        "keys": keys_of(run),
        "columns": columns,
        "results": json.loads((run / RESULTS).read_text(encoding="utf-8")),
    }
    same_engines = known is None or known["engines"] == engines
    compare_json(f"{name}.json", whole, without=() if same_engines else ("engines", "results"))
    compare_lines(f"{name}.jsonl", record_lines(run, rows), without=() if same_engines else OF_RENDERINGS)
