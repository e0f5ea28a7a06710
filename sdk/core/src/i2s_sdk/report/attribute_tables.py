"""Tables of runs by attributes of the instances, such as the language or the layout of a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from i2s_sdk.report.tables import Cell, Heading, PaperTable, TableRow, metric_title
from i2s_sdk.report.view import RunView
from i2s_sdk.run.storage.record import Record
from i2s_sdk.stats.means import mean_with_interval
from i2s_sdk.tasks.registry import SPECS
from i2s_sdk.tasks.spec import TaskSpec

#: The most values of an attribute that has a table.
MOST_VALUES = 20


def attribute_tables(views: Sequence[RunView]) -> dict[str, list[PaperTable]]:
    """Return the tables by attribute of each task whose samples have attributes, by task.

    An attribute with one value, or more than MOST_VALUES, has no table. Means are over the scored samples of
    each run that have a value; a column that is a mean of columns has no interval.

    Args:
        views: The runs.
    """
    tables: dict[str, list[PaperTable]] = {}
    for task in dict.fromkeys(task for view in views for task in view.summary.tasks):
        spec = SPECS[task]
        if spec.attributes is not None:
            made = [_table(spec, name, runs) for name, runs in _by_attribute(spec, views).items()]
            tables |= {task: [paper_table for paper_table in made if paper_table is not None]}
    return {task: of_task for task, of_task in tables.items() if of_task}


#: Records by the value of an attribute and the label of their run.
_Groups = dict[str, dict[str, list[Record]]]


def _by_attribute(spec: TaskSpec, views: Sequence[RunView]) -> dict[str, _Groups]:
    """Return records by the name of an attribute, its value and the label of their run."""
    assert spec.attributes is not None, "only such tasks are asked"
    attributes: dict[str, _Groups] = {}
    for view in views:
        for slim in view.records:
            if slim.instance.task != spec.name or not slim.score.metrics:
                continue
            record = view.whole(slim)
            detail: Mapping[str, Any] = record.score.detail
            for name, value in spec.attributes(detail).items():
                groups = attributes.setdefault(name, {}).setdefault(value, {})
                groups.setdefault(view.label, []).append(slim)
    return {name: groups for name, groups in attributes.items() if 1 < len(groups) <= MOST_VALUES}


def _table(spec: TaskSpec, attribute: str, groups: _Groups) -> PaperTable | None:
    records = [record for of_value in groups.values() for of_run in of_value.values() for record in of_run]
    names = list(dict.fromkeys(name for record in records for name in record.score.metrics))
    names = [name for name in names if any(record.score.metrics.get(name) is not None for record in records)]
    averages = [average for average in spec.averages if any(name in average.of for name in names)]
    lines = []
    for value in sorted(groups):
        for label, of_run in groups[value].items():
            means = {name: mean_with_interval(_values(of_run, name)) for name in names}
            parts = [[means[name].value for name in average.of if name in means] for average in averages]
            cells: list[Cell] = [value, *means.values(), *map(_mean, parts), str(len(of_run))]
            lines.append(TableRow.of(label, cells))
    headings = (
        Heading("Model"),
        Heading(attribute.replace("_", " ")),
        *(Heading(metric_title(spec.name, name)) for name in names),
        *(Heading(average.name) for average in averages),
        Heading("Samples"),
    )
    title = f"{spec.title}, by {attribute.replace('_', ' ')}"
    return PaperTable(title, headings, tuple(lines), ("Means over the scored samples that have a value.",))


def _values(records: Iterable[Record], name: str) -> list[float]:
    values = (record.score.metrics.get(name) for record in records)
    return [value for value in values if value is not None]


def _mean(values: Sequence[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None
