"""The evaluation of a model on a data set: from names to numbers and a report."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from i2s_sdk.evaluation.finalize import RunResult, finalize
from i2s_sdk.evaluation.plan import Plan, model_fingerprint, plan_run
from i2s_sdk.evaluation.progress import OnProgress, say_nothing
from i2s_sdk.evaluation.runner import Runner, StageName
from i2s_sdk.evaluation.selection_args import SelectionArgs, resolve_selection
from i2s_sdk.models import Model, open_model
from i2s_sdk.models.model import close_model
from i2s_sdk.models.options import options_from
from i2s_sdk.runlog.folder import RunFolder
from i2s_sdk.runlog.storage import PathOrUrl
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking

__all__ = ["OnProgress", "RunResult", "evaluate"]


def evaluate(
    data: Path | str | None = None,
    model: str | Model = "oracle",
    *,
    out: PathOrUrl,
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
    **wanted: Unpack[SelectionArgs],
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
            ``limit``, ``seed``, ``shard``; see ``i2s_sdk.evaluation.selection_args.SelectionArgs``.

    Raises:
        UsageError: A name, the data set or the run folder does not fit; says why.
        StackError: A service cannot be started.
        ServiceError: A service that was named does not answer.
    """
    settings = settings or Settings.load()
    choice = resolve_selection(data, settings, **wanted)
    options = options_from(settings)
    opened = open_model(model, options) if isinstance(model, str) else model
    plan = plan_run(choice, opened.name, model_fingerprint(choice, opened))
    return run_blocking(_evaluate(plan, opened, out, settings, on_progress or say_nothing))


async def _evaluate(
    plan: Plan, model: Model, out: PathOrUrl, settings: Settings, on_progress: OnProgress
) -> RunResult:
    try:
        with RunFolder.open(out, settings) as folder:
            await Runner(plan, folder, tuple(StageName), settings, on_progress, model).run()
            return finalize(folder, plan.instances, settings)
    finally:
        await close_model(model)
