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
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, ClassVar

from benchmarks.harness import machine
from benchmarks.harness.command import add_engine_options, command_line, finish, say
from benchmarks.harness.render_report import MS, Ratio, RenderReport
from benchmarks.harness.rendering import (
    Running,
    Service,
    Table,
    Variant,
    measure,
    open_reference,
    open_service,
    structures,
    throughput,
)
from i2s_sdk.clients import AsyncRenderClient
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
_NAMESPACE, _LANDLOCK, _NONE = IsolationTier.NAMESPACE, IsolationTier.LANDLOCK, IsolationTier.NONE
_CLAIM = ("cold", "format")


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


@dataclass(frozen=True, slots=True)
class Report(RenderReport):
    """Everything that a run measured."""

    bars: ClassVar[Mapping[tuple[str, str], float]] = {_CLAIM: 6.0}
    sandbox: tuple[SandboxCost, ...]

    def as_json(self) -> dict[str, Any]:  # noqa: D102 - inherited
        return {"bar": {"least": self.bars[_CLAIM], "holds": self.holds}, **RenderReport.as_json(self)}

    def lines(self) -> Iterator[str]:  # noqa: D102
        yield from RenderReport.lines(self)
        for cost in self.sandbox:
            yield f"sandbox, {cost.variant}: {cost.seconds * MS:.1f} ms a job, {cost.share:.0%}"


async def run(given: argparse.Namespace) -> Report:
    """Measure everything.

    Raises:
        MeasurementError: A variant failed, or images differ.
        I2SError: A service does not start or does not answer.
    """
    documents = dict(list(latex_documents(examples_folder(given.data)).items())[: given.limit])
    load_before = machine.load()
    async with AsyncExitStack() as stack:
        logs = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="i2s-benchmark-")))
        services: dict[IsolationTier, Running] = {}
        for tier in (_NAMESPACE, _LANDLOCK, _NONE):
            title = tier.name.lower()
            say(f"starting the service in tier {title}")
            arguments = ["--slots", str(given.slots), "--preamble", str(preamble_path(Profile.PAPER))]
            arguments += ["--allow-unsandboxed"] if tier is _NONE else []
            service = open_service("render-latex", title, tier, arguments, logs)
            services[tier] = await stack.enter_async_context(service)
        variants: list[Variant] = [
            await stack.enter_async_context(open_reference(given.slots, "latex.reference")),
            Service("cold", services[_NAMESPACE], _cold, "cold"),
            Service("format", services[_NAMESPACE], _with_format, "format"),
            Service("landlock", services[_LANDLOCK], _with_format, "format"),
            Service("none", services[_NONE], _with_format, "format"),
        ]
        figures = await measure(variants, documents, given.repeat)
        rates = await throughput(variants, documents, given.slots, given.rounds)
        described = {tier.name.lower(): one.description for tier, one in services.items()}
        return Report(
            machine=machine.look(
                described["namespace"].versions,
                {tier: one.isolation.mechanisms for tier, one in described.items()},
                load_before,
            ),
            counted=services[_NAMESPACE].meter.how,
            repeat=given.repeat,
            slots=given.slots,
            figures=figures,
            ratios=tuple(
                Ratio.of(figures, over, "format", part)
                for part in ("job", "compile")
                for over in ("cold", "reference")
            ),
            sandbox=(SandboxCost.of(figures, "format"), SandboxCost.of(figures, "landlock")),
            throughput=rates,
        )


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
    return finish(given, lambda: asyncio.run(run(given)).result())


if __name__ == "__main__":
    raise SystemExit(main())
