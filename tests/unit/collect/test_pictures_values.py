"""Facts of images, and the limits that they must keep."""

import numpy as np
import pytest
from PIL import Image

from i2s_collect.candidates import Reason
from i2s_collect.images.values import picture_fault, picture_values


def picture(white: float, color=(0, 0, 255), size=(100, 100)) -> Image.Image:
    """The first part of the pixels is white, the rest of one color."""
    pixels = np.full((size[1] * size[0], 3), 255, np.uint8)
    pixels[round(white * len(pixels)) :] = color
    return Image.fromarray(pixels.reshape(size[1], size[0], 3))


def reason(image: Image.Image, task: str) -> Reason | None:
    fault = picture_fault(picture_values(image), task)
    return fault.reason if fault else None


def test_values_are_shares_of_pixels():
    values = picture_values(picture(0.3, size=(200, 100)))
    assert values == {"width": 200, "height": 100, "aspect": 2.0, "white_share": 0.3, "color_share": 0.7}


def test_nearly_white_is_not_white():
    assert picture_values(picture(0.0, (255, 255, 254)))["white_share"] == 0.0


def test_transparent_parts_are_white():
    assert picture_values(Image.new("RGBA", (20, 20), (0, 0, 0, 0)))["white_share"] == 1.0


@pytest.mark.parametrize(
    ("task", "white", "expected"),
    [
        ("webpage", 0.95, None),
        ("webpage", 0.9501, Reason.BLANK),
        ("latex", 0.99, None),
        ("latex", 0.9901, Reason.BLANK),
        ("music", 0.9901, Reason.BLANK),
        ("webpage", 0.049, Reason.ONE_COLOR),
        ("latex", 0.05, None),
        ("chart", 0.9901, Reason.BLANK),
    ],
)
def test_a_share_may_reach_its_limit_and_not_pass_it(task, white, expected):
    assert reason(picture(white), task) == expected


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((16, 320), None),
        ((15, 100), Reason.SIZE),
        ((16, 321), Reason.SIZE),
        ((8000, 400), None),
        ((8001, 900), Reason.SIZE),
    ],
)
def test_sizes_have_limits(size, expected):
    assert reason(picture(0.5, size=size), "latex") == expected
