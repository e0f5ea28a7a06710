"""Tables of scores that are not values of runs: of judge models, of people, and as published.

They stand beside the tables of the runs and are never ranked with them.
"""

from __future__ import annotations

from collections.abc import Sequence

from i2s_sdk.report import figures
from i2s_sdk.report.published import published_table
from i2s_sdk.report.tables import Cell, Heading, PaperTable, TableRow
from i2s_sdk.report.view import RunView
from i2s_sdk.run.storage.folder import read_run
from i2s_sdk.run.storage.judgements import read_human_scores, read_judges
from i2s_sdk.stats.agreement import Agreement, agreements
from i2s_sdk.stats.human_scores import human_scoring_of
from i2s_sdk.stats.judge_scores import JudgedRun, judged_runs
from i2s_sdk.stats.means import IntervalKind, Mean, mean_with_interval
from i2s_sdk.tasks.registry import SPECS
from i2s_sdk.tasks.spec import TaskSpec

#: Digits of the digest of a rubric that tables show.
_DIGEST = 8

_PUBLISHED_NOTE = (
    "Scores that people gave to the figures of these systems (1 to 5, 0 without a figure), in English. They "
    "are no values of this program, and the rows are in the order of the paper."
)


def judge_tables(views: Sequence[RunView], *, published: bool = False) -> dict[str, list[PaperTable]]:
    """Return the tables of judges, of people's scores and of published ones, by task, if it has any.

    Args:
        views: Runs.
        published: Add the published scores of tasks that have such.

    Raises:
        UsageError, DataError: A file of a judge or of people's scores is damaged.
    """
    by_task: dict[str, list[PaperTable]] = {}
    tasks = dict.fromkeys(task for view in views for task in view.summary.tasks)
    for task in (one for one in tasks if _is_judged(SPECS[one])):
        judged: list[tuple[str, JudgedRun]] = []
        people: list[TableRow] = []
        agreed: list[tuple[str, Agreement]] = []
        for view in views:
            human = read_human_scores(view.storage)
            if human is None and not read_judges(view.storage):
                continue
            run = read_run(view.storage)
            own = [judged_run for judged_run in judged_runs(run) if judged_run.judge.task == task]
            judged += [(view.label, judged_run) for judged_run in own]
            if human is not None and human.task == task:
                highest = human_scoring_of(task).highest
                columns = zip(*human.scores.values(), strict=True)
                means = (mean_with_interval(column, high=highest) for column in columns)
                cells: list[Cell] = [human.system, str(len(human.scores)), *means]
                people.append(TableRow.of(view.label, cells))
                agreed += [(view.label, agreement) for agreement in agreements(run, human, own)]
        title = SPECS[task].title
        tables = [
            *([judged_table(title, judged)] if judged else []),
            *([_people_table(title, human_scoring_of(task).names, people)] if people else []),
            *([agreement_table(title, agreed)] if agreed else []),
            *(
                [_published_table(title, SPECS[task].human_table)]
                if published and SPECS[task].human_table
                else []
            ),
        ]
        if tables:
            by_task[task] = tables
    return by_task


def _is_judged(spec: TaskSpec) -> bool:
    return spec.rubric is not None or spec.human_scoring is not None


def judged_table(title: str, judged: Sequence[tuple[str, JudgedRun]]) -> PaperTable:
    """Return the means of judge models; not sorted.

    Args:
        title: Title of the task.
        judged: What judges made of runs, each with the label of the run.
    """
    criteria = judged[0][1].judge.criteria
    lines = []
    notes = [
        "Scores of a model, from 1 to 5. Over all samples, one without a figure counts 0. They are no values "
        "of the run and no scores of people; how well they agree with people is known only where people have "
        "scored the same figures.",
    ]
    for label, run in judged:
        cells: list[Cell] = [
            run.judge.model,
            run.judge.rubric_sha256[:_DIGEST],
            f"{len(run.scores)} of {run.images}",
            str(run.bad_answers),
            *(run.means[name] for name in criteria),
            *(run.image_means[name] for name in criteria),
        ]
        lines.append(TableRow.of(label, cells))
        if run.bad:
            reasons = ", ".join(f"{count} {reason}" for reason, count in run.bad.items())
            notes.append(
                f"{label}, {run.judge.model}: answers without scores, which are in no mean: {reasons}."
            )
        if run.unanswered:
            notes.append(
                f"{label}, {run.judge.model}: {run.unanswered} figures have no answer; judge the run again."
            )
    headings = (
        *(Heading(name) for name in ("Model", "Judge", "Rubric", "Figures judged", "Bad answers")),
        *(Heading(name, "all samples") for name in criteria),
        *(Heading(name, "judged figures") for name in criteria),
    )
    return PaperTable(f"{title}, scores of judge models", headings, tuple(lines), tuple(notes))


def agreement_table(title: str, agreed: Sequence[tuple[str, Agreement]]) -> PaperTable:
    """Return the rank correlations with people.

    Args:
        title: Title of the task.
        agreed: Correlations, each with the label of the run.
    """
    lines = [
        TableRow.of(
            label,
            (
                f"judge {agreement.judge}, {agreement.of}" if agreement.judge else agreement.of,
                agreement.criterion,
                str(agreement.correlation.n),
                _cell(
                    agreement.correlation.spearman,
                    agreement.correlation.spearman_interval,
                    agreement.correlation.n,
                ),
                _cell(
                    agreement.correlation.kendall,
                    agreement.correlation.kendall_interval,
                    agreement.correlation.n,
                ),
            ),
        )
        for label, agreement in agreed
    ]
    names = ("Model", "Scores", "Criterion of people", "n", "Spearman's rho", "Kendall's tau-b")
    note = (
        "Judges: over figures that both have scored. compiled: over all samples that people have scored. "
        f"Indicators: over those that have a value. {figures.NOTHING}: one of the two does not vary."
    )
    return PaperTable(
        f"{title}, rank correlation with scores of people", tuple(map(Heading, names)), tuple(lines), (note,)
    )


def _cell(value: float | None, interval: tuple[float, float] | None, n: int) -> Mean:
    return Mean(value, n, interval, IntervalKind.BOOTSTRAP if interval else IntervalKind.TOO_FEW)


def _people_table(title: str, criteria: Sequence[str], lines: Sequence[TableRow]) -> PaperTable:
    names = ("Model", "System of the file", "Samples", *criteria)
    note = "Means over the samples that people have scored; 0 is the score of one without a figure."
    return PaperTable(f"{title}, scores of people", tuple(map(Heading, names)), tuple(lines), (note,))


def _published_table(title: str, name: str) -> PaperTable:
    theirs = published_table(name)
    lines = [
        TableRow.of(model, tuple(theirs.values(model)[column] for column in theirs.columns), published=True)
        for model in theirs.rows
    ]
    headings = (Heading("Model"), *map(Heading, theirs.columns))
    return PaperTable(
        f"{title}, scores of people as published",
        headings,
        tuple(lines),
        (_PUBLISHED_NOTE, f"Source: {theirs.where}."),
    )
