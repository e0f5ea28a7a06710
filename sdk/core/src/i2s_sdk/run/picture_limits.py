"""One limit on the size of pictures for a whole run, decided when a picture is rendered.

A renderer is asked for no more than the metric service takes, so that a model's picture is either refused by
a verdict or scored, whatever limits the operators of the services have set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from i2s_sdk.instances.images import PILLOW_PIXELS, ImageFaultError, read_header
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.resources import Limits


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """The largest picture that a run's services all take.

    Attributes:
        pixels: Width times height; 0 leaves the renderer's default.
        picture_bytes: Size in bytes of the PNG; 0 leaves the renderer's default.
    """

    pixels: int = 0
    picture_bytes: int = 0

    def within(self, wanted: Limits | None) -> Limits:
        """Return the limits that a renderer is asked for: those wanted, and no more than these."""
        wanted = wanted or Limits()
        return replace(
            wanted,
            pixels=_least(wanted.pixels, self.pixels),
            picture_bytes=_least(wanted.picture_bytes, self.picture_bytes),
        )


def picture_limits(renderer: RendererDescription, comparer: MetricsDescription | None) -> PictureLimits:
    """Return the limits for one renderer.

    Args:
        renderer: Its defaults hold if they are lower.
        comparer: The metric service; None if pictures are rendered and not scored now.
    """
    if comparer is None:
        return PictureLimits()
    default = renderer.default_limits
    return PictureLimits(
        _least(default.pixels, comparer.max_image_pixels),
        _least(default.picture_bytes, comparer.max_image_bytes),
    )


def refuse_unpaddable(rendering: Rendering, reference: bytes, policy: SizePolicy) -> Rendering:
    """Return a rendering; one that cannot be compared with its reference has the verdict PIXEL_LIMIT instead.

    With ``SizePolicy.PAD`` both pictures get the larger width and the larger height, so a long thin picture
    beside a wide flat one has far more pixels than either. The limit is the one that was in force when the
    picture was rendered. A reference that is too large by itself, or that is no picture, is no fault of the
    model and is left to the metric service to name.

    Args:
        rendering: Rendering of a model's answer.
        reference: The picture that it is compared with, encoded.
        policy: How the two get one size.
    """
    if policy is not SizePolicy.PAD or not rendering.pictures or not rendering.limits.pixels:
        return rendering
    picture, most, size = rendering.pictures[0], rendering.limits.pixels, _size_of(reference)
    if size is None or size[0] * size[1] > most:
        return rendering
    width, height = max(picture.width, size[0]), max(picture.height, size[1])
    if width * height <= most:
        return rendering
    message = (
        f"The picture has {picture.width} x {picture.height} pixels and its reference {size[0]} x {size[1]}; "
        f"padded to {width} x {height} they have more than the limit of {most}."
    )
    return replace(rendering, verdict=Verdict.PIXEL_LIMIT, message=message, pictures=())


def _least(*values: int) -> int:
    """Return the least of some limits, of which 0 is none."""
    return min((value for value in values if value), default=0)


def _size_of(picture: bytes) -> tuple[int, int] | None:
    """Return width and height from the header; None for a file that is no picture."""
    try:
        header = read_header(picture, PILLOW_PIXELS)
    except ImageFaultError:
        return None
    return header.width, header.height
