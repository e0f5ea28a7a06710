"""Pairs a second of the metric service: what batches and kept features of references bring.

Compared, in one run, in turns, on the same pairs of images:

    package     LPIPS as the package lpips has it: one pair at a time, both images through the network
    lpips       the service, by size of the batch (1, 8, 32), with a reference that it has seen (warm: many
                predictions for one reference) and without (cold: every pair has its own)
    classic     the service with ems, pixel and ssim, warm and cold

Counted are pairs a second on the clock with as many calls under way as the service has slots, and the CPU
seconds of all its processes. The values of all ways of LPIPS must agree to 1e-5, or the exit code is 2. Left
out: the client, the start of the service and the loading of the networks. Without VGG16's weights the run
ends with what to do (exit code 1).

With ``--functions`` only ssim, pixel and decoding are measured, by single pairs of large images beside
scikit-image and NumPy (``functions``). This needs no weights and no service.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.harness.command import MeasurementError, Result, add_repeat, command_line, finish
from benchmarks.harness.machine import load, look
from benchmarks.harness.turns import Spread
from benchmarks.metrics.functions import as_lines, measure
from benchmarks.metrics.variants import Figure, cold_pairs, package, service, warm_pairs
from i2s_metrics.errors import WeightsError
from i2s_metrics.model import Network
from i2s_metrics.networks.files import Places, find
from i2s_metrics.settings import MetricsSettings

_BATCHES = (1, 8, 32)
_CLASSIC = ("ems", "pixel", "ssim")
_TOLERANCE = 1e-5
_LIBRARIES = ("torch", "torchvision", "lpips", "numpy", "scikit-image", "numba")
_FACTS = ("processor", "cpus", "kernel", "python", "versions")


async def run(count: int, rounds: int) -> Result:
    """Measure everything.

    Args:
        count: Pairs of each kind.
        rounds: Repetitions; variants take turns.

    Raises:
        MeasurementError: A variant failed, or two give different values.
        WeightsError: VGG16's weights are not here.
    """
    settings = MetricsSettings.load({})
    weights = find(Network.VGG16, Places(settings.weights_dir, settings.hub_dir)).path
    unmeasured = cold_pairs(count + 1)[-1]
    kinds = {"warm": warm_pairs(count), "cold": cold_pairs(count)}
    figures: list[Figure] = []
    before = load()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            expected = {kind: package(kind, pairs, weights) for kind, pairs in kinds.items()}
            figures += expected.values()
            for batch in _BATCHES:
                async with service(Path(folder), weights.parent, batch, unmeasured) as running:
                    for kind, pairs in kinds.items():
                        found = await running.measure(f"lpips, batch {batch}", kind, pairs, ("lpips",))
                        _require_same(found, expected[kind])
                        figures.append(found)
            async with service(Path(folder), weights.parent, 1, unmeasured) as running:
                for kind, pairs in kinds.items():
                    figures.append(await running.measure(", ".join(_CLASSIC), kind, pairs, _CLASSIC))
    where = look({library: version(library) for library in _LIBRARIES}, {}, before)
    facts = {name: value for name, value in asdict(where).items() if name in _FACTS}
    loads = {"before": where.load_before, "after": where.load_after}
    rows = list(_rows(figures))
    document = {
        **{name: {**facts, "load": value} for name, value in loads.items()},
        "pairs": count,
        "rounds": rounds,
        "rows": rows,
    }
    lines = [
        *where.lines(),
        f"{count} pairs of each kind, {rounds} rounds, medians",
        "",
        "| | reference | pairs/s (least to most) | CPU ms a pair | CPU of the package / ours |",
        "|---|---|---|---|---|",
        *map(_line, rows),
    ]
    return Result(document, lines, 0)


def _require_same(found: Figure, expected: Figure) -> None:
    worst = max(abs(a - b) for a, b in zip(found.values, expected.values, strict=True))
    if worst > _TOLERANCE:
        raise MeasurementError(
            f"{found.name}, {found.kind}: a value differs from the package's by {worst:.1e}"
        )


def _rows(figures: Sequence[Figure]) -> Iterator[dict[str, Any]]:
    """Yield medians and spread of each variant and kind, and its ratio to the package."""

    def cpu(name: str, kind: str) -> float:
        return median(figure.cpu_seconds for figure in figures if (figure.name, figure.kind) == (name, kind))

    for name, kind in dict.fromkeys((figure.name, figure.kind) for figure in figures):
        rates = Spread.of(
            figure.pairs_per_second for figure in figures if (figure.name, figure.kind) == (name, kind)
        )
        is_network = name.startswith("lpips")
        yield {
            "name": name,
            "kind": kind,
            "pairs_per_second": rates.median,
            "least": rates.least,
            "most": rates.greatest,
            "cpu_seconds": cpu(name, kind),
            "times_less_cpu_than_package": cpu("package", kind) / cpu(name, kind) if is_network else None,
        }


def _line(row: dict[str, Any]) -> str:
    ratio = row["times_less_cpu_than_package"]
    rates = Spread(row["pairs_per_second"], row["least"], row["most"]).text(digits=1)
    last = "" if ratio is None else f"{ratio:.2f}"
    return f"| {row['name']} | {row['kind']} | {rates} | {1000 * row['cpu_seconds']:.0f} | {last} |"


def _functions(repeat: int) -> Result:
    rows = measure(repeat)
    return Result([asdict(row) for row in rows], as_lines(rows), 0)


def main() -> int:
    """Run the command line; return the exit code."""
    parser = command_line("metrics", (__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=48, help="pairs of each kind (default: 48)")
    add_repeat(parser, 3)
    text = "only ssim, pixel and decoding, without a service"
    parser.add_argument("--functions", action="store_true", help=text)
    given = parser.parse_args()
    if given.functions:
        return finish(given, lambda: _functions(given.repeat))
    try:
        return finish(given, lambda: asyncio.run(run(given.pairs, given.repeat)))
    except WeightsError as error:
        print(f"lpips {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    raise SystemExit(main())
