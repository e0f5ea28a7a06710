"""The page of a report from its template, and what it may do.

Nothing of a model or a data set can run in it. Texts are escaped by the template, and put in place as text
by the script; a strict policy allows the one script and the one style of the page by their digests.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from i2s_sdk.report import charts, figures, samples
from i2s_sdk.report.account_lines import account_lines
from i2s_sdk.report.charts import group_charts
from i2s_sdk.report.compared import ComparedRuns
from i2s_sdk.report.images import Gallery
from i2s_sdk.report.overview import TASKS_ACROSS, Overview
from i2s_sdk.report.scales import scales
from i2s_sdk.report.sharing import is_digest, licences, repeat_command, shareable_facts
from i2s_sdk.report.skill_tables import TaskSkills, skill_tables, task_skills
from i2s_sdk.report.tables import BLOCK_TITLES, MISMATCH_MARK, PaperTable, TableBlock, heading_groups
from i2s_sdk.report.terms import Terms
from i2s_sdk.report.turn_tables import turn_table
from i2s_sdk.report.versus import Versus
from i2s_sdk.report.view import RunView, metric_word, shareable_model, usable_word
from i2s_sdk.stats.leaderboard import Standing, short_columns
from i2s_sdk.tasks.registry import task_spec

if TYPE_CHECKING:
    from jinja2 import Environment


def render_page(
    views: Sequence[RunView],
    rows: Sequence[samples.Row],
    gallery: Gallery,
    overview: Overview,
    standings: Sequence[Standing],
    versus: Sequence[Versus],
    notices: Sequence[str],
    tables: Mapping[str, Sequence[PaperTable]],
    beside: Mapping[str, Sequence[PaperTable]],
    compared: ComparedRuns,
) -> Iterator[str]:
    """Yield the page piece by piece.

    Args:
        views: The runs.
        rows: Their samples.
        gallery: Their images.
        overview: The runs at a glance.
        standings: The leaderboard.
        versus: Comparisons of two runs.
        notices: What keeps the numbers from being comparable.
        tables: Tables of subsets, by task.
        beside: Tables of scores of judge models and of people, by task.
        compared: The runs as the leaderboard compares them.
    """
    from markupsafe import Markup

    environment = open_templates()
    environment.filters |= {
        "value": figures.value,
        "share": figures.share,
        "interval": figures.interval,
        "signed": figures.signed,
    }
    terms = Terms(views)
    style, script = template_text("page.css"), _script()
    tasks = list(dict.fromkeys(task for view in views for task in view.summary.tasks))
    shown = {task: short_columns(compared.summaries.values(), task) for task in tasks}
    facts = task_facts(views)
    means = list(dict.fromkeys(name for view in views for name in view.summary.benchmarks))
    has_mean_skill = any(standing.mean_skill is not None for standing in standings)
    best = next((at for at, view in enumerate(views) if view.label == overview.shown[0].label), 0)
    index = samples.index(views, rows, gallery.entries, compared, terms, best)
    columns = 1 + (len(compared.ranked) > 1) + has_mean_skill + len(facts) + len(means)

    def skills_of(view: RunView, task: str) -> TaskSkills:
        result = view.summary.tasks[task]
        return task_skills(
            compared, view.label, task, [subset.name for subset in (*result.subsets, *result.apart)]
        )

    return environment.get_template("report.html").generate(
        policy=page_policy(style, script),
        # Our own files, and JSON and base64 that hold no markup; everything else is escaped.
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        index=Markup(samples.script_json(index)),  # noqa: S704
        chunks=samples.chunks(views, rows, list(gallery.entries)),
        embedded=gallery.embedded,
        views=views,
        overview=overview,
        took=index["took"],
        terms=terms,
        scales=scales(compared, overview),
        tasks_across=TASKS_ACROSS,
        profiles=list(dict.fromkeys(view.summary.profile for view in views)),
        accounts=_accounts(views, compared),
        tasks=tasks,
        standings=standings,
        compared=compared,
        has_mean_skill=has_mean_skill,
        leaderboard_columns=columns + sum(len(one) + 1 for one in shown.values()),
        points_title=BLOCK_TITLES[TableBlock.REFERENCE_POINTS],
        mismatch_mark=MISMATCH_MARK,
        task_skills=skills_of,
        task_facts=facts,
        abouts={view.label: view.manifest.about for view in views},
        benchmark_means=means,
        versus=versus,
        notices=notices,
        subset_tables=tables,
        skill_tables=skill_tables(compared),
        beside_tables=beside,
        turn_tables=turn_tables(views, tasks),
        heading_groups=heading_groups,
        charts=charts,
        group_charts=group_charts,
        short_columns=shown,
        main_metric=lambda task: task_spec(task).main_metric,
        usable_word=usable_word,
        metric_word=metric_word,
        figures=figures,
        shareable_facts=shareable_facts,
        shareable_model=shareable_model,
        is_digest=is_digest,
        repeat_command=repeat_command,
        licences=licences(list(views)),
        shown=len(rows),
        samples=max(len(rows), *(len(view.records) for view in views)),
        unavailable=_unavailable(views),
    )


def open_templates() -> Environment:
    """Return the templates of pages, in which texts are escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("i2s_sdk.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def turn_tables(views: Sequence[RunView], tasks: Sequence[str]) -> dict[str, PaperTable]:
    """Return the turns of runs by task; of tasks that have any."""
    runs = [(view.label, view.summary) for view in views]
    tables = {task: turn_table(task, runs) for task in tasks}
    return {task: table for task, table in tables.items() if table is not None}


def task_facts(views: Sequence[RunView]) -> list[str]:
    """Return the names of the facts that tasks of the runs said of themselves, such as how they ask."""
    tasks = dict.fromkeys(task for view in views for task in view.summary.tasks)
    names = dict.fromkeys(name for view in views for name in view.manifest.about)
    return [name for name in names if name.partition(" ")[0] in tasks]


def _accounts(views: Sequence[RunView], compared: ComparedRuns) -> list[tuple[str, list[str]]]:
    """Return what became of the samples of each run, reference points beside other runs left out."""
    shown = [view for view in views if len(views) == 1 or view.label not in compared.unranked]
    return [(view.label, lines) for view in shown if (lines := account_lines(view.summary))]


def _unavailable(views: Sequence[RunView]) -> list[tuple[str, list[str]]]:
    """Return each metric that could not be computed, and in which runs; the reasons may name local files."""
    by_metric: dict[str, list[str]] = {}
    for view in views:
        for name in view.manifest.unavailable:
            by_metric.setdefault(name, []).append(view.label)
    return list(by_metric.items())


#: Files of the script, in the order in which they stand in it.
_SCRIPTS = (
    "elements",
    "search",
    "code",
    "texts",
    "compare",
    "places",
    "cards",
    "sample",
    "filters",
    "listing",
    "page",
)


def _script() -> str:
    """Return the script of the page: its files, in a scope of their own."""
    files = "".join(template_text(f"{name}.js") for name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{files}}})();\n'


def template_text(name: str) -> str:
    """Return a script or a style of our own."""
    return files("i2s_sdk.report").joinpath("templates", name).read_text("utf-8")


def page_policy(style: str, script: str) -> str:
    """Return what the page may do: run its one script, use its one style, show images."""
    return (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "img-src 'self' file: data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
