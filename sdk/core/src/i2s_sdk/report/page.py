"""The report: one page with tables, charts and a gallery, which works offline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from i2s_sdk.errors import UsageError
from i2s_sdk.files import KeptBytes
from i2s_sdk.report import samples
from i2s_sdk.report.attribute_tables import attribute_tables
from i2s_sdk.report.compared import ComparedRuns, compare_views
from i2s_sdk.report.images import beside, within
from i2s_sdk.report.judge_tables import judge_tables
from i2s_sdk.report.overview import Overview, overview
from i2s_sdk.report.paper_tables import subset_tables
from i2s_sdk.report.tables import PaperTable
from i2s_sdk.report.template import render_page
from i2s_sdk.report.versus import Versus, compare_runs
from i2s_sdk.report.view import RunView, run_name, views_of
from i2s_sdk.run.storage.folder import REPORT, read_run
from i2s_sdk.run.storage.interface import PathOrUrl, RunStorage, open_file, open_storage
from i2s_sdk.run.storage.manifest import Manifest, PlannedSample
from i2s_sdk.run.storage.record import Record, SampleRendering, StoredQuestion
from i2s_sdk.stats.aggregate import Summary
from i2s_sdk.stats.leaderboard import Standing, leaderboard
from i2s_sdk.stats.skill import Skill


def skills_document(skills: Mapping[str, Mapping[str, Skill]]) -> dict[str, Any]:
    """Return skills by task and run as JSON has them."""
    return {
        task: {label: asdict(skill) for label, skill in of_task.items()} for task, of_task in skills.items()
    }


def subset_skills_document(skills: Mapping[str, Skill | None]) -> dict[str, Any]:
    """Return skills by subset as JSON has them."""
    return {subset: asdict(skill) if skill is not None else None for subset, skill in skills.items()}


@dataclass(frozen=True, slots=True)
class Report:
    """A report that was written."""

    #: Path of the page; the text of its URL if it is in a store.
    path: PathOrUrl
    #: The leaderboard.
    standings: Sequence[Standing]
    #: Comparisons of two runs.
    versus: Sequence[Versus]
    #: What keeps the numbers from being comparable.
    notices: Sequence[str]
    #: The runs and published rows by subset, for tasks whose numbers are shown so.
    tables: Sequence[PaperTable] = ()
    #: Scores of judge models and of people, published ones among them, which are not values of runs.
    beside: Sequence[PaperTable] = ()
    #: Skill in the main metric of each task, by the label of the run; of runs that have floors.
    skills: Mapping[str, Mapping[str, Skill]] = field(default_factory=dict)
    #: The same in each subset, by task, run and subset; None if no floor is known.
    skills_by_subset: Mapping[str, Mapping[str, Mapping[str, Skill | None]]] = field(default_factory=dict)
    #: The runs at a glance.
    overview: Overview = field(default_factory=Overview)

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them."""
        return {
            "report": str(self.path),
            "overview": self.overview.to_json(),
            "leaderboard": [standing.to_json() for standing in self.standings],
            "versus": [versus.to_json() for versus in self.versus],
            "notices": list(self.notices),
            "tables": [table.to_json() for table in self.tables],
            "beside": [paper_table.to_json() for paper_table in self.beside],
            "skill": skills_document(self.skills),
            "skill_by_subset": {
                task: {label: subset_skills_document(one) for label, one in of_task.items()}
                for task, of_task in self.skills_by_subset.items()
            },
        }


def write_report(
    runs: Sequence[PathOrUrl], out: PathOrUrl | None = None, *, single_file: bool = False
) -> Report:
    """Write the report of one run or several.

    >>> write_report(["runs/a", "runs/b"], "runs/a-and-b")  # doctest: +SKIP

    Args:
        runs: Their folders, or URLs of such.
        out: Folder of the report, or its URL; with ``single_file`` the file. None is the folder of the run,
            if there is one run.
        single_file: Put the images into the page.

    Raises:
        UsageError: A folder is not a run, or nothing says where the report is to lie.
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
    planned: Sequence[PlannedSample] = (),
    rendered: Callable[[str], SampleRendering | None] = lambda identity: None,
    asked: Mapping[str, tuple[tuple[str, StoredQuestion], ...]] | None = None,
    kept: KeptBytes | None = None,
    turns: Mapping[str, Sequence[Record]] | None = None,
) -> Report:
    """Write the report of a run into its folder.

    Args:
        storage: The storage of the run, which the report is written to.
        manifest: Manifest of the run.
        summary: Its numbers.
        records: Its samples, in the order of the data set.
        whole: Returns a record with its texts; needed if ``records`` are without, to save memory.
        planned: Its instances, in the order of the data set.
        rendered: Returns what was rendered of a sample.
        asked: What the model was asked, by instance: each question with its name.
        kept: Where small copies of images are kept for other runs; None keeps none.
        turns: Records of answers after the first by instance, in order.
    """
    label = run_name(manifest)
    texts = whole or (lambda record: record)
    view = RunView(
        label, manifest, summary, records, storage, texts, planned, rendered, asked or {}, turns or {}
    )
    return _write([view], storage, REPORT, single_file=False, kept=kept)


#: Options that decide whether values can be compared only together with what a task holds, and their names.
_NOTED = {"data_sha256": "data set", "sdk": "version of i2s-sdk"}


def _write(
    views: Sequence[RunView],
    storage: RunStorage,
    page: str,
    *,
    single_file: bool,
    kept: KeptBytes | None = None,
) -> Report:
    rows = samples.sample_rows(views)
    sources = {digest: views[at].storage for digest, at in samples.digests_of(rows, views).items()}
    gallery = within(sources) if single_file else beside(storage, sources, kept)
    compared, versus = compare_views(views), compare_runs(views)
    skills = compared.mean_skills(compared.by_task)
    own = {label: compared.own_summary(label) for label in compared.summaries}
    standings = leaderboard(compared.summaries, compared.unranked, compared.refused, skills, own)
    notes = [*compared.notes(list(compared.by_task)), *notices(views)]
    tables, beside_runs = _tables(compared), _beside(views)
    labels = {view.label for view in views}  # folders of runs keep reference points, which are no runs here
    at_a_glance = overview(compared, [standing for standing in standings if standing.label in labels])
    with storage.draft(page) as draft, draft.open("w", encoding="utf-8", errors="replace") as out:
        out.writelines(
            render_page(
                views, rows, gallery, at_a_glance, standings, versus, notes, tables, beside_runs, compared
            )
        )
    both = (
        [paper_table for of_task in some.values() for paper_table in of_task]
        for some in (tables, beside_runs)
    )
    all_tables, all_beside = both
    return Report(
        storage.at(page),
        standings,
        versus,
        notes,
        all_tables,
        all_beside,
        compared.skills,
        _skills_by_subset(compared),
        at_a_glance,
    )


def _skills_by_subset(compared: ComparedRuns) -> dict[str, dict[str, dict[str, Skill | None]]]:
    """Return the skill of each run that has one in a task, in each subset with scored samples there."""
    results = {label: summary.tasks for label, summary in compared.summaries.items()}
    return {
        task: {
            label: {
                subset.name: compared.group_skill(label, task, "subset", subset.name)
                for subset in (*results[label][task].subsets, *results[label][task].apart)
                if subset.scored
            }
            for label in skills
        }
        for task, skills in compared.skills.items()
    }


def _beside(views: Sequence[RunView]) -> dict[str, list[PaperTable]]:
    """Return the tables by attribute, and those of judge models and people, of each task that has such."""
    both = attribute_tables(views), judge_tables(views, published=True)
    tasks = dict.fromkeys(task for some in both for task in some)
    return {task: [paper_table for some in both for paper_table in some.get(task, ())] for task in tasks}


def _tables(compared: ComparedRuns) -> dict[str, list[PaperTable]]:
    """Return the tables by subset of each task that has such, with published rows."""
    tasks = dict.fromkeys(task for summary in compared.summaries.values() for task in summary.tasks)
    by_task = {task: subset_tables(compared, task, published=True) for task in tasks}
    return {task: of_task for task, of_task in by_task.items() if of_task}


def notices(views: Sequence[RunView]) -> list[str]:
    """Return how runs differ from the first one beyond what ``compare_views`` decides, as sentences."""
    first = views[0]
    return [
        f"{view.label} has another {name} than {first.label}."
        for view in views[1:]
        for option, name in _NOTED.items()
        if getattr(view.manifest.options, option) != getattr(first.manifest.options, option)
    ]
