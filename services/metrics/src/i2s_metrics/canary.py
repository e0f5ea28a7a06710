"""A comparison with a known result, made before the first call is answered."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw

from i2s_chassis.errors import CallError, StartError
from i2s_metrics import registry
from i2s_metrics.engine import Engine
from i2s_metrics.model import Job, JobResult, Value
from i2s_metrics.registry import Missing
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy

_TOLERANCE = 1e-9


async def check(engine: Engine, missing: Missing) -> None:
    """Compare a picture with itself in profile paper: every metric has to be 1.

    Args:
        engine: The engine that compares.
        missing: Networks that are left aside, because they are not here or were not started yet;
            their process has a canary of its own.

    Raises:
        StartError: It is not, or no worker can do it; the libraries do not work as they should.
    """
    picture = _picture()
    metrics = registry.available(Profile.PAPER, missing)
    try:
        score = await engine.score(Job(picture, picture, SizePolicy.PAD, Profile.PAPER, metrics))
    except CallError as error:
        raise StartError(f"the first comparison failed: {error.message}") from error
    for name, value in zip(metrics, _values(score), strict=True):
        if not abs(value - 1) <= _TOLERANCE:
            raise StartError(
                f"{name} of a picture with itself is {value} and not 1; reinstall numpy, scipy, pillow "
                "and numba in the versions that i2s-metrics was locked with"
            )


def _picture() -> bytes:
    picture = Image.new("RGB", (160, 120), "white")
    ImageDraw.Draw(picture).ellipse((20, 10, 90, 70), fill=(30, 90, 200))
    encoded = io.BytesIO()
    picture.save(encoded, "PNG")
    return encoded.getvalue()


def _values(score: JobResult) -> list[float]:
    return [outcome.value if isinstance(outcome, Value) else float("nan") for outcome in score.outcomes]
