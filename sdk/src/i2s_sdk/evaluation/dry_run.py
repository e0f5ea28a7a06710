"""What an evaluation would ask for, without asking, starting or writing anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from i2s_sdk.data import Instance
from i2s_sdk.evaluation.plan import ResolvedSelection
from i2s_sdk.evaluation.selection_args import SelectionArgs, resolve_selection
from i2s_sdk.models.estimate import Estimate, estimate
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.registry import require_model
from i2s_sdk.runlog.answer import Answer
from i2s_sdk.runlog.folder import ANSWERS
from i2s_sdk.runlog.index import Key, key_of, line_key, read_lines
from i2s_sdk.runlog.opening import open_storage
from i2s_sdk.runlog.storage import PathOrUrl
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.question import Question


@dataclass(frozen=True, slots=True)
class DryRun:
    """What an evaluation would ask for.

    Attributes:
        samples: Of the run.
        answered: Of them, those that the run folder has an answer for.
        estimate: For the questions of the others that have no answer there.
    """

    samples: int
    answered: int
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
        options: Of the calls, with the prices.
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
    found = estimate(model, _questions(choice, remaining, answered), options)
    return DryRun(len(choice.instances), len(choice.instances) - len(remaining), found)


def _questions(
    choice: ResolvedSelection, instances: Sequence[Instance], answered: Set[Key]
) -> Iterator[tuple[Instance, Question]]:
    for one in instances:
        for question in choice.tasks[one.task].questions(one):
            if key_of(one.id, question.name) not in answered:
                yield one, question


def _answered(out: PathOrUrl, settings: Settings) -> frozenset[Key]:
    """Return the samples, and of others the questions, that need not be asked again."""
    lines = open_storage(out, settings).lines(ANSWERS)
    finals = {line_key(line): Answer.from_json(line).final for line in read_lines(lines)}
    return frozenset(key for key, final in finals.items() if final)
