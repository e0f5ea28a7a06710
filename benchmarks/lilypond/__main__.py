"""CPU per score: with a process that forks for each job, without one, and the plain way.

Compared, in one run, in turns, on the same scores (the examples of the task music, page 1, no footers):

    reference   cold convert-ly, cold `lilypond --png`, Pillow: plain, no sandbox, no server
    single-use  the service, jailed (tier namespace), every process started anew
    zygote      the service, jailed (tier namespace), jobs forked from processes that stand ready
    cairo       the service of "zygote", asked to draw with cairo instead of Ghostscript
    landlock    like "zygote" in tier landlock

All of the same LilyPond. Counted is the CPU time of every process of a variant: server, spawner,
supervisors, bubblewrap, engines, replaced zygotes, and the clean-up after the answer. Left out: the client,
kernel threads, and what the services use before the first job. All pictures must be
equal, except those of cairo.
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

from benchmarks.latex import machine
from benchmarks.latex.measure import Say, Task, bursts_of_all, sample_all
from benchmarks.latex.summary import figures_of, ratio, throughput_of
from benchmarks.latex.variants import Variant, VariantError, open_reference
from benchmarks.lilypond import reference
from benchmarks.lilypond.report import Report
from benchmarks.lilypond.snippets import fetch, render_all
from benchmarks.lilypond.variants import open_service
from i2s_render_lilypond.installation import find_installation
from i2s_sdk.data import examples_folder, read_folder
from i2s_sdk.errors import I2SError
from i2s_wire.render.isolation import IsolationTier

_TASK = "music"
_USERS = 54_000
_EXAMPLES = """examples:
  python -m benchmarks.lilypond                          all examples, five repetitions
  python -m benchmarks.lilypond --limit 3 --repeat 3     a quick look
  python -m benchmarks.lilypond --snippets 300           also 300 real scores of Debian's lilypond-doc-html
  python -m benchmarks.lilypond --json > benchmarks/results/lilypond.json
"""
_SERVICES = (
    ("single-use", IsolationTier.NAMESPACE, False),
    ("zygote", IsolationTier.NAMESPACE, True),
    ("landlock", IsolationTier.LANDLOCK, True),
)


async def run(options: argparse.Namespace, data: Path, say: Say) -> Report:
    """Measure everything.

    Raises:
        VariantError: A variant failed, or pictures differ.
        I2SError: A service does not start or does not answer.
    """
    tasks = scores(data)[: options.limit]
    load_before = machine.load()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="i2s-benchmark-")))
        real = await asyncio.to_thread(fetch, folder, options.snippets) if options.snippets else []
        programs = str(find_installation().lilypond.parent)
        plain = open_reference(options.slots, reference.__file__, programs)
        variants: list[Variant] = [await stack.enter_async_context(plain)]
        running = {}
        for place, (name, tier, warm) in enumerate(_SERVICES):
            say(f"starting {name}")
            users = _USERS + place * 256  # services that share users of jobs share their processes too
            service = open_service(name, tier, options.slots, folder, warm=warm, users=users)
            running[name] = await stack.enter_async_context(service)
            variants.append(running[name].variant)
        variants.append(running["zygote"].variant.with_cairo("cairo"))
        samples = await sample_all(variants, tasks, options.repeat, say)
        figures = figures_of([one.name for one in variants], samples)
        bursts = await bursts_of_all(variants, tasks, options.slots, options.rounds, say)
        say(f"{len(real)} real scores")
        client = running["zygote"].variant.client
        snippets = await render_all(client, real, options.slots) if real else None
        description = running["zygote"].description
        return Report(
            machine=machine.look(
                {name: value for name, value in description.versions.items() if name != "tree"},
                {name: one.description.isolation.mechanisms for name, one in running.items()},
                load_before,
            ),
            counted=variants[0].meter.how,
            repeat=options.repeat,
            slots=options.slots,
            figures=figures,
            ratios=(
                ratio(figures, "reference", "zygote"),
                ratio(figures, "reference", "cairo"),
                ratio(figures, "reference", "landlock"),
                ratio(figures, "single-use", "zygote"),
            ),
            throughput=throughput_of(bursts),
            snippets=snippets,
        )


def scores(data: Path) -> list[Task]:
    """Return the scores of a data set that have a ground truth."""
    return [
        Task(one.id, one.structure.read_text(encoding="utf-8"))
        for one in read_folder(data).instances
        if one.task == _TASK and one.structure is not None
    ]


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not 1 or more")
    return value


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(
        prog="python -m benchmarks.lilypond",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = command.add_argument
    add("--repeat", type=_count, default=5, metavar="N", help="repetitions of every job (default: 5)")
    add("--limit", type=_count, metavar="N", help="only the first N examples")
    add("--rounds", type=int, default=2, metavar="N", help="rounds of throughput, 0 for none (default: 2)")
    add("--slots", type=_count, default=2, metavar="N", help="jobs at once for throughput (default: 2)")
    add("--snippets", type=int, default=0, metavar="N", help="real scores to render too (default: 0)")
    add("--data", type=Path, metavar="FOLDER", help="data set (default: the bundled examples)")
    add("--json", action="store_true", help="print one JSON document instead of tables")
    return command


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if the claims hold, 1 if not, 2 if nothing could be measured."""
    options = parser().parse_args(arguments)

    def say(text: str) -> None:
        end = "\r" if sys.stderr.isatty() else "\n"
        print(f"{text:<79}", end=end, file=sys.stderr, flush=True)

    try:
        report = asyncio.run(run(options, examples_folder(options.data), say))
    except (VariantError, I2SError) as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report.as_json(), indent=1) if options.json else report.as_text())
    return 0 if report.holds else 1


if __name__ == "__main__":
    raise SystemExit(main())
