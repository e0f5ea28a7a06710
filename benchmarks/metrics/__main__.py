"""Pairs a second of the metric service: what batches and kept features of references bring.

Compared, in one run, in turns, on the same pairs of pictures:

    package     LPIPS as the package lpips has it: one pair at a time, both pictures through the network
    lpips       the service, by size of the batch (1, 8, 32), with a reference that it has seen (warm: many
                predictions for one reference) and without (cold: every pair has its own)
    classic     the service with ems, pixel and ssim, warm and cold

Counted are pairs a second on the clock with as many calls under way as the service has slots, and the CPU
seconds of all its processes. The values of all ways of LPIPS must agree to 1e-5, or the exit code is 2. Left
out: the client, the start of the service and the loading of the networks. Without VGG16's weights the run
ends with what to do (exit code 1).

With ``--functions`` only ssim, pixel and decoding are measured, by single pairs of large pictures beside
scikit-image and NumPy (``functions``). This needs no weights and no service.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.metrics.functions import as_text, measure
from benchmarks.metrics.pairs import cold_pairs, warm_pairs
from benchmarks.metrics.report import Report, machine
from benchmarks.metrics.variants import Figure, VariantError, classic, package, service
from i2s_metrics.errors import WeightsError
from i2s_metrics.model import Network
from i2s_metrics.networks.files import Places, find
from i2s_metrics.settings import MetricsSettings

_BATCHES = (1, 8, 32)
_TOLERANCE = 1e-5


async def run(count: int, rounds: int) -> Report:
    """Measure everything.

    Args:
        count: Pairs of each kind.
        rounds: Repetitions; variants take turns.

    Raises:
        VariantError: A variant failed, or two give different values.
        WeightsError: VGG16's weights are not here.
    """
    settings = MetricsSettings.load({})
    weights = find(Network.VGG16, Places(settings.weights_dir, settings.hub_dir)).path
    unmeasured = cold_pairs(count + 1)[-1]
    kinds = {"warm": warm_pairs(count), "cold": cold_pairs(count)}
    figures: list[Figure] = []
    before = machine()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            expected = {}
            for kind, pairs in kinds.items():
                plain = package(kind, pairs, weights)
                figures.append(plain)
                expected[kind] = plain.values
            for batch in _BATCHES:
                async with service(Path(folder), weights.parent, batch, unmeasured) as open_service:
                    for kind, pairs in kinds.items():
                        found = await open_service.lpips(kind, pairs)
                        _check(found, expected[kind])
                        figures.append(found)
            async with service(Path(folder), weights.parent, 1, unmeasured) as open_service:
                figures += [await classic(open_service, kind, pairs) for kind, pairs in kinds.items()]
    return Report(before, machine(), count, rounds, tuple(figures))


def _check(found: Figure, expected: tuple[float, ...]) -> None:
    worst = max(abs(a - b) for a, b in zip(found.values, expected, strict=True))
    if worst > _TOLERANCE:
        raise VariantError(f"{found.name}, {found.kind}: a value differs from the package's by {worst:.1e}")


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.metrics", description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=48, help="pairs of each kind (default: 48)")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions (default: 3)")
    parser.add_argument("--json", action="store_true", help="write one JSON document")
    parser.add_argument(
        "--functions", action="store_true", help="only ssim, pixel and decoding, without a service"
    )
    chosen = parser.parse_args()
    try:
        if chosen.functions:
            rows = measure(chosen.repeat)
            print(json.dumps([asdict(row) for row in rows], indent=1) if chosen.json else as_text(rows))
            return 0
        report = asyncio.run(run(chosen.pairs, chosen.repeat))
    except WeightsError as error:
        print(f"lpips {error}", file=sys.stderr)
        return 1
    except VariantError as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(report.as_json(), indent=1) if chosen.json else report.as_text())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
