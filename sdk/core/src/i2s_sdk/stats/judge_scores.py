"""The numbers of a judge model over a run: means of its scores, and how many of its answers have none.

They are never part of the values of the run (:mod:`i2s_sdk.stats.aggregate`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from i2s_sdk.run.storage.folder import StoredRun
from i2s_sdk.run.storage.judgements import (
    JudgeAnswer,
    JudgeManifest,
    read_judge_answers,
    read_judge_costs,
    read_judges,
)
from i2s_sdk.run.storage.record import Outcome, Record
from i2s_sdk.stats.means import Mean, mean_with_interval
from i2s_sdk.tasks.registry import task_spec
from i2s_sdk.tasks.rubric import BadJudgement, Rubric

#: Reasons of answers without scores that are not the rubric's.
REFUSED, TOO_LONG = "refused", "too long"


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """The scores of a judge for a run."""

    #: The judge.
    judge: JudgeManifest
    #: Samples of its task.
    planned: int
    #: Samples without a score of the run for reasons that are not the model's.
    unfinished: int
    #: Samples without an image, which count 0 in all criteria.
    without_image: int
    #: Samples with an image.
    images: int
    #: Scores of the judge, by sample, for images that it has given scores.
    scores: Mapping[str, tuple[float, ...]]
    #: Number of answers without scores, by reason.
    bad: Mapping[str, int]
    #: Images that the judge has not been asked about, or that it failed to answer.
    unanswered: int
    #: Means of each criterion over all samples that have an image with scores, or no image.
    means: Mapping[str, Mean]
    #: Means of each criterion over images with scores.
    image_means: Mapping[str, Mean]
    #: US dollars that are known to have been paid for the answers in this run.
    cost: float = 0.0
    #: Number of questions that were asked in this run, failed ones among them; answers that the cache had are
    #: none.
    calls: int = 0
    #: Why an answer has no scores, by sample.
    faults: Mapping[str, str] = field(default_factory=dict)

    @property
    def bad_answers(self) -> int:
        """Number of answers of the judge that have no scores."""
        return sum(self.bad.values())

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as JSON has them; the text of the rubric is left out."""
        judge = {"id": self.judge.id, **asdict(self.judge)}
        del judge["rubric"]
        return {
            "judge": judge,
            "planned": self.planned,
            "unfinished": self.unfinished,
            "without_image": self.without_image,
            "images": self.images,
            "judged": len(self.scores),
            "bad_answers": dict(self.bad),
            "unanswered": self.unanswered,
            "means": {name: asdict(mean) for name, mean in self.means.items()},
            "image_means": {name: asdict(mean) for name, mean in self.image_means.items()},
            "calls": self.calls,
            "cost": self.cost,
            "scores": {sample: list(values) for sample, values in sorted(self.scores.items())},
            "faults": dict(sorted(self.faults.items())),
        }


def judged_records(run: StoredRun, task: str) -> Iterator[Record]:
    """Yield the records of a task that have ended for reasons of the model, in the order of the data set."""
    return (record for record in run.ordered() if record.instance.task == task and record.outcome.counts)


def has_image(record: Record) -> bool:
    """Return whether a judge is asked about a sample: it is usable and has an image."""
    return record.usable and bool(record.rendering.sha256)


def judged_runs(run: StoredRun) -> list[JudgedRun]:
    """Return what each judge has made of a run.

    Raises:
        UsageError, DataError: A file of a judge is damaged.
    """
    return [judged_run(run, judge) for judge in read_judges(run.storage)]


def judged_run(run: StoredRun, judge: JudgeManifest) -> JudgedRun:
    """Return what one judge has made of a run.

    Raises:
        DataError: Its file of answers is damaged.
    """
    rubric = task_spec(judge.task).rubric
    assert rubric is not None, "a judge was begun for a task with a rubric"
    answers = read_judge_answers(run.storage, judge)
    scores: dict[str, tuple[float, ...]] = {}
    faults: dict[str, str] = {}
    without = images = unanswered = 0
    for record in judged_records(run, judge.task):
        if not has_image(record):
            without += 1
            continue
        images += 1
        read = _read(answers.get(record.instance.id), record, rubric)
        if read is None:
            unanswered += 1
        elif isinstance(read, BadJudgement):
            faults[record.instance.id] = read.reason
        else:
            scores[record.instance.id] = read
    planned = sum(planned_instance.task == judge.task for planned_instance in run.planned)
    columns = [[row[at] for row in scores.values()] for at in range(len(judge.criteria))]
    costs = read_judge_costs(run.storage, judge)
    return JudgedRun(
        judge=judge,
        planned=planned,
        unfinished=planned - without - images,
        without_image=without,
        images=images,
        scores=scores,
        bad=dict(sorted(Counter(faults.values()).items())),
        unanswered=unanswered,
        means=_means(judge, rubric, [[*column, *[0.0] * without] for column in columns]),
        image_means=_means(judge, rubric, columns),
        cost=sum(cost.paid for cost in costs),
        calls=sum(not cost.cached and cost.attempts > 0 for cost in costs),
        faults=faults,
    )


def _read(
    said: JudgeAnswer | None, record: Record, rubric: Rubric
) -> tuple[float, ...] | BadJudgement | None:
    """Return what a judge said of the image of a record; None if it has said nothing of this image."""
    if said is None or not said.answer.final or said.rendering_sha256 != record.rendering.sha256:
        return None
    if said.answer.outcome is Outcome.REFUSED:
        return BadJudgement(REFUSED)
    if said.answer.outcome is not None:
        return BadJudgement(TOO_LONG)
    return rubric.read(said.answer.completion or "")


def _means(judge: JudgeManifest, rubric: Rubric, columns: list[list[float]]) -> dict[str, Mean]:
    means = (mean_with_interval(column, high=rubric.highest) for column in columns)
    return dict(zip(judge.criteria, means, strict=True))
