"""What an evaluation would ask for, without asking a model or writing anything into a run.

The documents service is started if a model would be shown pages of documents, since nothing else knows how
many there are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from i2s_client.service_table import DOCUMENTS
from i2s_sdk.data import Instance
from i2s_sdk.models.costs import Estimate, estimate
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.registry import reads_documents, require_model
from i2s_sdk.run.generate import PageImages
from i2s_sdk.run.plan import ResolvedSelection, SelectionArgs, resolve_selection
from i2s_sdk.run.storage.codec import is_final
from i2s_sdk.run.storage.folder import ANSWERS
from i2s_sdk.run.storage.index import Key, key_of, line_key, read_lines
from i2s_sdk.run.storage.interface import PathOrUrl, open_storage
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.services import open_services, passing_logs
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.task import DocumentTask


@dataclass(frozen=True, slots=True)
class DryRun:
    """What an evaluation would ask for."""

    #: Samples of the run.
    samples: int
    #: Samples that the run folder has an answer for.
    answered: int
    #: Estimate for the questions of the other samples that have no answer there.
    estimate: Estimate


def dry_run(
    data: Path | str | None = None,
    model: str = "oracle",
    *,
    out: PathOrUrl | None = None,
    options: ModelOptions | None = None,
    settings: Settings | None = None,
    **wanted: Unpack[SelectionArgs],
) -> DryRun:
    """Return what ``evaluate`` with the same arguments would ask a model for; no key is needed.

    Args:
        data: See ``evaluate``.
        model: Name of the model.
        out: Run folder, whose answers are not asked for again; None, or one that is not there, has none.
        options: Options of the calls, with the prices.
        settings: None reads environment and configuration file.
        wanted: See ``evaluate``.

    Raises:
        UsageError: A name or the data set does not fit; says why.
    """
    settings = settings or Settings.load()
    require_model(model)
    choice = resolve_selection(data, settings, **wanted)
    answered = _answered(out, settings) if out is not None else frozenset[Key]()
    remaining = [one for one in choice.instances if one.id not in answered]
    of_documents = any(isinstance(task, DocumentTask) for task in choice.tasks.values())
    asked = _Asked(choice, model, of_documents and reads_documents(model), answered)
    found = run_blocking(_estimate(asked, remaining, options, settings))
    return DryRun(len(choice.instances), len(choice.instances) - len(remaining), found)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a model would be asked of instances."""

    #: The instances, and their tasks.
    choice: ResolvedSelection
    #: Name of the model.
    model: str
    #: Whether the model answers documents as a whole.
    whole: bool
    #: Questions that need not be asked again.
    answered: Set[Key]

    def is_shown_pages(self, instance: Instance) -> bool:
        return isinstance(self.choice.tasks[instance.task], DocumentTask) and not self.whole

    def questions(self, instance: Instance) -> Iterator[tuple[Instance, Question]]:
        task = self.choice.tasks[instance.task]
        if isinstance(task, DocumentTask) and self.whole:
            questions: tuple[Question, ...] = (task.whole_question(instance),)
        else:
            questions = task.questions(instance)
        for question in questions:
            if key_of(instance.id, question.name) not in self.answered:
                own = self.choice.prompts.get(instance.task)
                yield instance, own.applied(question) if own is not None else question


async def _estimate(
    asked: _Asked, instances: Sequence[Instance], options: ModelOptions | None, settings: Settings
) -> Estimate:
    paged = [one for one in instances if asked.is_shown_pages(one)]
    others = (found for one in instances if not asked.is_shown_pages(one) for found in asked.questions(one))
    total = await asyncio.to_thread(estimate, asked.model, others, options)
    if not paged:
        return total
    with passing_logs() as logs:
        async with open_services(settings, logs, (DOCUMENTS,)) as services:
            assert services.documents is not None, "it was asked for"
            images = PageImages(services.documents)
            for one in paged:
                task = asked.choice.tasks[one.task]
                assert isinstance(task, DocumentTask)
                async with images.sketched(one, task) as shown:
                    total += await asyncio.to_thread(estimate, asked.model, asked.questions(shown), options)
    return total


def _answered(out: PathOrUrl, settings: Settings) -> frozenset[Key]:
    """Return the samples, and of others the questions, that need not be asked again."""
    lines = open_storage(out, settings).lines(ANSWERS)
    finals = {line_key(line): is_final(line) for line in read_lines(lines)}
    return frozenset(key for key, final in finals.items() if final)
