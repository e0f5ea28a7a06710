"""The same pair the plain way and ours, by turns, and what either cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from statistics import median

import cv2

from benchmarks.ems.definition import block_emd, denominators
from benchmarks.ems.pictures import Pair
from benchmarks.harness.command import say
from i2s_metrics.functional.ems import PAPER, EarthMover, Reference, earth_mover_similarity
from i2s_metrics.functional.ems.resample import resample

#: cv2.EMD computes in float32.
TOLERANCE = 1e-4
#: Least ratios: median and worst pair with the reference made ready before, median without.
WARM_MEDIAN, WARM_WORST, COLD_MEDIAN = 100.0, 30.0, 40.0


class DisagreementError(Exception):
    """The two ways do not give the same distances."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a pair cost; CPU seconds, medians of the repetitions."""

    name: str  #: Name of the pair.
    dense: bool  #: Whether it is.
    width: int  #: Width of its pictures.
    height: int  #: Height of its pictures.
    #: The definition written plainly: the pair, and the one-colour picture whose distance is larger. The
    #: other is computed too and its CPU time left out.
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


def measure(pairs: Sequence[Pair], repeat: int) -> list[Figures]:
    """Measure all pairs.

    Args:
        pairs: Pairs to compare.
        repeat: Repetitions of ours; the plain way is gone once a pair, it takes seconds.

    Raises:
        DisagreementError: The two ways do not agree on a pair.
    """
    cv2.setNumThreads(1)
    first = pairs[0]
    earth_mover_similarity(first.prediction, first.reference, PAPER)  # compiled once, as in a worker
    return list(_all(pairs, repeat))


def _all(pairs: Sequence[Pair], repeat: int) -> Iterator[Figures]:
    for number, pair in enumerate(pairs, 1):
        say(f"{number}/{len(pairs)} {pair.name}")
        plain = block_emd(pair.prediction, pair.reference)
        denominator = max(denominators(pair.reference), key=attrgetter("value"))
        ready = Reference.of(pair.reference, PAPER)
        ours = earth_mover_similarity(pair.prediction, ready, PAPER)
        error = max(abs(ours.block_emd - plain.value), abs(ours.denominator - denominator.value))
        if not error <= TOLERANCE:
            raise DisagreementError(f"{pair.name}: {ours}, by the definition {plain} and {denominator}")
        warm = _seconds(partial(earth_mover_similarity, pair.prediction, ready, PAPER), repeat)
        cold = _seconds(partial(earth_mover_similarity, pair.prediction, pair.reference, PAPER), repeat)
        resize = _seconds(partial(resample, pair.prediction, ready.size), repeat)
        height, width, _ = pair.reference.shape
        yield Figures(
            name=pair.name,
            dense=pair.dense,
            width=width,
            height=height,
            definition=plain.seconds + denominator.seconds,
            warm=median(warm),
            cold=median(cold),
            resize=median(resize),
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
