"""The renderers of SVG and Typst against their engines alone.

Compared, in one run, in turns:

  engine   resvg or the Typst compiler in a process of its own that has it loaded with its fonts: the call
           that makes the PNG, and nothing else
  warm     the engine of the renderer with warm interpreters, in the strongest tier that works here
  cold     the same with a fresh interpreter in a sandbox for each source

CPU seconds are compared: of the call for `engine`, of the job as the service reports it for the others, which
decode, crop and encode the image too. The exit code is 0 only if `warm` and `cold` draw the same bytes (else
2), and `warm` takes at most 0.03 CPU seconds more than `engine` on the median (else 1).

    python -m benchmarks.guests                       # JSON on standard output
    python -m benchmarks.guests --repeat 9
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial

from benchmarks.harness.command import Result, add_repeat, command_line, finish
from benchmarks.harness.machine import load, look
from benchmarks.harness.turns import in_turns
from i2s_chassis.jail import Jail
from i2s_chassis.renderer.bounds import ReceivedSource
from i2s_chassis.renderer.generic import GenericJob
from i2s_chassis.warm.program import WorkerSettings
from i2s_chassis.warm.worker_engine import WorkerEngine, open_worker_engine
from i2s_render_svg.settings import SvgSettings
from i2s_render_typst.settings import TypstSettings
from i2s_wire.render.request import File

MOST_MORE = 0.03
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {0}" width="{1}" height="{1}">{2}</svg>'
_TEXT = "".join(
    f'<text x="20" y="{20 * at}" font-family="Arial" font-size="14">Line {at} of a text of some words</text>'
    for at in range(1, 25)
)
_DOTS = "".join(
    f'<circle cx="{at % 25 * 20 + 10}" cy="{at // 25 * 20 + 10}" r="8" fill="hsl({at},60%,50%)"/>'
    for at in range(625)
)
SOURCES = {
    "svg": {
        "icon": SVG.format(24, 224, '<path d="M12 2 2 22h20z" fill="none" stroke="#345" stroke-width="2"/>'),
        "text": SVG.format(512, 512, _TEXT),
        "dots": SVG.format(512, 512, _DOTS),
    },
    "typst": {
        "formula": "$ sum_(i=0)^n x_i = integral_0^1 f(x) dif x $",
        "page": "= A page\n#lorem(300)\n\n#table(columns: 3, ..range(30).map(str))",
        "pages": "#lorem(2000)",
    },
}
ALONE = {
    "svg": """
import json, resvg_py, sys, time
from pathlib import Path
text, fonts = sys.stdin.read(), json.loads(sys.argv[1])
start = time.process_time()
resvg_py.svg_to_bytes(svg_string=text, background="#ffffff", skip_system_fonts=True, font_files=fonts)
print(time.process_time() - start)
""",
    "typst": """
import sys, time, typst
fonts, text = typst.Fonts(include_system_fonts=False), sys.stdin.buffer.read()
start = time.process_time()
typst.Compiler(font_paths=fonts).compile(text, format="png", ppi=100.0)
print(time.process_time() - start)
""",
}


@dataclass(frozen=True, slots=True)
class Run:
    """One run: CPU seconds, and the image unless the engine ran alone."""

    cpu: float
    image: bytes = b""


async def alone(language: str, fonts: str, text: str) -> Run:
    """Let an engine draw a source in a process of its own."""
    command = [sys.executable, "-c", ALONE[language], fonts]
    ended = await asyncio.to_thread(
        subprocess.run, command, input=text, capture_output=True, check=True, text=True
    )
    return Run(float(ended.stdout))


async def by_engine(opened: WorkerEngine, language: str, draw: str, text: str) -> Run:
    """Let a renderer draw a source, with the defaults of the service."""
    limits = opened.settings.limit_table().default
    source = ReceivedSource(language, "main", (File("main", text.encode()),))
    job = GenericJob(source, opened.options, limits)
    drawn = await (opened.draw_cold(job) if draw == "cold" else opened.render(job))
    return Run(drawn.usage.cpu_seconds, drawn.pictures[0].png)


@asynccontextmanager
async def engine(settings: WorkerSettings) -> AsyncIterator[WorkerEngine]:
    """Open an engine with warm interpreters."""
    jail = await Jail.start(settings.jail_settings())
    try:
        async with open_worker_engine(settings, jail) as opened:
            yield opened
    finally:
        await jail.close()


async def measure(
    language: str, opened: WorkerEngine, repeat: int
) -> tuple[dict[str, dict[str, float]], bool]:
    """Return the medians of each source, and whether warm and cold jobs draw the same bytes."""
    fonts = json.dumps(opened.jobs.worker.settings.get("fonts", []))
    ways: Mapping[str, Callable[[str], Awaitable[Run]]] = {
        "engine": partial(alone, language, fonts),
        "warm": partial(by_engine, opened, language, "warm"),
        "cold": partial(by_engine, opened, language, "cold"),
    }
    runs = await in_turns(ways, SOURCES[language], repeat)
    medians = {
        name: {way: statistics.median(one.cpu for one in runs[way][name]) for way in ways}
        for name in SOURCES[language]
    }
    images = {name: {one.image for way in ("warm", "cold") for one in runs[way][name]} for name in medians}
    return medians, all(len(image) == 1 for image in images.values())


async def run(repeat: int) -> Result:
    """Measure both renderers."""
    before, found, code = load(), {}, 0
    versions: dict[str, str] = {}
    isolation = {}
    for language, settings in (
        ("svg", SvgSettings(warm="zygote")),
        ("typst", TypstSettings(warm="zygote")),
    ):
        async with engine(settings) as opened:
            medians, equal = await measure(language, opened, repeat)
            more = statistics.median(median["warm"] - median["engine"] for median in medians.values())
            found[language] = {"sources": medians, "warm - engine": more, "equal": equal}
            code = max(code, 2 if not equal else int(more > MOST_MORE))
            versions |= opened.installation.versions
            isolation = {opened.isolation.tier.name.lower(): opened.isolation.mechanisms}
    document = {**found, "machine": asdict(look(versions, isolation, before))}
    return Result(document, [json.dumps(document, indent=2)], code)


def main() -> int:
    """Measure and print; returns the exit code."""
    parser = command_line("guests", __doc__)
    add_repeat(parser, 5)
    given = parser.parse_args()
    return finish(given, lambda: asyncio.run(run(given.repeat)), indent=2)


if __name__ == "__main__":
    raise SystemExit(main())
