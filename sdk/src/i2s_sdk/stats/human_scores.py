"""Scores that people gave to the figures of systems, as ScImage publishes them.

A file is CSV with one line for each figure: the system (``Model``), the id of the prompt (``ID``), and three
scores from 1 to 5 (columns that begin with Correct, Relevance and Scientific). 0 in all three says that the
answer did not compile. The kind of a prompt is what stands before the first underscore of its id.
"""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from i2s_sdk.errors import DataError

CRITERIA = ("correctness", "relevance", "scientific")
_COLUMNS = ("Correct", "Relevance", "Scientific")


@dataclass(frozen=True, slots=True)
class HumanScore:
    """The scores of one figure.

    Attributes:
        system: What drew it.
        prompt: Id of its prompt.
        values: Correctness, relevance and scientific style.
        language: Of the prompt, in lower case; "en" where the file names none.
    """

    system: str
    prompt: str
    values: tuple[float, float, float]
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
    """What people said of one system in one language.

    Attributes:
        system: The system.
        language: The language.
        figures: Number of its answers.
        failed: How many of them did not compile.
        means: Of the three criteria over all answers.
        compiled_means: Of those that compiled; None if none did.
        correctness: Mean of that criterion by kind of prompt.
    """

    system: str
    language: str
    figures: int
    failed: int
    means: tuple[float, ...]
    compiled_means: tuple[float, ...] | None
    correctness: Mapping[str, float]


def read_scores(file: Path) -> list[HumanScore]:
    """Return the scores of a file.

    Raises:
        DataError: It cannot be read, or a line has no such scores; names the line.
    """
    found: list[HumanScore] = []
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            names = [_column(file, reader.fieldnames or (), begin) for begin in ("Model", "ID", *_COLUMNS)]
            for number, row in enumerate(reader, start=2):
                system, prompt, *scores = (row[name] or "" for name in names)
                language = (row.get("Language") or "en").lower()
                found.append(HumanScore(system, prompt, _values(file, number, scores), language))
    except OSError as error:
        raise DataError(file, 0, f"cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(file, 0, f"is no CSV file in UTF-8: {error}") from None
    return found


def _column(file: Path, names: Sequence[str], begin: str) -> str:
    for name in names:
        if name.startswith(begin):
            return name
    raise DataError(file, 1, f"has no column that begins with {begin}")


def _values(file: Path, number: int, scores: Sequence[str]) -> tuple[float, float, float]:
    try:
        first, second, third = map(float, scores)
    except ValueError:
        raise DataError(file, number, f"{scores} are no three scores") from None
    values = (first, second, third)
    if not all(0 <= one <= 5 for one in values):
        raise DataError(file, number, f"{scores} are not from 0 to 5")
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
    return tuple(fmean(row.values[at] for row in rows) for at in range(len(CRITERIA)))


def correlations(scores: Sequence[HumanScore]) -> dict[str, float | None]:
    """Return Pearson's correlation of each two criteria over all figures, None where one does not vary."""
    columns = {name: [score.values[at] for score in scores] for at, name in enumerate(CRITERIA)}
    pairs = [(CRITERIA[0], CRITERIA[1]), (CRITERIA[0], CRITERIA[2]), (CRITERIA[1], CRITERIA[2])]
    return {f"{one} and {other}": _pearson(columns[one], columns[other]) for one, other in pairs}


def _pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    if len(first) < 2:
        return None
    mean_first, mean_second = fmean(first), fmean(second)
    both = sum((a - mean_first) * (b - mean_second) for a, b in zip(first, second, strict=True))
    spread = math.sqrt(
        sum((a - mean_first) ** 2 for a in first) * sum((b - mean_second) ** 2 for b in second)
    )
    return both / spread if spread else None
