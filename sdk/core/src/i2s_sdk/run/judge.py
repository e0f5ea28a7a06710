"""Judgements of the images of a finished run: asks a judge model about them, or stores scores of people."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from i2s_sdk.errors import DataError, ModelError, UsageError
from i2s_sdk.files import read_file
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models import Model, open_model
from i2s_sdk.models.completion import ModelFailedError
from i2s_sdk.models.model import ModelLike, as_model
from i2s_sdk.models.options import options_from
from i2s_sdk.run.failures import LikeFailures
from i2s_sdk.run.generate import answer_of, failed_answer
from i2s_sdk.run.pipeline import OnProgress, Progress, Watch, say_nothing
from i2s_sdk.run.storage.folder import StoredRun, image_name, read_run
from i2s_sdk.run.storage.index import marked_calls
from i2s_sdk.run.storage.interface import PathOrUrl, open_storage
from i2s_sdk.run.storage.judgements import (
    JudgeAnswer,
    JudgeLog,
    JudgeManifest,
    open_judge_log,
    write_human_scores,
)
from i2s_sdk.run.storage.record import Record, SampleAnswer
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stats.agreement import Agreement, agreements, human_scored_task, human_scores_of_run
from i2s_sdk.stats.human_scores import human_scoring_of, read_scores
from i2s_sdk.stats.judge_scores import JudgedRun, has_image, judged_records, judged_run, judged_runs
from i2s_sdk.tasks.registry import SPECS
from i2s_sdk.tasks.rubric import Rubric
from i2s_sdk.threads import to_thread_until_done

#: Models that know the ground truth, or read no images: they cannot judge.
_NO_JUDGES = ("oracle", "baseline/")

#: Calls at a time of a model that does not say how many it bears.
_CALLS = 4


def judge(
    run: PathOrUrl,
    model: str | ModelLike | Model,
    *,
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
) -> list[JudgedRun]:
    """Have a model score the images of a finished run by the rubric of their task.

    The judge sees the prompt and the image, neither the name of the model of the run nor its code. Answers
    are kept in the run folder, apart from the values of the run; the same call asks only for what is missing.

    Args:
        run: The folder of the run, or its URL.
        model: The judge: a name as of ``evaluate``, or a model.
        settings: None reads environment and configuration file.
        on_progress: Called at the beginning and after each answer.

    Returns:
        What the judge made of the samples of each task that has a rubric.

    Raises:
        UsageError: The folder holds no run or none with such a task, the model cannot judge, or another
            process works on the run.
        ModelError: Every call fails alike.
    """
    settings = settings or Settings.load()
    stored = read_run(open_storage(run, settings))
    tasks = [
        name
        for name in _rubrics()
        if any(planned_instance.task == name for planned_instance in stored.planned)
    ]
    if not tasks:
        known = ", ".join(_rubrics())
        raise UsageError(f"{stored.storage} has no samples of a task with a rubric for judges ({known})")
    opened = open_model(model, options_from(settings)) if isinstance(model, str) else as_model(model)
    if opened.name.startswith(_NO_JUDGES):
        raise UsageError(
            f"model {opened.name!r} cannot judge images; name one that is asked, such as openai/NAME"
        )
    return run_blocking(_judge(stored, tasks, opened, settings, on_progress or say_nothing))


def judges_of(model: Model) -> list[JudgeManifest]:
    """Return what a model is as a judge of each task that has a rubric, with the names of its files."""
    return [_manifest(task, rubric, model) for task, rubric in _rubrics().items()]


def _rubrics() -> dict[str, Rubric]:
    """Return the rubrics of tasks, by task."""
    return {name: spec.rubric for name, spec in SPECS.usable().items() if spec.rubric}


def _manifest(task: str, rubric: Rubric, model: Model) -> JudgeManifest:
    return JudgeManifest(
        task,
        model.name,
        model.fingerprint,
        rubric.sha256,
        rubric.text,
        rubric.criteria,
        version("i2s-sdk"),
    )


async def _judge(
    run: StoredRun, tasks: list[str], model: Model, settings: Settings, on_progress: OnProgress
) -> list[JudgedRun]:
    judged = []
    try:
        with run.storage.alone():
            run.storage.require_space(settings.free_bytes)
            for task in tasks:
                rubric = _rubrics()[task]
                manifest = _manifest(task, rubric, model)
                with open_judge_log(run.storage, manifest) as log, marked_calls(model, log.calls):
                    await _Judging(run, rubric, model, log, settings, on_progress).of_task(task)
                run.storage.flush()
                judged.append(judged_run(run, manifest))
    finally:
        await model.close()
    return judged


@dataclass(frozen=True, slots=True)
class _Judging:
    """One judge at work on the samples of a task."""

    run: StoredRun
    rubric: Rubric
    model: Model
    log: JudgeLog
    settings: Settings
    on_progress: OnProgress

    async def of_task(self, task: str) -> None:
        """Ask about every image that the judge has not answered for.

        Raises:
            ModelAccessError: The model cannot be asked at all.
            AllCallsFailedError: Every call has failed alike.
            DataError: An image of the run cannot be read.
        """
        wanted = [
            judged_record for judged_record in judged_records(self.run, task) if has_image(judged_record)
        ]
        remaining = [one for one in wanted if not self.log.has(one.instance.id, one.rendering.sha256)]
        done, paid, like = len(wanted) - len(remaining), 0.0, LikeFailures(self.settings.like_failures)
        self.on_progress(_progress(task, len(wanted), done, paid, ""))
        slots = asyncio.Semaphore(self.model.concurrency or _CALLS)

        async def one(record: Record, folder: Path) -> None:
            nonlocal done, paid
            async with slots:
                answer = await self._answer(record, folder, like)
            done, paid = done + answer.final, paid + answer.paid
            self.on_progress(_progress(task, len(wanted), done, paid, record.instance.id))

        first: BaseException | None = None
        with tempfile.TemporaryDirectory(prefix="i2s-judge-") as folder:
            try:
                async with asyncio.TaskGroup() as group:
                    for record in remaining:
                        group.create_task(one(record, Path(folder)))
            except* Exception as errors:
                first = _first(errors)  # raised outside: an except* would wrap it again
        if first is not None:
            raise first

    async def _answer(self, record: Record, folder: Path, like: LikeFailures) -> SampleAnswer:
        """Return the judge's answer to one image once it is kept."""
        watch = Watch()
        path = folder / f"{hashlib.sha256(record.instance.id.encode()).hexdigest()}.png"
        failure: ModelError | None = None
        try:
            if (pause := like.pause) is not None:
                raise pause
            prompt = self.rubric.prompt((await asyncio.to_thread(self.run.with_texts, record)).score.detail)
            await to_thread_until_done(self._write_image, record, path)
            instance = Instance(
                id=record.instance.id, task=record.instance.task, subset=record.instance.subset, image=path
            )
            completion = await self.model.complete(instance, self.rubric.question(prompt, path))
            answer = answer_of(completion, watch.seconds, self.settings.completion_characters)
        except ModelError as error:
            answer = failed_answer(error, watch.seconds)
            failure = None if answer.final else error
        finally:
            path.unlink(missing_ok=True)
        await self.log.put(JudgeAnswer(record.instance.id, answer, record.rendering.sha256))
        if isinstance(failure, ModelFailedError):
            like.failed(failure)
        elif answer.attempts:
            like.answered()
        return answer

    def _write_image(self, record: Record, path: Path) -> None:
        content = self.run.image(record.rendering.sha256)
        if content is None:
            where = self.run.storage.at(image_name(record.rendering.sha256))
            raise DataError(where, 0, "an image of the run cannot be read")
        path.write_bytes(content)


def _progress(task: str, planned: int, done: int, paid: float, last: str) -> Progress:
    return Progress(planned, generated=done, rendered=done, finished=done, paid=paid, last=last, run=task)


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first error of a group, which may hold groups."""
    first = errors.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


def human_scores(
    run: PathOrUrl, files: Sequence[Path | str], *, system: str | None = None, task: str | None = None
) -> list[Agreement]:
    """Keep what people said of the images of a run with it, and return how judges and metrics agree.

    Tables and reports of the run show the scores from then on. Scores that were brought before are replaced.

    Args:
        run: The folder of the run, or its URL.
        files: CSV files; see :mod:`i2s_sdk.stats.human_scores`.
        system: The name of the run's model in the files; None if they have one system alone.
        task: The task whose images were scored; None if the run has one task alone whose images people score.

    Raises:
        DataError: A file cannot be read, or a line has no scores.
        UsageError: The folder holds no run, or the scores are not of its samples.
    """
    paths = [Path(file) for file in files]
    storage = open_storage(run)
    stored = read_run(storage)
    scored = human_scored_task(stored, task)
    scoring = human_scoring_of(scored)
    scores = [score for path in paths for score in read_scores(path, scoring)]
    sources = {path.name: hashlib.sha256(read_file(path)).hexdigest() for path in paths}
    run_scores = human_scores_of_run(stored, scored, scores, sources, system)
    with storage.alone():
        write_human_scores(storage, run_scores)
    return agreements(stored, run_scores, judged_runs(stored))
