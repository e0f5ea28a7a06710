"""The size of every departure of profile ``paper`` from the paper, as docs/departures.md lists them.

Each rule is replaced by that of the paper or of the released code, and values are compared on what the
repository has: bundled examples, recorded pairs and recorded answers. Most of these answers are written by
hand, so counts over them are counts over faults that were chosen, and no estimate for a model. What needs
answers of a model to another question is left out.

    python -m benchmarks.departures                      all parts; starts the renderers
    python -m benchmarks.departures --part ems           one part; ems, pictures, texts, aggregates need none
    python -m benchmarks.departures --references FOLDER  equation 4 alone, on the PNG files of a folder
    python -m benchmarks.departures --output benchmarks/results/departures.json

With ``--output`` the parts that are measured replace those of the file, and the others stay.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from benchmarks.departures import aggregates, ems, latex, music, pages, pictures, texts
from benchmarks.departures.size import Found
from benchmarks.harness import machine
from i2s_sdk.errors import I2SError
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.services import open_services
from i2s_wire.renderers import RENDER_HTML, RENDER_LATEX, RENDER_LILYPOND

_PACKAGES = ("numpy", "numba", "pillow")
_CALCULATED: dict[str, Callable[[], list[Found]]] = {
    "ems": ems.measure,
    "pictures": pictures.measure,
    "texts": texts.measure,
    "aggregates": aggregates.measure,
}
_RENDERED = {
    "latex": (RENDER_LATEX.name, latex.measure),
    "music": (RENDER_LILYPOND.name, music.measure),
    "pages": (RENDER_HTML.name, pages.measure),
}


async def _rendered(parts: Sequence[str]) -> tuple[dict[str, list[Found]], dict[str, str]]:
    """Return the sizes of the parts that need renderers, and the versions of these."""
    needed = [_RENDERED[part][0] for part in parts]
    found: dict[str, list[Found]] = {}
    versions: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="i2s-departures-") as logs:
        async with open_services(Settings.load(), Path(logs), needed) as services:
            for part in parts:
                name, measure = _RENDERED[part]
                renderer = services.renderers[name]
                engine = (await renderer.describe()).engine
                versions[engine.name] = engine.version
                found[part] = await measure(renderer)
    return found, versions


def _write(file: Path, where: machine.Machine, found: Mapping[str, Sequence[Found]]) -> None:
    """Put parts into a file of results, each with the machine that it was measured on."""
    results = json.loads(file.read_text()) if file.exists() else {}
    for part, sizes in found.items():
        results[part] = {"machine": asdict(where), "sizes": [asdict(size) for size in sizes]}
    file.write_text(json.dumps(results, indent=1) + "\n")


def parser() -> argparse.ArgumentParser:
    """Return the command line."""
    command = argparse.ArgumentParser(
        prog="python -m benchmarks.departures",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = command.add_argument
    add("--part", choices=[*_CALCULATED, *_RENDERED], action="append", help="only this part; may be repeated")
    add("--references", type=Path, metavar="FOLDER", help="only equation 4, on its PNG files")
    add("--output", type=Path, metavar="FILE", help="JSON file that gets these parts")
    return command


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0, or 2 if something cannot be measured here."""
    options = parser().parse_args(arguments)
    if options.references:
        for one in ems.denominators_of(options.references):
            print(one.line())
        return 0
    parts = options.part or [*_CALCULATED, *_RENDERED]

    before = machine.load()
    try:
        found = {part: measure() for part, measure in _CALCULATED.items() if part in parts}
        rendered = [part for part in _RENDERED if part in parts]
        shown, versions = run_blocking(_rendered(rendered)) if rendered else ({}, {})
    except (I2SError, OSError) as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return 2
    found |= shown
    where = machine.look({name: version(name) for name in _PACKAGES} | versions, {}, before)
    if options.output:
        _write(options.output, where, found)
    for line in where.lines():
        print(line)
    for part, some in found.items():
        print(f"\n{part}")
        for one in some:
            print(f"  {one.line()}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
