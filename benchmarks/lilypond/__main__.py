"""CPU per score: with a process that forks for each job, without one, and the plain way.

Compared, in one run, in turns, on the same scores (the examples of the task music, page 1, no footers):

    reference   cold convert-ly, cold `lilypond --png`, Pillow: plain, no sandbox, no server
    single-use  the service, jailed (tier namespace), every process started anew
    zygote      the service, jailed (tier namespace), jobs forked from processes that stand ready
    cairo       the service of "zygote", asked to draw with cairo instead of Ghostscript
    landlock    like "zygote" in tier landlock

All of the same LilyPond. Counted is the CPU time of every process of a variant: server, spawner,
supervisors, bubblewrap, engines, replaced zygotes, and the clean-up after the answer. Left out: the client,
kernel threads, and what the services use before the first job. All images must be
equal, except those of cairo.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from contextlib import AsyncExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path

from benchmarks.harness import machine
from benchmarks.harness.command import (
    MeasurementError,
    Result,
    add_engine_options,
    command_line,
    finish,
    say,
)
from benchmarks.harness.render_report import compare
from benchmarks.harness.rendering import (
    Running,
    Service,
    Variant,
    open_reference,
    open_service,
    structures,
)
from benchmarks.lilypond.snippets import fetch, render_all
from i2s_client import AsyncRenderClient
from i2s_render_lilypond.installation import find_installation
from i2s_sdk.data import examples_folder
from i2s_wire.render.isolation import IsolationTier
from i2s_wire.render.options import LilypondBackend, LilypondOptions, RenderOptions
from i2s_wire.render.rendering import Rendering

_USERS = 54_000
_EXAMPLES = """examples:
  python -m benchmarks.lilypond                          all examples, five repetitions
  python -m benchmarks.lilypond --limit 3 --repeat 3     a quick look
  python -m benchmarks.lilypond --snippets 300           also 300 real scores of Debian's lilypond-doc-html
  python -m benchmarks.lilypond --json > benchmarks/results/lilypond.json
"""
#: Name, tier, and how each service starts what renders a score.
_SERVICES = (
    ("single-use", IsolationTier.NAMESPACE, "single-use"),
    ("zygote", IsolationTier.NAMESPACE, "zygote"),
    ("landlock", IsolationTier.LANDLOCK, "zygote"),
)
_RATIOS = (
    ("reference", "zygote", "job"),
    ("reference", "cairo", "job"),
    ("reference", "landlock", "job"),
    ("single-use", "zygote", "job"),
)
_BARS = {("reference", "zygote"): 4.0, ("reference", "cairo"): 5.0}
_COMPILES = {"single-use": "cold", "zygote": "zygote"}


async def run(given: argparse.Namespace) -> Result:
    """Measure everything.

    Raises:
        MeasurementError: A variant failed, or images differ.
        I2SError: A service does not start or does not answer.
    """
    documents = dict(list(structures(examples_folder(given.data), "music").items())[: given.limit])
    load_before = machine.load()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="i2s-benchmark-")))
        real = await asyncio.to_thread(fetch, folder, given.snippets) if given.snippets else []
        programs = str(find_installation().lilypond.parent)
        plain = open_reference(given.slots, "lilypond.reference", programs)
        variants: list[Variant] = [await stack.enter_async_context(plain)]
        services: dict[str, Running] = {}
        draw = partial(_render, LilypondBackend.GHOSTSCRIPT)
        for place, (name, tier, warm) in enumerate(_SERVICES):
            say(f"starting {name}")
            users = _USERS + place * 256  # services that share users of jobs share their processes too
            arguments = ["--slots", str(given.slots), "--jail-uid-base", str(users), "--warm", warm]
            service = open_service("render-lilypond", name, tier, arguments, folder)
            services[name] = await stack.enter_async_context(service)
            variants.append(Service(name, services[name], draw, _COMPILES[warm]))
        cairo = partial(_render, LilypondBackend.CAIRO)
        variants.append(Service("cairo", services["zygote"], cairo, "zygote", same_pixels=False))
        report = await compare(given, variants, documents, services, _RATIOS, load_before)
        say(f"{len(real)} real scores")
        snippets = await render_all(services["zygote"].client, real, given.slots) if real else None
    holds = report.holds(_BARS) and (snippets is None or not snippets.failures)
    bars = {f"{over}/{under}": least for (over, under), least in _BARS.items()}
    document = {
        "bars": {**bars, "holds": holds},
        **report.as_json(),
        "snippets": asdict(snippets) if snippets else None,
    }
    lines = [*report.lines(_BARS), *(snippets.lines() if snippets else ())]
    return Result(document, lines, 0 if holds else 1)


async def _render(backend: LilypondBackend, client: AsyncRenderClient, document: str) -> Rendering:
    options = RenderOptions(lilypond=LilypondOptions(backend=backend))
    rendering = await client.render_lilypond(document, options=options)
    if rendering.verdict.has_picture and rendering.lilypond_backend is not backend:
        raise MeasurementError(f"was to be drawn by {backend} and was by {rendering.lilypond_backend}")
    return rendering


def main() -> int:
    """Return 0 if the claims hold, 1 if not, 2 if nothing could be measured."""
    parser = command_line("lilypond", __doc__, _EXAMPLES)
    add_engine_options(parser)
    add = parser.add_argument
    add("--snippets", type=int, default=0, metavar="N", help="real scores to render too (default: 0)")
    given = parser.parse_args()
    return finish(given, lambda: asyncio.run(run(given)))


if __name__ == "__main__":
    raise SystemExit(main())
