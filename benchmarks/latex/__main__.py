"""CPU per LaTeX job: with a precompiled format, without one, and as the reference implementation goes.

Compared, in one run, in turns, on the same documents (all LaTeX examples as profile ``paper`` has them):

    reference   cold pdflatex until the .aux is stable, pdftoppm, Pillow: plain, no sandbox, no server
    cold        the service without a format, jailed (tier namespace)
    format      the service with the precompiled format, jailed (tier namespace)
    landlock    the same in tier landlock
    none        the same without a sandbox: what is left is what the sandbox costs

Counted is the CPU time of every process of a variant: server, spawner, supervisors, bubblewrap, engines,
and the clean-up after the answer. Left out: the client, and kernel threads. All pictures must be equal.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from benchmarks.latex import machine, reference
from benchmarks.latex.measure import Say, Task, bursts_of_all, sample_all
from benchmarks.latex.report import Report
from benchmarks.latex.summary import figures_of, ratio, sandbox_cost, throughput_of
from benchmarks.latex.variants import Service, Variant, VariantError, open_reference, open_service
from i2s_sdk.data import examples_folder, read_folder
from i2s_sdk.errors import I2SError
from i2s_sdk.tasks.latex import LatexTask, preamble_path
from i2s_sdk.tasks.structure import Structure
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.isolation import IsolationTier

_EXAMPLES = """examples:
  python -m benchmarks.latex                          all examples, five repetitions
  python -m benchmarks.latex --limit 4 --repeat 3     a quick look
  python -m benchmarks.latex --json > benchmarks/results/latex.json
"""
_TASK = LatexTask(Profile.PAPER)


async def run(data: Path, limit: int | None, repeat: int, rounds: int, slots: int, say: Say) -> Report:
    """Measure everything.

    Args:
        data: Folder of the examples.
        limit: Number of examples that are taken, the first ones; None takes all.
        repeat: Repetitions of each job, one at a time.
        rounds: Rounds of throughput; 0 measures none.
        slots: Jobs at once for throughput.
        say: Called with how far it is.

    Raises:
        VariantError: A variant failed, or pictures differ.
        I2SError: A service does not start or does not answer.
    """
    tasks = latex_tasks(data)[:limit]
    load_before = machine.load()
    async with AsyncExitStack() as stack:
        logs = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="i2s-benchmark-")))
        preamble, page = preamble_path(Profile.PAPER), _TASK.page()
        running = {}
        for tier in (IsolationTier.NAMESPACE, IsolationTier.LANDLOCK, IsolationTier.NONE):
            say(f"starting the service in tier {tier.name.lower()}")
            running[tier] = await stack.enter_async_context(open_service(tier, slots, preamble, logs))
        jailed = running[IsolationTier.NAMESPACE]
        variants: list[Variant] = [
            await stack.enter_async_context(open_reference(slots, reference.__file__)),
            Service("cold", jailed.meter, jailed.client, page, cold=True),
            Service("format", jailed.meter, jailed.client, page, cold=False),
        ]
        for tier in (IsolationTier.LANDLOCK, IsolationTier.NONE):
            one = running[tier]
            variants.append(Service(tier.name.lower(), one.meter, one.client, page, cold=False))
        samples = await sample_all(variants, tasks, repeat, say)
        figures = figures_of([one.name for one in variants], samples)
        bursts = await bursts_of_all(variants, tasks, slots, rounds, say)
        descriptions = {tier.name.lower(): await one.client.describe() for tier, one in running.items()}
        return Report(
            machine=machine.look(
                descriptions["namespace"].versions,
                {tier: one.isolation.mechanisms for tier, one in descriptions.items()},
                load_before,
            ),
            counted=jailed.meter.how,
            repeat=repeat,
            slots=slots,
            figures=figures,
            ratios=(
                ratio(figures, "cold", "format"),
                ratio(figures, "reference", "format"),
                ratio(figures, "cold", "format", "compile"),
                ratio(figures, "reference", "format", "compile"),
            ),
            sandbox=(sandbox_cost(figures, "format", "none"), sandbox_cost(figures, "landlock", "none")),
            throughput=throughput_of(bursts),
        )


def latex_tasks(data: Path) -> list[Task]:
    """Return the documents of all LaTeX instances of a data set that have a ground truth."""
    return [
        Task(one.id, _TASK.document(Structure(one.structure.read_text(encoding="utf-8"))).source)
        for one in read_folder(data).instances
        if one.task == _TASK.name and one.structure is not None
    ]


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not 1 or more")
    return value


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(
        prog="python -m benchmarks.latex",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = command.add_argument
    add("--repeat", type=_count, default=5, metavar="N", help="repetitions of every job (default: 5)")
    add("--limit", type=_count, metavar="N", help="only the first N examples")
    add("--rounds", type=int, default=2, metavar="N", help="rounds of throughput, 0 for none (default: 2)")
    add("--slots", type=_count, default=2, metavar="N", help="jobs at once for throughput (default: 2)")
    add("--data", type=Path, metavar="FOLDER", help="data set (default: the bundled examples)")
    add("--json", action="store_true", help="print one JSON document instead of tables")
    return command


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if the claim holds, 1 if it does not, 2 if nothing could be measured."""
    options = parser().parse_args(arguments)

    def say(text: str) -> None:
        end = "\r" if sys.stderr.isatty() else "\n"
        print(f"{text:<79}", end=end, file=sys.stderr, flush=True)

    try:
        data = examples_folder(options.data)
        report = asyncio.run(run(data, options.limit, options.repeat, options.rounds, options.slots, say))
    except (VariantError, I2SError) as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report.as_json(), indent=1) if options.json else report.as_text())
    return 0 if report.holds else 1


if __name__ == "__main__":
    raise SystemExit(main())
