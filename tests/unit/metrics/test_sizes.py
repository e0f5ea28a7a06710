import numpy as np
import pytest
from PIL import Image

from i2s_metrics.errors import BadImageError
from i2s_metrics.images import equalise
from i2s_wire.metrics.score import SizePolicy

MANY = 1_000_000


def noise(height, width):
    return np.random.default_rng(height * width).integers(0, 255, (height, width, 3), dtype=np.uint8)


def test_padding_is_white_at_right_and_bottom_of_either():
    a, b = noise(3, 10), noise(7, 4)
    x, y = equalise(a, b, SizePolicy.PAD, MANY)
    assert x.shape == y.shape == (7, 10, 3)
    assert (x[:3] == a).all()
    assert (x[3:] == 255).all()
    assert (y[:, :4] == b).all()
    assert (y[:, 4:] == 255).all()


def test_resizing_is_bicubic_and_of_the_prediction_alone():
    a, b = noise(30, 40), noise(11, 13)
    x, y = equalise(a, b, SizePolicy.RESIZE, MANY)
    assert y is b
    assert (x == np.array(Image.fromarray(a).resize((13, 11), Image.Resampling.BICUBIC))).all()


@pytest.mark.parametrize("policy", SizePolicy)
def test_pictures_of_one_size_are_left_alone(policy):
    a, b = noise(5, 6), noise(5, 6)
    x, y = equalise(a, b, policy, MANY)
    assert x is a
    assert y is b


def test_padding_cannot_make_more_pixels_than_allowed():
    with pytest.raises(BadImageError, match="1000x1000"):
        equalise(noise(1, 1000), noise(1000, 1), SizePolicy.PAD, MANY - 1)
