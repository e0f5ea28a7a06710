"""The way of this project: `evaluate` through running services, with everything counted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.latex.meter import open_meter
from benchmarks.whole_run.evaluation import Options
from benchmarks.whole_run.figures import INSTANCES, Cost
from benchmarks.whole_run.programs import Program, running
from benchmarks.whole_run.stack import Stack
from i2s_wire.metrics.profile import Profile

#: Called with how far the comparison is.
Say = Callable[[str], None]

#: The stage that is the evaluating process: model, wire, run folder.
EVALUATION = "evaluation"


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What an evaluation of a model took.

    Attributes:
        costs: By task; the stages are the services and the evaluating process.
        fixed: CPU seconds of the evaluating process outside of samples: start, plan, worker processes of
            scorers, numbers, report.
        outcomes: What became of each sample, by id: "rendered", "values", "picture".
    """

    costs: Mapping[str, Cost]
    fixed: float
    outcomes: Mapping[str, Mapping[str, Any]]


async def evaluated(
    stack: Stack, folder: Path, model: str, profile: Profile, caches: Path, say: Say
) -> Evaluated:
    """Evaluate one of the models on all tasks.

    Args:
        stack: The services.
        folder: Holds the data set and the answers; see ``lay_down``.
        model: Name of the model.
        profile: Which rules.
        caches: Folder of the caches of the SDK. A second evaluation profits from those of the first.
        say: Called with how far it is.

    Raises:
        ProgramError: The evaluation failed.
    """
    name = f"{profile}-{model}-{stack.workers}"
    options = Options(
        data=str(folder / "data"),
        answers=str(folder / f"{model}.jsonl"),
        out=str(folder / "runs" / name),
        profile=str(profile),
        tasks=list(INSTANCES),
        jobs=stack.workers,
        addresses=dict(stack.addresses),
    )
    meter = open_meter(EVALUATION)
    try:
        environment = {"XDG_CACHE_HOME": str(caches)}
        text = json.dumps(asdict(options))
        async with running("evaluation", text, meter.starting(), environment) as program:
            meter.adopt(program.pid)
            title = f"{stack.workers} worker(s), profile {profile}, {model} model"
            costs, outcomes, inside = await _follow(program, _Looks(stack, meter.settled), title, say)
            await program.end()
            return Evaluated(costs, meter.cpu_seconds() - inside, outcomes)
    finally:
        meter.close()


@dataclass(frozen=True, slots=True)
class _Looks:
    """Reads all meters at a moment when no sample is under way.

    Attributes:
        stack: The services.
        own: Returns the CPU seconds of the evaluating process.
    """

    stack: Stack
    own: Callable[[], Any]

    async def __call__(self) -> dict[str, float]:
        return {**await self.stack.rested(), EVALUATION: await self.own()}


async def _follow(
    program: Program, look: _Looks, title: str, say: Say
) -> tuple[dict[str, Cost], dict[str, Mapping[str, Any]], float]:
    """Read the meters around the samples of each task.

    Returns:
        The costs by task, the outcomes by sample, and the CPU seconds of the evaluating process that are not
        outside of samples.
    """
    costs: dict[str, Cost] = {}
    single: dict[str, float] = {}
    before: dict[str, float] = {}
    inside = 0.0
    while True:
        line = await program.read()
        match line["at"]:
            case "begin":
                before = await look()
                await program.write()
            case "single end":
                spent = _spent(before, await look())
                single[line["task"]] = spent[EVALUATION]
                inside += spent[EVALUATION]
                await program.write()
            case "end":
                spent = _spent(before, await look())
                own = of_samples(spent[EVALUATION], single[line["task"]], line["samples"])
                costs[line["task"]] = Cost(line["samples"], {**spent, EVALUATION: own}, line["wall"])
                inside += own
                await program.write()
            case "sample":
                say(f"{title}: {line['finished']} samples")
            case _:
                return costs, {one["id"]: one for one in line["outcomes"]}, inside


def _spent(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    return {name: seconds - before[name] for name, seconds in after.items()}


def of_samples(all_of_them: float, single: float, samples: int) -> float:
    """Return the CPU seconds of the samples of an evaluation, without what it does once.

    Args:
        all_of_them: CPU seconds of an evaluation.
        single: CPU seconds of one with a single sample.
        samples: Number of samples of the former; of a single one, what it does once is not known.
    """
    if samples == 1:
        return all_of_them
    return max(0.0, all_of_them - single) * samples / (samples - 1)
