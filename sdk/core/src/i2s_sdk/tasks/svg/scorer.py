"""The mean squared error of SVG-Bench, and the length of the code beside that of the ground truth."""

from __future__ import annotations

import base64
import io
import json
from dataclasses import dataclass

import numpy as np

from i2s_sdk.instances.images import PILLOW_PIXELS, decode_image, on_white
from i2s_sdk.json_text import read_json
from i2s_sdk.scoring.scorer import Metric, MetricValues, Scorable, Scorer, ScorerLimits

NAME = "svg"
LIKENESS, BREVITY = "one_minus_mse", "brevity"
#: Side of the images of which SVG-Bench takes the mean squared error.
SIDE = 224
_LIMITS = ScorerLimits(cpu_seconds=10.0, memory_bytes=512 << 20)
_NO_CODE = "the instance has no SVG"


def drawn_to_text(png: bytes, code: str | None) -> str:
    """Return an image as the scorer compares it: 224 by 224 pixels on white, and the length of its code.

    Args:
        png: The image.
        code: Its SVG; None if it is not known.

    Raises:
        ImageFaultError: It is no image.
    """
    from PIL import Image  # which most commands that list tasks do not need

    small = on_white(decode_image(png, PILLOW_PIXELS)).resize((SIDE, SIDE), Image.Resampling.BOX)
    output = io.BytesIO()
    small.save(output, "PNG")
    characters = None if code is None else len(code)
    return json.dumps({"png": base64.b64encode(output.getvalue()).decode(), "characters": characters})


def _read(text: str) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.float64]], int | None]:
    drawn = read_json(text)
    image = decode_image(base64.b64decode(drawn["png"]))
    return np.asarray(image.convert("RGB"), dtype=np.float64) / 255, drawn["characters"]


@dataclass(frozen=True, slots=True)
class SvgScorer(Scorer):
    """Compares renderings as SVG-Bench does, and lengths of code.

    ``one_minus_mse`` is 1 minus the mean squared error of all channels of all pixels, from 0 to 1.
    ``brevity`` is the number of characters of the ground truth divided by that of the answer, at most 1; it
    says nothing of the image.
    """

    #: Name as the manifest calls it.
    name: str = NAME
    #: Grows whenever a value can change.
    version: str = "1"
    #: The two columns.
    metrics: tuple[Metric, ...] = (
        Metric(LIKENESS, summary="1 minus the mean squared error at 224 x 224 pixels (SVG-Bench)."),
        Metric(BREVITY, summary="Characters of the ground truth by those of the answer, at most 1."),
    )
    #: True: it decodes images.
    in_worker: bool = True
    #: Limits of a sample.
    limits: ScorerLimits = _LIMITS

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is an image to compare with."""
        return bool(sample.truth)

    def score(self, sample: Scorable) -> MetricValues:
        """Return the values of an answer that was rendered."""
        (ours, length), (theirs, most) = _read(sample.text or ""), _read(sample.truth or "")
        likeness = 1.0 - float(np.mean((ours - theirs) ** 2))
        if most is None or not length:
            return MetricValues({LIKENESS: likeness, BREVITY: None}, {BREVITY: _NO_CODE})
        return MetricValues({LIKENESS: likeness, BREVITY: min(1.0, most / length)})

    def unusable(self, sample: Scorable) -> MetricValues:
        """Return 0, and no brevity if the instance has no SVG."""
        if sample.truth and read_json(sample.truth)["characters"] is None:
            return MetricValues({LIKENESS: 0.0, BREVITY: None}, {BREVITY: _NO_CODE})
        return MetricValues({LIKENESS: 0.0, BREVITY: 0.0})
