"""The same pair the plain way and ours, by turns, and what either cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

import cv2

from benchmarks.ems.definition import distances
from benchmarks.ems.pictures import Pair
from i2s_metrics.functional.colours import modal_colour
from i2s_metrics.functional.ems import PAPER, EarthMover, Reference, earth_mover_similarity
from i2s_metrics.functional.ems.resample import resample

#: cv2.EMD computes in float32.
TOLERANCE = 1e-4
#: Least ratios: median and worst pair with the reference made ready before, median without.
WARM_MEDIAN, WARM_WORST, COLD_MEDIAN = 100.0, 30.0, 40.0

#: Told what is going on, for people.
Say = Callable[[str], None]


class DisagreementError(Exception):
    """The two ways do not give the same distances."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a pair cost; CPU seconds, medians of the repetitions.

    Attributes:
        name: Of the pair.
        dense: Whether it is.
        width: Of its pictures.
        height: Of its pictures.
        definition: The definition written plainly.
        warm: Ours, with the reference made ready before.
        cold: Ours, from nothing.
        resize: Of ``warm``: making the prediction smaller with Pillow.
        count: Of ``cold``: the most frequent colour of the full-size reference.
        spread: Of ``warm``: greatest less least, relative to the median.
        value: The similarity, before it is clipped.
        error: Greater of the differences of the two distances.
    """

    name: str
    dense: bool
    width: int
    height: int
    definition: float
    warm: float
    cold: float
    resize: float
    count: float
    spread: float
    value: float
    error: float

    @property
    def warm_ratio(self) -> float:
        """How many times less ours costs with a reference made ready."""
        return self.definition / self.warm

    @property
    def cold_ratio(self) -> float:
        """How many times less ours costs from nothing."""
        return self.definition / self.cold


def measure(pairs: Sequence[Pair], repeat: int, say: Say) -> list[Figures]:
    """Measure all pairs.

    Args:
        pairs: To compare.
        repeat: Repetitions of ours; the plain way is gone once a pair, it takes seconds.
        say: Told how far it is.

    Raises:
        DisagreementError: The two ways do not agree on a pair.
    """
    cv2.setNumThreads(1)
    first = pairs[0]
    earth_mover_similarity(first.prediction, first.reference, PAPER)  # compiled once, as in a worker
    return list(_all(pairs, repeat, say))


def _all(pairs: Sequence[Pair], repeat: int, say: Say) -> Iterator[Figures]:
    for number, pair in enumerate(pairs, 1):
        say(f"{number}/{len(pairs)} {pair.name}")
        started = time.process_time()
        plain = distances(pair.prediction, pair.reference)
        definition = time.process_time() - started
        ready = Reference.of(pair.reference, PAPER)
        ours = earth_mover_similarity(pair.prediction, ready, PAPER)
        error = max(abs(ours.block_emd - plain.block_emd), abs(ours.denominator - plain.denominator))
        if not error <= TOLERANCE:
            raise DisagreementError(f"{pair.name}: {ours}, by the definition {plain}")
        warm = _seconds(partial(earth_mover_similarity, pair.prediction, ready, PAPER), repeat)
        cold = _seconds(partial(earth_mover_similarity, pair.prediction, pair.reference, PAPER), repeat)
        resize = _seconds(partial(resample, pair.prediction, ready.size), repeat)
        count = _seconds(partial(modal_colour, pair.reference), repeat)
        height, width, _ = pair.reference.shape
        yield Figures(
            name=pair.name,
            dense=pair.dense,
            width=width,
            height=height,
            definition=definition,
            warm=median(warm),
            cold=median(cold),
            resize=median(resize),
            count=median(count),
            spread=(max(warm) - min(warm)) / median(warm),
            value=_unclipped(ours),
            error=error,
        )


def _seconds(work: Callable[[], object], repeat: int) -> list[float]:
    taken = []
    for _ in range(repeat):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return taken


def _unclipped(ours: EarthMover) -> float:
    return 1 - ours.block_emd / ours.denominator
