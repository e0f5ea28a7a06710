"""How well judge models and indicators agree with people on the images of a run, by rank correlation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from i2s_sdk.errors import UsageError
from i2s_sdk.runlog.human import RunHumanScores
from i2s_sdk.runlog.planned import Planned
from i2s_sdk.runlog.reader import StoredRun
from i2s_sdk.stats.human_scores import CRITERIA, HumanScore
from i2s_sdk.stats.judge_scores import JudgedRun, judged_records
from i2s_sdk.stats.rank_correlation import RankCorrelation, rank_correlation
from i2s_sdk.tasks.metrics import metrics_of
from i2s_sdk.tasks.registry import SPECS, open_task
from i2s_wire.metrics.profile import Profile

#: The task whose images people score in such files.
TASK = "scimage"


@dataclass(frozen=True, slots=True)
class Agreement:
    """The rank correlation of one thing with one criterion of people.

    Attributes:
        of: What is compared: a criterion of a judge, or a metric of the run.
        judge: Name of the judge model; empty for a metric.
        criterion: Criterion of people.
        correlation: Over the samples that have both.
        judge_id: Id of the judge; empty for a metric.
    """

    of: str
    judge: str
    criterion: str
    correlation: RankCorrelation
    judge_id: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON has them."""
        return {
            "of": self.of,
            "judge": self.judge,
            "judge_id": self.judge_id,
            "criterion": self.criterion,
            **self.correlation.to_json(),
        }


def agreements(run: StoredRun, human: RunHumanScores, judged: Sequence[JudgedRun]) -> list[Agreement]:
    """Return how judges and metrics of a run agree with people.

    Each criterion of a judge is compared with the same one of people, over images that both have scored; a
    score of people that is 0 says that there was no image for them. Each metric is compared with each
    criterion, over the samples that have a value: ``compiled`` over all, indicators where they are defined.

    Args:
        run: The run.
        human: What people said of it.
        judged: What judges said.
    """
    found: list[Agreement] = []
    for one in judged:
        if one.judge.task != human.task:
            continue
        both = [name for name in sorted(one.scores) if any(human.scores.get(name, ()))]
        for at, name in enumerate(one.judge.criteria):
            pairs = [(one.scores[sample][at], human.scores[sample][at]) for sample in both]
            found.append(Agreement(name, one.judge.model, name, rank_correlation(pairs), one.judge.id))
    records = [one for one in judged_records(run, human.task) if one.id in human.scores]
    task = open_task(human.task, Profile(run.manifest.options.profile))
    for metric in metrics_of(task):
        for at, criterion in enumerate(CRITERIA):
            values = ((one.metrics.get(metric.name), human.scores[one.id][at]) for one in records)
            pairs = [(value, score) for value, score in values if value is not None]
            found.append(Agreement(metric.name, "", criterion, rank_correlation(pairs)))
    return found


def human_scores_of_run(
    run: StoredRun, scores: Sequence[HumanScore], sources: Mapping[str, str], system: str | None = None
) -> RunHumanScores:
    """Return the scores that belong to the samples of a run.

    A row belongs to the sample whose id is its ID, also without the output kind at its end ("a_1_1" for the
    sample "a_1_1-tikz"). If the run has the prompt in both output kinds, the end of the name of the system
    ("_tikz", "_python") or the ID itself has to tell which. Several rows of one sample are averaged.

    Args:
        run: The run.
        scores: Rows of files.
        sources: SHA-256 of the files by name.
        system: What the files call the model of the run; None if they have one alone.

    Raises:
        UsageError: The system is not among them, or has to be named; a row may be of two samples; no row is
            of a sample.
    """
    names = list(dict.fromkeys(one.system for one in scores))
    if system is None:
        if len(names) != 1:
            raise UsageError(f"the scores are of {_listed(names)}; name the system of this run with --system")
        system = names[0]
    rows = [one for one in scores if one.system == system]
    if not rows:
        raise UsageError(f"the scores have no system {system!r}; they have {_listed(names)}")
    samples = [one for one in run.planned if one.task == TASK]
    places = _places(samples, system)
    found: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for row in rows:
        of_row = places.get(row.prompt, ())
        if len(of_row) > 1:
            raise UsageError(
                f"the scores of {row.prompt!r} may be of {_listed(of_row)}; write one of these as ID, or let "
                "the name of the system end in _tikz or _python"
            )
        for sample in of_row:
            found[sample].append(row.values)
    if not found:
        example = f", such as {samples[0].id!r}" if samples else ""
        raise UsageError(
            f"none of the {len(rows)} rows of {system!r} has the ID of a sample of the run{example}"
        )
    means = {
        sample: tuple(fmean(column) for column in zip(*values, strict=True))
        for sample, values in found.items()
    }
    return RunHumanScores(TASK, system, sources, len(rows), means)


def _places(samples: Sequence[Planned], system: str) -> dict[str, list[str]]:
    """Return the samples that an ID in a file may mean."""
    found: dict[str, list[str]] = {one.id: [one.id] for one in samples}
    outputs = [subset.partition("-")[2] for subset in SPECS[TASK].subsets]
    wanted = next((one for one in dict.fromkeys(outputs) if system.endswith(f"_{one}")), "")
    for one in samples:
        prompt, _, output = one.id.rpartition("-")
        if prompt and output in outputs and (not wanted or output == wanted) and prompt not in found:
            found[prompt] = [one.id]
        elif (
            prompt and output in outputs and (not wanted or output == wanted) and one.id not in found[prompt]
        ):
            found[prompt].append(one.id)
    return found


def _listed(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(map(repr, names[:most])) + (", …" if len(names) > most else "")
