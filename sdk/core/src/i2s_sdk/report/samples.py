"""The samples of a report as its script reads them: a small index, and details packed by the chunk.

The index holds what filters and orders need. The texts of a sample (completion, structure, messages) are
many times larger and lie apart, compressed, until a card is shown.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from i2s_sdk.report.charts import reference_values
from i2s_sdk.report.compared import ComparedRuns
from i2s_sdk.report.sample_texts import details
from i2s_sdk.report.view import RunView, checked, is_digest
from i2s_sdk.runlog.planned import GroupedSample
from i2s_sdk.runlog.record import Record, same_targets
from i2s_sdk.tasks.registry import task_spec
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy

#: Samples whose details are packed together.
CHUNK = 40

#: Samples that a page has at most: of more it would be too large to open.
MOST = 20_000

#: A sample in all runs: None where a run does not have it.
Row = tuple[Record | None, ...]


def sample_rows(views: Sequence[RunView]) -> list[Row]:
    """Return the samples of all runs, MOST at most; those of one id, reference picture and target are one."""
    found: dict[str, list[list[Record | None]]] = {}
    for at, view in enumerate(views):
        for record in map(checked, view.records):
            rows = found.setdefault(record.id, [])
            for row in rows:
                there = [one for one in row if one is not None]
                if there[0].has_data_of(record) and same_targets([*there, record]):
                    row[at] = record
                    break
            else:
                rows.append([None] * len(views))
                rows[-1][at] = record
    return [tuple(row) for row in islice((row for rows in found.values() for row in rows), MOST)]


def digests_of(rows: Sequence[Row], views: Sequence[RunView]) -> dict[str, int]:
    """Return each picture of the samples and of their questions, and the first run that has it."""
    found: dict[str, int] = {}
    for row in rows:
        for at, record in enumerate(row):
            if record is None:
                continue
            asked = views[at].asked.get(record.id, ())
            further = (digest for _, one in asked for digest in one.images if is_digest(digest))
            for digest in (record.reference_sha256, record.rendering_sha256, *further):
                if digest:
                    found.setdefault(digest, at)
    return found


def index(
    views: Sequence[RunView],
    rows: Sequence[Row],
    pictures: Mapping[str, Sequence[Any]],
    compared: ComparedRuns,
) -> dict[str, Any]:
    """Return what the script is told of all samples.

    Args:
        views: The runs.
        rows: Their samples.
        pictures: Pictures by digest: name of what is shown, name of the whole picture, width, height.
        compared: The comparison that has the values of baselines and of the oracle.
    """
    places = {digest: at for at, digest in enumerate(pictures)}
    metrics: dict[str, list[str]] = {}
    for view in views:
        for task, names in view.metrics.items():
            metrics[task] = list(dict.fromkeys([*metrics.get(task, []), *names]))
    return {
        "chunk": CHUNK,
        "runs": [view.label for view in views],
        "metrics": metrics,
        "points": {
            task: {name: reference_values(compared, task, name) for name in names}
            for task, names in metrics.items()
        },
        "tasks": {name: _task(name, views) for name in metrics},
        "pictures": list(pictures.values()),
        "samples": [_sample(row, metrics, places) for row in rows],
        **_origins(views, rows),
    }


def _origins(views: Sequence[RunView], rows: Sequence[Row]) -> dict[str, Any]:
    """Return licence and source of the samples: the different ones, and which of them each sample has."""
    known = {one.id: origin for view in views for one in view.planned if (origin := _origin(one))}
    texts = {text: at for at, text in enumerate(dict.fromkeys(known.values()))}
    ids = (next(record.id for record in row if record is not None) for row in rows)
    places = [texts[known[name]] if name in known else -1 for name in ids] if texts else []
    return {"origins": places, "licences": list(texts)}


def _origin(one: GroupedSample) -> str:
    licence, source = getattr(one, "licence", ""), getattr(one, "source", "")
    return " ".join(part for part in (f"Licence: {licence}." if licence else "", source) if part)


def _task(name: str, views: Sequence[RunView]) -> dict[str, Any]:
    """Return what is known of a task; its prompt is that of the profile of the first run, for old runs."""
    profile = Profile(views[0].manifest.options.profile)
    spec = task_spec(name)
    rendering = spec.open(Profile.PAPER).rendering
    resized = rendering is not None and rendering.size_policy is SizePolicy.RESIZE
    return {
        "language": spec.language,
        "site": spec.structure_is_site,
        "resized": resized,
        "renders": rendering is not None,
        "main": spec.main_metric,
        "prompt": "\n\n".join(dict.fromkeys(spec.open(profile).prompt_texts())),
    }


def _sample(row: Row, metrics: Mapping[str, Sequence[str]], places: Mapping[str, int]) -> list[Any]:
    first = next(record for record in row if record is not None)
    reference = places.get(first.reference_sha256, -1)
    names = metrics.get(first.task, ())
    return [
        first.id,
        first.task,
        first.subset,
        first.difficulty,
        reference,
        [None if record is None else _ending(record, names, places) for record in row],
    ]


def _ending(record: Record, names: Sequence[str], places: Mapping[str, int]) -> list[Any]:
    return [
        str(record.outcome),
        record.verdict.name if record.verdict else "",
        places.get(record.rendering_sha256, -1),
        [
            None if record.metrics.get(name) is None else round(record.metrics[name] or 0.0, 6)
            for name in names
        ],
        int(record.usable and not record.usable_before_repair),
        int(record.usable),
    ]


def chunks(views: Sequence[RunView], rows: Sequence[Row], pictures: Sequence[str]) -> Iterator[str]:
    """Yield the details of the samples by the chunk: JSON, compressed by zlib, in base64.

    Args:
        views: The runs.
        rows: Their samples.
        pictures: Digests of the pictures of the report, in their order.
    """
    places = {digest: at for at, digest in enumerate(pictures)}
    for start in range(0, len(rows), CHUNK):
        plain = [
            [
                None
                if record is None
                else details(
                    view.whole(record), view.rendered(record.id), view.asked.get(record.id, ()), places
                )
                for view, record in zip(views, row, strict=True)
            ]
            for row in rows[start : start + CHUNK]
        ]
        yield base64.b64encode(zlib.compress(json.dumps(plain).encode("ascii"), 6)).decode()


def script_json(plain: object) -> str:
    """Return JSON that can stand within a script element, whatever texts it holds."""
    text = json.dumps(plain, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
