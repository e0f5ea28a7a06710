"""How well judge models and indicators agree with people on the images of a run, by rank correlation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from i2s_sdk.errors import UsageError
from i2s_sdk.run.storage.folder import StoredRun
from i2s_sdk.run.storage.judgements import RunHumanScores
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.stats.correlations import RankCorrelation, rank_correlation
from i2s_sdk.stats.human_scores import HumanScore, human_scoring_of
from i2s_sdk.stats.judge_scores import JudgedRun, judged_records
from i2s_sdk.tasks.metrics import metrics_of
from i2s_sdk.tasks.registry import SPECS, open_task
from i2s_wire.metrics.profile import Profile


@dataclass(frozen=True, slots=True)
class Agreement:
    """The rank correlation of one thing with one criterion of people."""

    #: What is compared: a criterion of a judge, or a metric of the run.
    of: str
    #: Name of the judge model; empty for a metric.
    judge: str
    #: Criterion of people.
    criterion: str
    #: Over the samples that have both.
    correlation: RankCorrelation
    #: Id of the judge; empty for a metric.
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

    Each criterion of a judge is compared with the criterion of people that has the same name, over images
    that both have scored; a score of people that is 0 says that there was no image for them. Each metric is
    compared with each criterion, over the samples for which it has a value.

    Args:
        run: The run.
        human: The scores of people.
        judged: The scores of judges.
    """
    agreed: list[Agreement] = []
    criteria = human_scoring_of(human.task).names
    for judged_run in judged:
        if judged_run.judge.task != human.task:
            continue
        both = [name for name in sorted(judged_run.scores) if any(human.scores.get(name, ()))]
        for at, name in enumerate(judged_run.judge.criteria):
            if name not in criteria:
                continue
            of_people = criteria.index(name)
            pairs = [(judged_run.scores[sample][at], human.scores[sample][of_people]) for sample in both]
            agreed.append(
                Agreement(name, judged_run.judge.model, name, rank_correlation(pairs), judged_run.judge.id)
            )
    records = [
        judged_record
        for judged_record in judged_records(run, human.task)
        if judged_record.instance.id in human.scores
    ]
    task = open_task(human.task, Profile(run.manifest.options.profile))
    for metric in metrics_of(task):
        for at, criterion in enumerate(criteria):
            values = (
                (record.score.metrics.get(metric.name), human.scores[record.instance.id][at])
                for record in records
            )
            pairs = [(value, score) for value, score in values if value is not None]
            agreed.append(Agreement(metric.name, "", criterion, rank_correlation(pairs)))
    return agreed


def human_scored_task(run: StoredRun, task: str | None = None) -> str:
    """Return the task of a run whose images people score.

    Args:
        run: The run.
        task: Name of the task; None if the run has one such task alone.

    Raises:
        UsageError: The run has no such task, or has several and none is named.
    """
    names = dict.fromkeys(planned_instance.task for planned_instance in run.planned)
    scored = [name for name in names if name in SPECS and SPECS[name].human_scoring is not None]
    if task is None and len(scored) > 1:
        raise UsageError(f"people score the images of {_listed(scored)}; name one of these with --task")
    if not scored or task not in (None, *scored):
        which = "a task whose images people score" if task is None else f"{task!r} that people score"
        raise UsageError(f"the run has no samples of {which}")
    return task or scored[0]


def human_scores_of_run(
    run: StoredRun,
    task: str,
    scores: Sequence[HumanScore],
    sources: Mapping[str, str],
    system: str | None = None,
) -> RunHumanScores:
    """Return the scores that belong to the samples of a run.

    A row belongs to the sample whose id is its ID, also without the output kind at its end ("a_1_1" for the
    sample "a_1_1-tikz"). If the run has the prompt in both output kinds, the end of the name of the system
    ("_tikz", "_python") or the ID itself has to tell which. Several rows of one sample are averaged.

    Args:
        run: The run.
        task: The task whose samples they are.
        scores: Rows of files.
        sources: SHA-256 of the files by name.
        system: The name of the run's model in the files; None if they have one system alone.

    Raises:
        UsageError: The system is not among them, or has to be named; a row may be of two samples; no row is
            of a sample.
    """
    names = list(dict.fromkeys(score.system for score in scores))
    if system is None:
        if len(names) != 1:
            raise UsageError(f"the scores are of {_listed(names)}; name the system of this run with --system")
        system = names[0]
    rows = [score for score in scores if score.system == system]
    if not rows:
        raise UsageError(f"the scores have no system {system!r}; they have {_listed(names)}")
    samples = [planned_instance for planned_instance in run.planned if planned_instance.task == task]
    samples_of = _samples_by_id(samples, SPECS[task].subsets, system)
    by_sample: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for row in rows:
        of_row = samples_of.get(row.prompt, ())
        if len(of_row) > 1:
            raise UsageError(
                f"the scores of {row.prompt!r} may be of {_listed(of_row)}; write one of these as ID, or let "
                "the name of the system end in _tikz or _python"
            )
        for sample in of_row:
            by_sample[sample].append(row.values)
    if not by_sample:
        example = f", such as {samples[0].id!r}" if samples else ""
        raise UsageError(
            f"none of the {len(rows)} rows of {system!r} has the ID of a sample of the run{example}"
        )
    means = {
        sample: tuple(fmean(column) for column in zip(*values, strict=True))
        for sample, values in by_sample.items()
    }
    return RunHumanScores(task, system, sources, len(rows), means)


def _samples_by_id(
    samples: Sequence[PlannedInstance], subsets: Sequence[str], system: str
) -> dict[str, list[str]]:
    """Return the samples that an ID in a file may mean; the output kind is the end of a subset's name."""
    by_id: dict[str, list[str]] = {planned_instance.id: [planned_instance.id] for planned_instance in samples}
    outputs = [kind for kind in (subset.partition("-")[2] for subset in subsets) if kind]
    wanted = next((one for one in dict.fromkeys(outputs) if system.endswith(f"_{one}")), "")
    for sample in samples:
        prompt, _, output = sample.id.rpartition("-")
        if prompt and output in outputs and (not wanted or output == wanted):
            of_prompt = by_id.setdefault(prompt, [])
            if sample.id not in of_prompt:
                of_prompt.append(sample.id)
    return by_id


def _listed(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(map(repr, names[:most])) + (", …" if len(names) > most else "")
