"""The evaluation of a model on a data set: from names to numbers and a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from i2s_sdk.data import Selection, Shard
from i2s_sdk.data.opening import open_data
from i2s_sdk.models import Model, open_model
from i2s_sdk.models.model import close_model
from i2s_sdk.profile import Profile
from i2s_sdk.runs.conclude import RunResult, conclude
from i2s_sdk.runs.execution import Execution, StageName
from i2s_sdk.runs.folder import RunFolder
from i2s_sdk.runs.place import Where
from i2s_sdk.runs.plan import Plan, choose, plan_run
from i2s_sdk.runs.progress import OnProgress, say_nothing
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking

__all__ = ["OnProgress", "RunResult", "evaluate"]


def evaluate(
    data: Path | str | None = None,
    model: str | Model = "oracle",
    *,
    out: Where,
    profile: Profile | str | None = None,
    tasks: Sequence[str] = (),
    subsets: Sequence[str] = (),
    difficulties: Sequence[str] = (),
    samples: Sequence[str] = (),
    limit: int | None = None,
    seed: int | None = None,
    shard: Shard | str | None = None,
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
) -> RunResult:
    """Evaluate a model on a data set; go on where an earlier call with the same options stopped.

    >>> evaluate(model="replay:answers.jsonl", out="runs/answers")  # doctest: +SKIP

    Args:
        data: The data set: a folder, or ``hf:OWNER/NAME``; None takes the bundled examples.
        model: Its name ("oracle", "replay:FILE"), or a model of your own.
        out: Folder of the run, or its URL in an object store; made where it does not exist.
        profile: The rule book; None takes that of the settings.
        tasks: That are evaluated; none means all that the data set has.
        subsets: The same.
        difficulties: The same.
        samples: Ids of single instances; none means all.
        limit: The most instances; None is all.
        seed: Of a choice of ``limit`` instances; None takes the first in the order of the data set.
        shard: The part that is done here, such as "1/3"; None is all. ``merge`` joins the parts.
        settings: None reads environment and configuration file.
        on_progress: Called at the beginning and as samples go on.

    Raises:
        UsageError: A name, the data set or the run folder does not fit; says why.
        StackError: A service cannot be started.
        ServiceError: A service that was named does not answer.
    """
    settings = settings or Settings.load()
    selection = selected(subsets, difficulties, samples, limit, seed, shard)
    dataset = open_data(data, examples=settings.examples, subsets=selection.subsets)
    choice = choose(dataset, Profile(profile or settings.profile), tasks, selection)
    opened = open_model(model) if isinstance(model, str) else model
    plan = plan_run(choice, opened.name, opened.fingerprint)
    return run_blocking(_evaluate(plan, opened, out, settings, on_progress or say_nothing))


def selected(
    subsets: Sequence[str],
    difficulties: Sequence[str],
    samples: Sequence[str],
    limit: int | None,
    seed: int | None,
    shard: Shard | str | None,
) -> Selection:
    """Return the selection that the arguments of ``evaluate`` say.

    Raises:
        UsageError: They say none.
    """
    part = Shard.parse(shard) if isinstance(shard, str) else shard
    return Selection(tuple(subsets), tuple(difficulties), tuple(samples), limit, seed, part)


async def _evaluate(
    plan: Plan, model: Model, out: Where, settings: Settings, on_progress: OnProgress
) -> RunResult:
    try:
        with RunFolder.open(out, settings) as folder:
            await Execution(plan, folder, tuple(StageName), settings, on_progress, model).run()
            return conclude(folder, plan.instances, settings)
    finally:
        await close_model(model)
