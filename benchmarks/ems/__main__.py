"""CPU per Earth Mover Similarity: its definition written plainly against the service's way.

Compared, in one run, by turns, on the same pairs of images, in profile ``paper``:

    definition  cv2.EMD for every pair of patches, for the pair and for the reference against one colour:
                of black and white, both of which equation 4 asks for, only the one that counts
    warm        ours, with the reference made ready before: what a further prediction costs
    cold        ours, from nothing

Counted is the CPU time of the process. Left out: reading and decoding files, and compiling, which is
done once before. Both ways have to give the same two distances within the float32 of cv2.EMD.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from operator import attrgetter
from pathlib import Path
from statistics import median

import cv2

from benchmarks.ems.definition import block_emd, denominators
from benchmarks.ems.pictures import Pair, pairs
from benchmarks.harness import machine
from benchmarks.harness.command import (
    MeasurementError,
    Result,
    add_repeat,
    command_line,
    finish,
    positive,
    say,
)
from benchmarks.harness.turns import Spread, row
from i2s_metrics.functional.ems import PAPER, Reference, earth_mover_similarity
from i2s_metrics.functional.ems.patches import resample

_EXAMPLES = """examples:
  python -m benchmarks.ems                          all pairs, five repetitions of ours
  python -m benchmarks.ems --limit 4 --repeat 3     a quick look
  python -m benchmarks.ems --json > benchmarks/results/ems.json
"""
_PICTURES = Path(__file__).resolve().parents[2] / "examples" / "references"
_PACKAGES = ("numpy", "numba", "pillow", "opencv-python-headless")
#: cv2.EMD computes in float32.
TOLERANCE = 1e-4
#: Least ratios: median and worst pair with the reference made ready before, median without.
WARM_MEDIAN, WARM_WORST, COLD_MEDIAN = 100.0, 30.0, 40.0
_MS = 1000.0


@dataclass(frozen=True, slots=True)
class Figures:
    """The cost of a pair; CPU seconds, medians of the repetitions."""

    name: str
    dense: bool
    width: int
    height: int
    #: The definition written plainly: the pair, and the one-colour image whose distance is larger. The other
    #: is computed too and its CPU time left out.
    definition: float
    warm: float  #: Ours, with the reference made ready before.
    cold: float  #: Ours, from nothing.
    resize: float  #: The part of ``warm`` that makes the prediction smaller with Pillow.
    spread: float  #: Greatest less least of the times of ``warm``, relative to the median.
    value: float  #: The similarity, before it is clipped.
    error: float  #: Greater of the differences of the two distances.

    @property
    def warm_ratio(self) -> float:
        """How many times less ours costs with a reference made ready."""
        return self.definition / self.warm

    @property
    def cold_ratio(self) -> float:
        """How many times less ours costs from nothing."""
        return self.definition / self.cold


@dataclass(frozen=True, slots=True)
class Claim:
    """A ratio that was promised: what, at least, and what it came to."""

    what: str
    least: float
    came: float

    @property
    def holds(self) -> bool:
        """Whether the measured ratio reaches the target."""
        return self.came >= self.least


def run(chosen: Sequence[Pair], repeat: int) -> Result:
    """Measure pairs: ``repeat`` times by our code, once by the definition, which takes seconds.

    Raises:
        MeasurementError: The two ways do not give the same distances.
    """
    before = machine.load()
    cv2.setNumThreads(1)
    first = chosen[0]
    earth_mover_similarity(first.prediction, first.reference, PAPER)  # compiled once, as in a worker
    figures = [_figures(pair, repeat) for pair in chosen]
    where = machine.look({name: version(name) for name in _PACKAGES}, {}, before)
    warm, cold = [figure.warm_ratio for figure in figures], [figure.cold_ratio for figure in figures]
    claims = (
        Claim("reference ready, median pair", WARM_MEDIAN, median(warm)),
        Claim("reference ready, worst pair", WARM_WORST, min(warm)),
        Claim("from nothing, median pair", COLD_MEDIAN, median(cold)),
    )
    document = {
        "machine": asdict(where),
        "repeat": repeat,
        "claims": [asdict(claim) | {"holds": claim.holds} for claim in claims],
        "pairs": [
            asdict(figure) | {"warm_ratio": figure.warm_ratio, "cold_ratio": figure.cold_ratio}
            for figure in figures
        ],
    }
    lines = [*where.lines(), *_lines(repeat, figures, claims)]
    return Result(document, lines, 0 if all(claim.holds for claim in claims) else 1)


def _figures(pair: Pair, repeat: int) -> Figures:
    say(pair.name)
    plain = block_emd(pair.prediction, pair.reference)
    denominator = max(denominators(pair.reference), key=attrgetter("value"))
    ready = Reference.of(pair.reference, PAPER)
    ours = earth_mover_similarity(pair.prediction, ready, PAPER)
    error = max(abs(ours.block_emd - plain.value), abs(ours.denominator - denominator.value))
    if not error <= TOLERANCE:
        raise MeasurementError(f"{pair.name}: {ours}, by the definition {plain} and {denominator}")
    warm = _seconds(partial(earth_mover_similarity, pair.prediction, ready, PAPER), repeat)
    cold = _seconds(partial(earth_mover_similarity, pair.prediction, pair.reference, PAPER), repeat)
    height, width, _ = pair.reference.shape
    return Figures(
        name=pair.name,
        dense=pair.dense,
        width=width,
        height=height,
        definition=plain.seconds + denominator.seconds,
        warm=warm.median,
        cold=cold.median,
        resize=_seconds(partial(resample, pair.prediction, ready.size), repeat).median,
        spread=(warm.greatest - warm.least) / warm.median,
        value=1 - ours.block_emd / ours.denominator,
        error=error,
    )


def _seconds(work: Callable[[], object], repeat: int) -> Spread:
    taken = []
    for _ in range(repeat):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return Spread.of(taken)


def _lines(repeat: int, figures: Sequence[Figures], claims: Sequence[Claim]) -> Iterator[str]:
    """Yield tables; times are milliseconds of CPU."""
    yield f"ours: medians of {repeat} repetitions; definition: once a pair; both agree"
    yield ""
    names = ("size", "definition", "warm", "cold", "x warm", "x cold", "resize", "spread")
    yield row("CPU ms", names, 16, 11)
    for figure in figures:
        yield row(figure.name, _cells(f"{figure.width}x{figure.height}", [figure]), 16, 11)
    yield ""
    for name, kind in (("median, text", [False]), ("median, dense", [True]), ("median", [False, True])):
        chosen = [figure for figure in figures if figure.dense in kind]
        if chosen:
            yield row(name, _cells("", chosen), 16, 11)
    yield ""
    for claim in claims:
        kept = "at least" if claim.holds else "BELOW"
        yield f"definition / ours, {claim.what}: {claim.came:.0f}, {kept} {claim.least:g}"


def _cells(size: str, figures: Sequence[Figures]) -> list[str]:
    return [
        size,
        f"{_MS * median(figure.definition for figure in figures):.0f}",
        f"{_MS * median(figure.warm for figure in figures):.1f}",
        f"{_MS * median(figure.cold for figure in figures):.1f}",
        f"{median(figure.warm_ratio for figure in figures):.0f}",
        f"{median(figure.cold_ratio for figure in figures):.0f}",
        f"{_MS * median(figure.resize for figure in figures):.1f}",
        f"{median(figure.spread for figure in figures):.0%}",
    ]


def main() -> int:
    """Return 0 if the claims hold, 1 if one does not, 2 if the two ways disagree."""
    parser = command_line("ems", __doc__, _EXAMPLES)
    add_repeat(parser, 5, "of this repository's metric")
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N pairs")
    given = parser.parse_args()
    chosen = pairs(_PICTURES, given.limit)
    return finish(given, lambda: run(chosen, given.repeat), failures=(OSError,))


if __name__ == "__main__":
    raise SystemExit(main())
