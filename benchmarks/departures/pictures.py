"""Metrics of images other than Earth Mover Similarity, and how images get the same size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from PIL import Image

from benchmarks.departures.sets import RECORDED, Pair, exchanged, recorded_pairs, references
from benchmarks.departures.shown import MOST_PIXELS
from benchmarks.departures.size import Count, Found, size
from benchmarks.harness.command import say
from i2s_metrics.functional.arrays import GreyArray, RgbArray
from i2s_metrics.functional.ems import PAPER, earth_mover_similarity
from i2s_metrics.functional.pixel import pixel_row_similarity, pixel_similarity
from i2s_metrics.functional.ssim import structural_similarity
from i2s_metrics.images import equalise
from i2s_wire.metrics.score import SizePolicy

Metric = Callable[[RgbArray, RgbArray], float]


def _grey(image: RgbArray) -> GreyArray:
    return np.asarray(Image.fromarray(image).convert("L"))


def _ems(prediction: RgbArray, reference: RgbArray) -> float:
    return earth_mover_similarity(prediction, reference, PAPER).value


def _ssim(prediction: RgbArray, reference: RgbArray) -> float:
    return structural_similarity(_grey(prediction), _grey(reference))


def _rows(prediction: RgbArray, reference: RgbArray) -> float:
    return pixel_row_similarity(_grey(prediction), _grey(reference))


def _exact(prediction: RgbArray, reference: RgbArray) -> float:
    """Return equation 5 alone: the share of equal pixels, without tolerance, background counted."""
    return float((prediction == reference).all(axis=2).mean())


METRICS: dict[str, Metric] = {"ems": _ems, "ssim": _ssim, "pixel": pixel_similarity}


def values(metric: Metric, pairs: Sequence[Pair]) -> list[float]:
    """Return the values of a metric for pairs, made comparable as each says."""
    return [metric(*equalise(pair.prediction, pair.reference, pair.policy, MOST_PIXELS)) for pair in pairs]


def measure() -> list[Found]:
    """Return the sizes of these departures."""
    sets = {
        RECORDED: recorded_pairs(),
        "68 exchanged LaTeX images": exchanged("latex", 4),
        "33 exchanged scores": exchanged("music", 3),
    }
    found: list[Found] = []
    for name, pairs in sets.items():
        say(f"pictures: {name}, padding and resizing")
        differ = [
            pair
            for pair in pairs
            if pair.policy is SizePolicy.PAD and pair.prediction.shape != pair.reference.shape
        ]
        resized = [replace(pair, policy=SizePolicy.RESIZE) for pair in differ]
        of = f"{len(differ)} padded pairs of the {name}"
        for metric, function in METRICS.items():
            before, changed = values(function, differ), values(function, resized)
            found.append(size("padding", "the prediction is resized", of, metric, before, changed))
    found += _pixel(sets[RECORDED])
    compared = [
        equalise(pair.prediction, pair.reference, pair.policy, MOST_PIXELS)[1] for pair in sets[RECORDED]
    ]
    bundled = [one for task in ("latex", "webpage", "music") for _, one in references(task)]
    return [*found, _small(RECORDED, compared), _small("40 bundled references", bundled)]


def _pixel(pairs: Sequence[Pair]) -> list[Found]:
    before = values(pixel_similarity, pairs)
    return [
        size("pixel", "rows of grey images, as helm", RECORDED, "pixel", before, values(_rows, pairs)),
        size("pixel", "equation 5 alone", RECORDED, "pixel", before, values(_exact, pairs)),
    ]


def _small(name: str, images: Sequence[RgbArray]) -> Found:
    sides = [min(image.shape[:2]) for image in images]
    numbers = {"a side below 7 pixels": sum(side < 7 for side in sides), "least side": min(sides)}
    return Count("ssim below 7 pixels", name, numbers)
