"""Scores that people gave to the figures of systems, in the form in which ScImage publishes them.

A file is CSV with one line for each figure: the system (``Model``), the id of the prompt (``ID``), and one
score for each criterion of the task (``TaskSpec.human_scoring``). A line with 0 in all criteria says that the
answer did not compile. The kind of a prompt is the part of its id before the first underscore.
"""

from __future__ import annotations

import csv
import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.files import reading
from i2s_sdk.stats.correlations import pearson
from i2s_sdk.tasks.registry import SPECS, task_spec
from i2s_sdk.tasks.rubric import HumanScoring


@dataclass(frozen=True, slots=True)
class HumanScore:
    """The scores of one figure."""

    #: The system that drew it.
    system: str
    #: The id of its prompt.
    prompt: str
    #: The scores in the order of the criteria.
    values: tuple[float, ...]
    #: The language of the prompt, in lower case; "en" if the file has no such column.
    language: str = "en"

    @property
    def kind(self) -> str:
        """The kind of the prompt."""
        return self.prompt.partition("_")[0]

    @property
    def compiled(self) -> bool:
        """Whether there was a figure to judge."""
        return any(self.values)


@dataclass(frozen=True, slots=True)
class SystemScores:
    """The scores of people for one system in one language."""

    #: The system.
    system: str
    #: The language.
    language: str
    #: The number of its answers.
    figures: int
    #: The number of answers that did not compile.
    failed: int
    #: The mean of each criterion over all answers.
    means: tuple[float, ...]
    #: The same over the answers that compiled; None if none did.
    compiled_means: tuple[float, ...] | None
    #: The mean of the first criterion by kind of prompt.
    correctness: Mapping[str, float]


def human_scoring_of(task: str | None = None) -> HumanScoring:
    """Return how people score the images of a task.

    Args:
        task: Name of the task; None is the first task whose images people score.

    Raises:
        UnknownNameError: There is no such task.
        UsageError: People do not score its images.
    """
    specs = map(SPECS.__getitem__, SPECS) if task is None else (task_spec(task),)
    scoring = next((spec.human_scoring for spec in specs if spec.human_scoring is not None), None)
    if scoring is None:
        raise UsageError(f"there are no files with scores of people for the task {task!r}")
    return scoring


def read_scores(file: Path, scoring: HumanScoring) -> list[HumanScore]:
    """Return the scores of a file.

    Args:
        file: A CSV file.
        scoring: The criteria and their columns.

    Raises:
        DataError: It cannot be read, or a line has no such scores; names the line.
    """
    figure_scores: list[HumanScore] = []
    try:
        with reading(file), file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            begins = ("Model", "ID", *(human_criterion.column for human_criterion in scoring.criteria))
            names = [_column(file, reader.fieldnames or (), begin) for begin in begins]
            for number, row in enumerate(reader, start=2):
                system, prompt, *scores = (row[name] or "" for name in names)
                language = (row.get("Language") or "en").lower()
                figure_scores.append(
                    HumanScore(system, prompt, _values(file, number, scores, scoring.highest), language)
                )
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(file, 0, f"is no CSV file in UTF-8: {error}") from None
    return figure_scores


def _column(file: Path, names: Sequence[str], begin: str) -> str:
    for name in names:
        if name.startswith(begin):
            return name
    raise DataError(file, 1, f"has no column that begins with {begin}")


def _values(file: Path, number: int, scores: Sequence[str], highest: float) -> tuple[float, ...]:
    try:
        values = tuple(map(float, scores))
    except ValueError:
        raise DataError(file, number, f"{scores} are not {len(scores)} scores") from None
    if not all(0 <= value <= highest for value in values):
        raise DataError(file, number, f"{scores} are not from 0 to {highest:g}")
    return values


def by_system(scores: Iterable[HumanScore]) -> list[SystemScores]:
    """Return what people said of each system in each language, in the order in which they come."""
    groups: dict[tuple[str, str], list[HumanScore]] = defaultdict(list)
    for score in scores:
        groups[score.system, score.language].append(score)
    return [_summary(system, language, rows) for (system, language), rows in groups.items()]


def _summary(system: str, language: str, rows: Sequence[HumanScore]) -> SystemScores:
    compiled = [row for row in rows if row.compiled]
    kinds: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        kinds[row.kind].append(row.values[0])
    return SystemScores(
        system=system,
        language=language,
        figures=len(rows),
        failed=len(rows) - len(compiled),
        means=_means(rows),
        compiled_means=_means(compiled) if compiled else None,
        correctness={kind: fmean(values) for kind, values in kinds.items()},
    )


def _means(rows: Sequence[HumanScore]) -> tuple[float, ...]:
    return tuple(fmean(row.values[at] for row in rows) for at in range(len(rows[0].values)))


def correlations(scores: Sequence[HumanScore], criteria: Sequence[str]) -> dict[str, float | None]:
    """Return Pearson's correlation of each pair of criteria over all figures; None if one does not vary."""
    return {
        f"{criteria[one]} and {criteria[other]}": pearson(
            [(score.values[one], score.values[other]) for score in scores]
        )
        for one, other in itertools.combinations(range(len(criteria)), 2)
    }
