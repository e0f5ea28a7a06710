"""Runs in tables laid out as those of the paper: Table 2, and A2 to A4."""

from __future__ import annotations

from collections.abc import Sequence

from i2s_sdk.report.compared import ComparedRuns, compare_views
from i2s_sdk.report.judge_tables import judge_tables
from i2s_sdk.report.overall_table import MEAN, overall_table
from i2s_sdk.report.skill_tables import skill_tables
from i2s_sdk.report.subset_tables import subset_tables
from i2s_sdk.report.table_lines import PaperTable
from i2s_sdk.report.task_tables import task_table, wild_table
from i2s_sdk.report.view import views_of
from i2s_sdk.runlog.reader import read_run
from i2s_sdk.runlog.storage import PathOrUrl
from i2s_sdk.tasks.registry import BENCHMARKS, SPECS

__all__ = ["MEAN", "paper_tables", "table"]


def table(
    runs: Sequence[PathOrUrl], *, published: bool = False, rendered_only: bool = False
) -> list[PaperTable]:
    """Return runs in the tables of the paper, then scores of judge models and people that lie beside them.

    Values of a task are over the instances that all runs have scored; the notes of a table say what keeps
    runs from being compared, and they are not ranked then.

    >>> table(["runs/a", "runs/b"], published=True)  # doctest: +SKIP

    Args:
        runs: Their folders.
        published: Put the paper's rows among them.
        rendered_only: Give means over rendered samples only in the tables of tasks.

    Raises:
        UsageError: A folder is no run.
        DataError: A record is damaged.
    """
    views = views_of([read_run(run) for run in runs])
    compared = compare_views(views)
    beside = judge_tables(views, published=published)
    return [
        *paper_tables(compared, published=published, rendered_only=rendered_only),
        *skill_tables(compared),
        *(one for of_task in beside.values() for one in of_task),
    ]


def paper_tables(
    compared: ComparedRuns, *, published: bool = False, rendered_only: bool = False
) -> list[PaperTable]:
    """Return a table for each benchmark over all of its tasks, and one for each task or for its subsets.

    Args:
        compared: The runs.
        published: Put the paper's rows among them.
        rendered_only: Give means over rendered samples only in the tables of tasks, which the paper has not.
    """
    runs = compared.summaries
    tasks = [task for task in SPECS if any(task in summary.tasks for summary in runs.values())]
    wild = [
        task for task in tasks if any(one.tasks[task].apart for one in runs.values() if task in one.tasks)
    ]
    together = [one for one in BENCHMARKS if any(task in one.main_metrics for task in tasks)]
    alone = [task for task in tasks if not any(task in one.main_metrics for one in together)]
    overall = [(one, [task for task in tasks if task in one.main_metrics]) for one in together]
    return [
        *(overall_table(compared, one, own, published=published) for one, own in overall),
        *([overall_table(compared, None, alone, published=published)] if len(alone) > 1 else []),
        *(
            one
            for task in tasks
            for one in subset_tables(compared, task, published=published, rendered_only=rendered_only)
            or [task_table(compared, task, published=published, rendered_only=rendered_only)]
        ),
        *(wild_table(compared, task, rendered_only=rendered_only) for task in wild),
    ]
