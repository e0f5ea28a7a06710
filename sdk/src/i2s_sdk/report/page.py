"""The report: one page with tables, charts and a gallery, which works offline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from i2s_sdk.errors import UsageError
from i2s_sdk.report import samples
from i2s_sdk.report.judge_tables import judge_tables
from i2s_sdk.report.pictures import beside, within
from i2s_sdk.report.subset_tables import subset_tables
from i2s_sdk.report.table_lines import PaperTable
from i2s_sdk.report.template import render_page
from i2s_sdk.report.versus import Versus, compare_runs
from i2s_sdk.report.view import RunView, views_of
from i2s_sdk.runlog.folder import REPORT
from i2s_sdk.runlog.manifest import Manifest
from i2s_sdk.runlog.opening import open_file, open_storage
from i2s_sdk.runlog.reader import read_run
from i2s_sdk.runlog.record import Record
from i2s_sdk.runlog.storage import PathOrUrl, RunStorage
from i2s_sdk.stats.aggregate import Summary
from i2s_sdk.stats.leaderboard import Standing, leaderboard


@dataclass(frozen=True, slots=True)
class Report:
    """A report that was written.

    Attributes:
        path: Path of the page; the text of its URL where it is in a store.
        standings: The leaderboard.
        versus: Comparisons of two runs.
        notices: What keeps the numbers from being comparable.
        tables: The runs and published rows by subset, for tasks whose numbers are shown so.
        beside: Scores of judge models and of people, published ones among them, which are no values of runs.
    """

    path: PathOrUrl
    standings: Sequence[Standing]
    versus: Sequence[Versus]
    notices: Sequence[str]
    tables: Sequence[PaperTable] = ()
    beside: Sequence[PaperTable] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        return {
            "report": str(self.path),
            "leaderboard": [one.to_json() for one in self.standings],
            "versus": [one.to_json() for one in self.versus],
            "notices": list(self.notices),
            "tables": [one.to_json() for one in self.tables],
            "beside": [one.to_json() for one in self.beside],
        }


def write_report(
    runs: Sequence[PathOrUrl], out: PathOrUrl | None = None, *, single_file: bool = False
) -> Report:
    """Write the report of one run or several.

    >>> write_report(["runs/a", "runs/b"], "runs/a-and-b")  # doctest: +SKIP

    Args:
        runs: Their folders, or URLs of such.
        out: Folder of the report, or its URL; with ``single_file`` the file. None is the folder of the run,
            where there is one run.
        single_file: Put the pictures into the page.

    Raises:
        UsageError: A folder is no run, or nothing says where the report is to lie.
        DataError: A record is damaged.
    """
    stored = [read_run(run) for run in runs]
    if not stored:
        raise UsageError("a report needs the folder of a run")
    if out is None and len(stored) > 1:
        raise UsageError("a report of several runs needs a folder of its own; name it with --out")
    page = REPORT
    if out is None:
        storage, page = stored[0].storage, "report.html" if single_file else REPORT
    elif single_file:
        storage, page = open_file(out)
    else:
        storage = open_storage(out)
    try:
        return _write(views_of(stored), storage, page, single_file=single_file)
    except OSError as error:
        raise UsageError(f"{storage.at(page)} cannot be written: {error.strerror}") from None


def write_page(
    storage: RunStorage,
    manifest: Manifest,
    summary: Summary,
    records: Sequence[Record],
    whole: Callable[[Record], Record] | None = None,
) -> PathOrUrl:
    """Write the report of a run into its folder and return where it is.

    Args:
        storage: The storage of the run, which the report is written to.
        manifest: Manifest of the run.
        summary: Its numbers.
        records: Its samples, in the order of the data set.
        whole: Returns a record with its texts; needed where ``records`` are without, to save memory.
    """
    view = RunView(manifest.options.model, manifest, summary, records, storage, whole or (lambda one: one))
    return _write([view], storage, REPORT, single_file=False).path


#: How a difference of options is worded, where the name of the option is not.
_OTHER = {"data_sha256": "another data set", "prompts": "other prompts"}


def _write(views: Sequence[RunView], storage: RunStorage, page: str, *, single_file: bool) -> Report:
    rows = samples.sample_rows(views)
    sources = {digest: views[at].storage for digest, at in samples.digests_of(rows).items()}
    gallery = within(sources) if single_file else beside(storage, sources)
    standings, versus, told = _standings(views), compare_runs(views), notices(views)
    tables, beside_runs = _tables(views), judge_tables(views, published=True)
    with storage.draft(page) as draft, draft.open("w", encoding="utf-8", errors="replace") as out:
        out.writelines(render_page(views, rows, gallery, standings, versus, told, tables, beside_runs))
    both = ([one for of_task in some.values() for one in of_task] for some in (tables, beside_runs))
    return Report(storage.at(page), standings, versus, told, *both)


def _tables(views: Sequence[RunView]) -> dict[str, list[PaperTable]]:
    """Return the tables by subset of each task that has such, with published rows."""
    summaries = {view.label: view.summary for view in views}
    tasks = dict.fromkeys(task for summary in summaries.values() for task in summary.tasks)
    found = {task: subset_tables(summaries, task, published=True) for task in tasks}
    return {task: of_task for task, of_task in found.items() if of_task}


def _standings(views: Sequence[RunView]) -> list[Standing]:
    return leaderboard({view.label: view.summary for view in views})


def notices(views: Sequence[RunView]) -> list[str]:
    """Return what keeps numbers of these runs from being comparable, for people."""
    first = views[0].manifest.options
    found = []
    for view in views[1:]:
        options = view.manifest.options
        for name in ("profile", "data_sha256", "prompts", "metrics", "engines", "sdk"):
            mine, theirs = getattr(options, name), getattr(first, name)
            if isinstance(mine, Mapping):
                both = mine.keys() & theirs.keys()
                mine, theirs = ({key: side[key] for key in both} for side in (mine, theirs))
            if mine != theirs:
                found.append(f"{view.label} has {_OTHER.get(name, f'another {name}')} than {views[0].label}.")
    return found
