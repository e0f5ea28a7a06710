"""An index of many runs: what each is, its main value in each task, and a link to its report."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from i2s_sdk.errors import UsageError
from i2s_sdk.json_text import read_json
from i2s_sdk.report import figures
from i2s_sdk.report.template import open_templates, page_policy, template_text
from i2s_sdk.report.view import metric_word, shareable_model
from i2s_sdk.run.storage.folder import MANIFEST, REPORT, RESULTS, read_manifest
from i2s_sdk.run.storage.interface import open_storage
from i2s_sdk.tasks.registry import SPECS

#: What stands in an index, so that it is written again, and nothing else is written over.
MARK = b'<meta name="generator" content="i2s-sdk report --all">'
#: What stands in the head of a report.
_REPORT_MARK = b"Image2Struct</title>"
_HEAD_BYTES = 4096


@dataclass(frozen=True, slots=True)
class IndexedRun:
    """A run in an index."""

    #: Its folder below that of the index, with ``/`` between names.
    folder: str
    #: Its model, without paths of the machine.
    model: str
    #: The name of its data set.
    data: str
    profile: str
    #: When it was begun, in ISO 8601; empty if that is not known.
    started: str
    #: Samples with a score, and all of them; None of a run that has no numbers yet.
    scored: tuple[int, int] | None
    #: The main value of each task; None where it has none.
    values: Mapping[str, float | None] = field(default_factory=dict)
    #: What its owner calls it, and says of it.
    label: str = ""
    note: str = ""
    #: Whether its report is there.
    has_report: bool = False

    @property
    def link(self) -> str:
        """The address of its report, relative to the index; empty without one."""
        return quote(f"{self.folder}/{REPORT}") if self.has_report else ""


@dataclass(frozen=True, slots=True)
class RunsIndex:
    """The runs below a folder."""

    #: Path of the page.
    path: Path
    #: The runs, the newest first.
    runs: Sequence[IndexedRun]
    #: Folders with a report of several runs, below that of the index.
    reports: Sequence[str] = ()
    #: Why folders that look like runs are left out.
    notices: Sequence[str] = ()

    @property
    def tasks(self) -> list[str]:
        """The tasks of the runs, in the order of the registry."""
        there = {task for run in self.runs for task in run.values}
        return [task for task in SPECS if task in there]

    def to_json(self) -> dict[str, Any]:
        """Return the index as JSON has it."""
        return {
            "index": str(self.path),
            "main_metrics": {task: SPECS[task].main_metric for task in self.tasks},
            "runs": [asdict(run) for run in self.runs],
            "reports": list(self.reports),
            "notices": list(self.notices),
        }


def write_index(folder: Path, out: Path | None = None) -> RunsIndex:
    """Write a page with all runs below a folder; values are those of each run's results.json.

    Args:
        folder: The folder; runs may lie at any depth.
        out: The page; None is ``index.html`` of the folder. Links are relative to it.

    Raises:
        UsageError: There is no run, or another page is in the place.
    """
    page = out or folder / REPORT
    if page.exists() and MARK not in _head(page):
        raise UsageError(f"{page} is another page, such as a report of several runs; name a file with --out")
    runs, reports, notices = [], [], []
    for place, name in _places(folder, page):
        if not (place / MANIFEST).exists():
            reports.append(name)
            continue
        try:
            runs.append(_run(place, name))
        except UsageError as error:
            notices.append(f"{name} is left out: {error}")
    if not runs:
        raise UsageError(f"{folder}: no run is below it" + "".join(f"; {notice}" for notice in notices))
    runs.sort(key=lambda run: run.started, reverse=True)
    index = RunsIndex(page, runs, reports, notices)
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(_page(index), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{page} cannot be written: {error.strerror}") from None
    return index


def _page(index: RunsIndex) -> str:
    from markupsafe import Markup

    style, script = template_text("page.css"), template_text("runs.js")
    return (
        open_templates()
        .get_template("runs.html")
        .render(
            policy=page_policy(style, script),
            style=Markup(style),  # noqa: S704 - our own files; everything else is escaped
            script=Markup(script),  # noqa: S704
            index=index,
            main_metric=lambda task: SPECS[task].main_metric,
            metric_word=metric_word,
            figures=figures,
        )
    )


def _places(folder: Path, page: Path) -> Iterator[tuple[Path, str]]:
    """Yield runs, and folders with reports of several runs, with their places relative to the index."""
    for name, below, files in os.walk(folder):
        place = Path(name)
        below.sort()
        has_page = REPORT in files and place / REPORT != page and _REPORT_MARK in _head(place / REPORT)
        if MANIFEST in files:
            below.clear()  # images
        if MANIFEST in files or has_page:
            yield place, PurePath(os.path.relpath(place, page.parent)).as_posix()


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD_BYTES)


def _run(place: Path, name: str) -> IndexedRun:
    storage = open_storage(place)
    manifest = read_manifest(storage)
    if manifest is None:
        raise UsageError("it has no manifest")
    options, about = manifest.options, manifest.about
    numbers = read_json(storage.read(RESULTS)) if storage.exists(RESULTS) else None
    return IndexedRun(
        name,
        shareable_model(options.model),
        PurePath(about.get("data", "")).name,
        options.profile,
        about.get("started", ""),
        (numbers["scored"], numbers["planned"]) if numbers else None,
        {task: _main(task, of_task) for task, of_task in (numbers["tasks"] if numbers else {}).items()},
        about.get("label", ""),
        about.get("note", ""),
        storage.exists(REPORT),
    )


def _main(task: str, numbers: Mapping[str, Any]) -> float | None:
    value: float | None = numbers["values"].get(SPECS[task].main_metric) if task in SPECS else None
    return value
