"""The evaluation of a model on a data set: from names to numbers and a report."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from i2s_sdk.models import Model, ModelOptions, open_model
from i2s_sdk.models.model import close_model
from i2s_sdk.runs.conclude import RunResult, conclude
from i2s_sdk.runs.execution import Execution, StageName
from i2s_sdk.runs.folder import RunFolder
from i2s_sdk.runs.place import Where
from i2s_sdk.runs.plan import Plan, plan_run
from i2s_sdk.runs.progress import OnProgress, say_nothing
from i2s_sdk.runs.wanted import Wanted, choice_of
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking

__all__ = ["OnProgress", "RunResult", "evaluate"]


def evaluate(
    data: Path | str | None = None,
    model: str | Model = "oracle",
    *,
    out: Where,
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
    **wanted: Unpack[Wanted],
) -> RunResult:
    """Evaluate a model on a data set; go on where an earlier call with the same options stopped.

    >>> evaluate(model="replay:answers.jsonl", out="runs/answers")  # doctest: +SKIP

    Args:
        data: The data set: a folder, or ``hf:OWNER/NAME``; None takes the bundled examples.
        model: Its name ("oracle", "replay:FILE"), or a model of your own.
        out: Folder of the run, or its URL in an object store; made where it does not exist.
        settings: None reads environment and configuration file.
        on_progress: Called at the beginning and as samples go on.
        wanted: ``profile``, and what of the data set: ``tasks``, ``subsets``, ``difficulties``, ``samples``,
            ``limit``, ``seed``, ``shard``; see ``i2s_sdk.runs.wanted.Wanted``.

    Raises:
        UsageError: A name, the data set or the run folder does not fit; says why.
        StackError: A service cannot be started.
        ServiceError: A service that was named does not answer.
    """
    settings = settings or Settings.load()
    choice = choice_of(data, settings, **wanted)
    options = ModelOptions(completion_characters=settings.completion_characters)
    opened = open_model(model, options) if isinstance(model, str) else model
    plan = plan_run(choice, opened.name, opened.fingerprint)
    return run_blocking(_evaluate(plan, opened, out, settings, on_progress or say_nothing))


async def _evaluate(
    plan: Plan, model: Model, out: Where, settings: Settings, on_progress: OnProgress
) -> RunResult:
    try:
        with RunFolder.open(out, settings) as folder:
            await Execution(plan, folder, tuple(StageName), settings, on_progress, model).run()
            return conclude(folder, plan.instances, settings)
    finally:
        await close_model(model)
