"""CPU of a web page of a second model: rendered, laid out, compared; its ground truth was rendered before.

A first model is evaluated on the pages of a data set, so that caches and workers are warm, then others, each
with words left out elsewhere in every page. Counted are all processes of a model's evaluation: the evaluating
one with its scorers, the browser and its server, the metric service without weights of networks, less what an
evaluation without any page takes. Left out: the start of services, the model, and reference points.

The exit code is 0 only if the median of the further models is below the bar in each task and profile.

    python -m benchmarks.second_model
    python -m benchmarks.second_model --repeat 5 --json
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from statistics import median

from benchmarks.harness.command import Result, add_output, add_repeat, command_line, finish, say
from benchmarks.harness.machine import load
from benchmarks.harness.meter import own_and_childrens_seconds
from benchmarks.harness.services import Served, serving
from i2s_client.service_table import METRICS
from i2s_sdk import Settings, evaluate
from i2s_sdk.data.folder import read_content, read_folder
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.stack.services import service_command
from i2s_sdk.tasks.graded import Rung
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import task_spec
from i2s_wire.renderers import RENDER_HTML

#: CPU seconds of a page.
BAR = 0.6
_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
#: Tasks with their data, and the profiles whose rules are followed.
_CASES = (
    ("webpage", _EXAMPLES, "paper"),
    ("design2code", _EXAMPLES / "design2code", "paper"),
    ("design2code", _EXAMPLES / "design2code", "reference"),
)


class Careless(Model):
    """Answers with the ground truth less a tenth of its words, another tenth for each seed."""

    whole = True

    def __init__(self, seed: int) -> None:
        self.name, self._seed = f"careless/{seed}", seed

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the page without some words."""
        spec = task_spec(instance.task)
        change = next(grade.change for grade in spec.grades if grade.rung is Rung.TENTH_MISSING)
        content = read_content(instance)
        changed = change(content, Random(f"{self._seed} {instance.id}"))
        return Completion(spec.answer(changed or content, question), Finish.STOP)


@dataclass(frozen=True, slots=True)
class Measured:
    """CPU seconds of a page."""

    task: str
    profile: str
    pages: int
    #: Of the first model, whose ground truths are rendered too; by part.
    first: Mapping[str, float]
    #: Of each further model.
    others: tuple[Mapping[str, float], ...]

    @property
    def median(self) -> float:
        """Median of the further models."""
        return median(sum(one.values()) for one in self.others)

    def line(self) -> str:
        """Return the row of the table."""
        totals = [sum(one.values()) for one in self.others]
        parts = ", ".join(f"{name} {median(one[name] for one in self.others):.3f}" for name in self.first)
        cells = f"{self.pages:>5}{sum(self.first.values()):>10.3f}{self.median:>10.3f}"
        return f"{self.task:<14}{self.profile:<12}{cells}   {min(totals):.3f} to {max(totals):.3f}   {parts}"


async def measured(repeat: int) -> list[Measured]:
    """Return what pages take, case by case.

    Raises:
        StackError: A service does not start.
    """
    with tempfile.TemporaryDirectory(prefix="i2s-second-model-") as folder:
        home = Path(folder)
        async with AsyncExitStack() as started:
            served: dict[str, Served] = {}
            for name in (RENDER_HTML.name, METRICS):
                command = service_command(name)
                nowhere = ("--weights-dir", folder, "--hub-dir", folder) if name == METRICS else ()
                command = replace(command, arguments=(*command.arguments, "--slots", "1", *nowhere))
                served[name] = await started.enter_async_context(serving(command, home))
            addresses = {name.replace("-", "_"): one.child.address for name, one in served.items()}
            settings = Settings(
                jobs=1,
                reference_points="no",
                evaluation_caches=str(home / "caches"),
                **addresses,  # type: ignore[arg-type]
            )
            return [
                await _case(task, data, profile, settings, served, home, repeat)
                for task, data, profile in _CASES
            ]


async def _case(
    task: str,
    data: Path,
    profile: str,
    settings: Settings,
    served: Mapping[str, Served],
    home: Path,
    repeat: int,
) -> Measured:
    pages = sum(instance.task == task for instance in read_folder(data).instances)

    async def spent() -> dict[str, float]:
        await asyncio.sleep(1.0)  # in which the renderer prepares its next page
        services = {name: await one.meter.settled() for name, one in served.items()}
        return {"evaluation": own_and_childrens_seconds(), **services}

    async def taken(seed: int, limit: int | None = None) -> dict[str, float]:
        before = await spent()
        out = home / "runs" / f"{task}-{profile}-{seed}-{limit}"
        await asyncio.to_thread(
            evaluate, data, Careless(seed), out=out, settings=settings, profile=profile, tasks=(task,),
            limit=limit,
        )  # fmt: skip
        return {name: after - before[name] for name, after in (await spent()).items()}

    await taken(0, limit=1)  # loads what is loaded once
    # An evaluation of one page and one of all differ by all pages but one.
    totals = []
    for seed in range(1, repeat + 2):
        say(f"{task}, profile {profile}: model {seed} of {repeat + 1}")
        one, all_pages = await taken(100 + seed, limit=1), await taken(seed)
        totals.append({name: (all_pages[name] - one[name]) / (pages - 1) for name in one})
    return Measured(task, profile, pages, totals[0], tuple(totals[1:]))


def _lines(rows: list[Measured]) -> Iterator[str]:
    yield f"CPU seconds of a page; load of this machine {load():.1f}, bar {BAR} (median of the others)"
    yield f"{'task':<14}{'profile':<12}{'pages':>5}{'first':>10}{'others':>10}   spread, medians of the parts"
    yield from (row.line() for row in rows)


def main() -> int:
    """Measure, print and judge."""
    parser = command_line("second_model", __doc__)
    add_repeat(parser, 3, "of the further models")
    add_output(parser)
    given = parser.parse_args()

    def measure() -> Result:
        rows = asyncio.run(measured(given.repeat))
        document = [{**asdict(row), "median": row.median} for row in rows]
        return Result(document, _lines(rows), 0 if all(row.median < BAR for row in rows) else 1)

    return finish(given, measure)


if __name__ == "__main__":
    sys.exit(main())
