"""CPU per LaTeX job: with a precompiled format, without one, and as the reference implementation goes.

Compared, in one run, in turns, on the same documents (all LaTeX examples as profile ``paper`` has them):

    reference   cold pdflatex until the .aux is stable, pdftoppm, Pillow: plain, no sandbox, no server
    cold        the service without a format, jailed (tier namespace)
    format      the service with the precompiled format, jailed (tier namespace)
    landlock    the same in tier landlock
    none        the same without a sandbox: what is left is what the sandbox costs

Counted is the CPU time of every process of a variant: server, spawner, supervisors, bubblewrap, engines,
and the clean-up after the answer. Left out: the client, and kernel threads. All images must be equal.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from benchmarks.harness import machine
from benchmarks.harness.command import Result, add_engine_options, command_line, finish, say
from benchmarks.harness.render_report import MS, compare
from benchmarks.harness.rendering import (
    Running,
    Service,
    Table,
    Variant,
    open_reference,
    open_service,
    structures,
)
from i2s_client import AsyncRenderClient
from i2s_sdk.data import examples_folder
from i2s_sdk.tasks.latex import LatexTask, preamble_path
from i2s_sdk.tasks.structure import Structure
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.isolation import IsolationTier
from i2s_wire.render.rendering import Rendering

_EXAMPLES = """examples:
  python -m benchmarks.latex                          all examples, five repetitions
  python -m benchmarks.latex --limit 4 --repeat 3     a quick look
  python -m benchmarks.latex --json > benchmarks/results/latex.json
"""
_TASK = LatexTask(Profile.PAPER)
_BARS = {("cold", "format"): 6.0}


@dataclass(frozen=True, slots=True)
class SandboxCost:
    """What the sandbox adds to a job: median over the examples, in seconds of CPU and as a share."""

    variant: str
    seconds: float
    share: float

    @classmethod
    def of(cls, figures: Table, variant: str) -> SandboxCost:
        """Return the cost of the sandbox of a variant, compared with the service without one."""
        pairs = [(figures[variant][document].cpu, one.cpu) for document, one in figures["none"].items()]
        seconds = median(isolated - plain for isolated, plain in pairs)
        return cls(variant, seconds, median(isolated / plain - 1 for isolated, plain in pairs))


async def run(given: argparse.Namespace) -> Result:
    """Measure everything.

    Raises:
        MeasurementError: A variant failed, or images differ.
        I2SError: A service does not start or does not answer.
    """
    documents = dict(list(latex_documents(examples_folder(given.data)).items())[: given.limit])
    load_before = machine.load()
    async with AsyncExitStack() as stack:
        logs = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="i2s-benchmark-")))
        services: dict[str, Running] = {}
        for tier in (IsolationTier.NAMESPACE, IsolationTier.LANDLOCK, IsolationTier.NONE):
            title = tier.name.lower()
            say(f"starting the service in tier {title}")
            arguments = ["--slots", str(given.slots), "--preamble", str(preamble_path(Profile.PAPER))]
            arguments += ["--allow-unsandboxed"] if tier is IsolationTier.NONE else []
            service = open_service("render-latex", title, tier, arguments, logs)
            services[title] = await stack.enter_async_context(service)
        variants: list[Variant] = [
            await stack.enter_async_context(open_reference(given.slots, "latex.reference")),
            Service("cold", services["namespace"], _cold, "cold"),
            Service("format", services["namespace"], _with_format, "format"),
            Service("landlock", services["landlock"], _with_format, "format"),
            Service("none", services["none"], _with_format, "format"),
        ]
        ratios = [(over, "format", part) for part in ("job", "compile") for over in ("cold", "reference")]
        report = await compare(given, variants, documents, services, ratios, load_before)
    holds = report.holds(_BARS)
    costs = [SandboxCost.of(report.figures, variant) for variant in ("format", "landlock")]
    document = {
        "bar": {"least": _BARS["cold", "format"], "holds": holds},
        **report.as_json(),
        "sandbox": [asdict(cost) for cost in costs],
    }
    lines = [
        *report.lines(_BARS),
        *(f"sandbox, {cost.variant}: {MS * cost.seconds:.1f} ms a job, {cost.share:.0%}" for cost in costs),
    ]
    return Result(document, lines, 0 if holds else 1)


async def _cold(client: AsyncRenderClient, document: str) -> Rendering:
    return await client.render_latex(document, page=_TASK.page(), cold=True)


async def _with_format(client: AsyncRenderClient, document: str) -> Rendering:
    return await client.render_latex(document, page=_TASK.page(), cold=False)


def latex_documents(data: Path) -> dict[str, str]:
    """Return the documents of all LaTeX instances of a data set that have a ground truth, by id."""
    return {
        name: _TASK.document(Structure(code)).source for name, code in structures(data, _TASK.name).items()
    }


def main() -> int:
    """Return 0 if the claim holds, 1 if it does not, 2 if nothing could be measured."""
    parser = command_line("latex", __doc__, _EXAMPLES)
    add_engine_options(parser)
    given = parser.parse_args()
    return finish(given, lambda: asyncio.run(run(given)))


if __name__ == "__main__":
    raise SystemExit(main())
