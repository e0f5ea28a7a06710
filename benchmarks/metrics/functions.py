"""What one pair of 1920x1080 pixels costs: our functions beside scikit-image and NumPy, in turns.

Images are two kinds: pages (boxes of one colour and an image of many colours on white) and photographs
(smooth colours with noise, of which none is frequent). The values of ours and of the baseline must agree to
1e-11 (SSIM) or exactly (pixel), or MeasurementError is raised.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

import numpy as np
from PIL import Image

from benchmarks.harness.command import MeasurementError
from i2s_metrics.functional.arrays import BoolArray, GreyArray, RgbArray
from i2s_metrics.functional.colours import modal_colour
from i2s_metrics.functional.pixel import pixel_similarity
from i2s_metrics.functional.ssim import structural_similarity
from i2s_metrics.images import decode

_WIDTH, _HEIGHT = 1920, 1080
_PIXELS = _WIDTH * _HEIGHT


@dataclass(frozen=True, slots=True)
class FunctionRow:
    """Medians of CPU milliseconds for one pair; no ``baseline`` if there is nothing to compare with."""

    name: str
    picture: str
    ours: float
    baseline: float | None


def measure(rounds: int) -> list[FunctionRow]:
    """Measure all functions on all kinds of images.

    Args:
        rounds: Repetitions; ours and the baseline take turns.

    Raises:
        MeasurementError: Ours and the baseline give different values.
    """
    return [row for pair in _pairs() for row in _rows(rounds, *pair)]


def _rows(rounds: int, kind: str, prediction: RgbArray, reference: RgbArray) -> Iterator[FunctionRow]:
    grey = _grey(prediction), _grey(reference)
    encoded = _png(prediction), _png(reference)
    yield _row(
        ("ssim", kind), rounds, lambda: structural_similarity(*grey), lambda: _scikit(*grey), tolerance=1e-11
    )
    yield _row(
        ("pixel", kind),
        rounds,
        lambda: pixel_similarity(prediction, reference),
        lambda: _arrays(prediction, reference),
        tolerance=0.0,
    )
    yield FunctionRow("decoding", kind, _milliseconds(lambda: _decoded(encoded), rounds), None)


def as_lines(rows: list[FunctionRow]) -> list[str]:
    """Return a table."""
    lines = [
        f"{_WIDTH}x{_HEIGHT}, CPU ms a pair, medians",
        "",
        "| | picture | ours | baseline | baseline / ours |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        other = (
            ("", "") if row.baseline is None else (f"{row.baseline:.1f}", f"{row.baseline / row.ours:.1f}")
        )
        lines.append(f"| {row.name} | {row.picture} | {row.ours:.1f} | {other[0]} | {other[1]} |")
    return lines


def _row(
    names: tuple[str, str],
    rounds: int,
    ours: Callable[[], float],
    baseline: Callable[[], float],
    *,
    tolerance: float,
) -> FunctionRow:
    difference = abs(ours() - baseline())
    if difference > tolerance:
        raise MeasurementError(
            f"{', '.join(names)}: the value differs from that of the baseline by {difference:.1e}"
        )
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for found, call in zip(times, (ours, baseline), strict=True):
            found.append(_milliseconds(call, 1))
    return FunctionRow(*names, median(times[0]), median(times[1]))


def _milliseconds(call: Callable[[], object], rounds: int) -> float:
    found = []
    for _ in range(rounds):
        started = time.process_time()
        call()
        found.append(1000 * (time.process_time() - started))
    return median(found)


def _scikit(prediction: GreyArray, reference: GreyArray) -> float:
    from skimage.metrics import structural_similarity as theirs

    value = theirs(prediction, reference, data_range=255)  # type: ignore[no-untyped-call] # scikit-image has no types
    return (float(value) + 1) / 2


def _arrays(prediction: RgbArray, reference: RgbArray) -> float:
    background = np.array(modal_colour(prediction, reference).rgb, np.uint8)
    counting = ~(_all(prediction == background) & _all(reference == background))
    difference = np.maximum(prediction, reference) - np.minimum(prediction, reference)
    agreeing = _all(difference <= 5) & counting
    total = np.count_nonzero(counting)
    return float(np.count_nonzero(agreeing) / total) if total else 1.0


def _all(flags: BoolArray) -> BoolArray:
    return flags[..., 0] & flags[..., 1] & flags[..., 2]


def _decoded(encoded: tuple[bytes, bytes]) -> list[RgbArray]:
    return [decode(one, _PIXELS) for one in encoded]


def _pairs() -> Iterator[tuple[str, RgbArray, RgbArray]]:
    yield "page", _page(0), _page(1)
    photograph = _photograph()
    yield "photograph", photograph, np.ascontiguousarray(photograph[::-1])


def _page(seed: int) -> RgbArray:
    rng = np.random.default_rng(seed)
    image = np.full((_HEIGHT, _WIDTH, 3), 255, np.uint8)
    for _ in range(20):
        top, left = rng.integers(0, _HEIGHT), rng.integers(0, _WIDTH)
        image[top : top + 100, left : left + 200] = rng.integers(0, 256, 3)
    image[300:700, 400:1100] = _photograph()[300:700, 400:1100]
    return image


def _photograph() -> RgbArray:
    y, x = np.mgrid[0:_HEIGHT, 0:_WIDTH]
    smooth = np.stack([y / 5 % 256, x / 8 % 256, (x + y) / 12 % 256], axis=-1)
    noise = np.random.default_rng(2).normal(0, 4, smooth.shape)
    return (smooth + noise).clip(0, 255).astype(np.uint8)


def _grey(image: RgbArray) -> GreyArray:
    return np.asarray(Image.fromarray(image).convert("L"))


def _png(image: RgbArray) -> bytes:
    encoded = io.BytesIO()
    Image.fromarray(image).save(encoded, "PNG")
    return encoded.getvalue()
