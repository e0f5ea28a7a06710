"""Colours: the published pairs of CIEDE2000, and the way from "#rrggbbaa" to CIELAB.

The pairs and their differences are those of table 1 of G. Sharma, W. Wu, E. N. Dalal, "The CIEDE2000
Color-Difference Formula", Color Research and Application 30 (2005), pages 21 to 30.
"""

from __future__ import annotations

import pytest

from i2s_sdk.tasks.chart.colors import Lab, difference, lab, on_white

#: L, a and b of two colours, and their difference.
PAIRS = (
    ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
    ((50.0, 3.1571, -77.2803), (50.0, 0.0, -82.7485), 2.8615),
    ((50.0, 2.8361, -74.0200), (50.0, 0.0, -82.7485), 3.4412),
    ((50.0, -1.3802, -84.2814), (50.0, 0.0, -82.7485), 1.0000),
    ((50.0, -1.1848, -84.8006), (50.0, 0.0, -82.7485), 1.0000),
    ((50.0, -0.9009, -85.5211), (50.0, 0.0, -82.7485), 1.0000),
    ((50.0, 0.0, 0.0), (50.0, -1.0, 2.0), 2.3669),
    ((50.0, -1.0, 2.0), (50.0, 0.0, 0.0), 2.3669),
    ((50.0, 2.4900, -0.0010), (50.0, -2.4900, 0.0009), 7.1792),
    ((50.0, 2.4900, -0.0010), (50.0, -2.4900, 0.0010), 7.1792),
    ((50.0, 2.4900, -0.0010), (50.0, -2.4900, 0.0011), 7.2195),
    ((50.0, 2.4900, -0.0010), (50.0, -2.4900, 0.0012), 7.2195),
    ((50.0, -0.0010, 2.4900), (50.0, 0.0009, -2.4900), 4.8045),
    ((50.0, -0.0010, 2.4900), (50.0, 0.0010, -2.4900), 4.8045),
    ((50.0, -0.0010, 2.4900), (50.0, 0.0011, -2.4900), 4.7461),
    ((50.0, 2.5, 0.0), (50.0, 0.0, -2.5), 4.3065),
    ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
    ((50.0, 2.5, 0.0), (61.0, -5.0, 29.0), 22.8977),
    ((50.0, 2.5, 0.0), (56.0, -27.0, -3.0), 31.9030),
    ((50.0, 2.5, 0.0), (58.0, 24.0, 15.0), 19.4535),
    ((50.0, 2.5, 0.0), (50.0, 3.1736, 0.5854), 1.0000),
    ((50.0, 2.5, 0.0), (50.0, 3.2972, 0.0), 1.0000),
    ((50.0, 2.5, 0.0), (50.0, 1.8634, 0.5757), 1.0000),
    ((50.0, 2.5, 0.0), (50.0, 3.2592, 0.3350), 1.0000),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((63.0109, -31.0961, -5.8663), (62.8187, -29.7946, -4.0864), 1.2630),
    ((61.2901, 3.7196, -5.3901), (61.4292, 2.2480, -4.9620), 1.8731),
    ((35.0831, -44.1164, 3.7933), (35.0232, -40.0716, 1.5901), 1.8645),
    ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
    ((36.4612, 47.8580, 18.3852), (36.2715, 50.5065, 21.2231), 1.4146),
    ((90.8027, -2.0831, 1.4410), (91.1528, -1.6435, 0.0447), 1.4441),
    ((90.9257, -0.5406, -0.9208), (88.6381, -0.8985, -0.7239), 1.5381),
    ((6.7747, -0.2908, -2.4247), (5.8714, -0.0985, -2.2286), 0.6377),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
)


@pytest.mark.parametrize(("first", "second", "published"), PAIRS)
def test_published_pairs_have_their_difference_in_both_directions(
    first: Lab, second: Lab, published: float
) -> None:
    assert difference(first, second) == pytest.approx(published, abs=5e-5)
    assert difference(second, first) == pytest.approx(published, abs=5e-5)


def test_white_and_black_are_the_ends_of_lightness() -> None:
    assert lab(1, 1, 1) == pytest.approx((100, 0, 0), abs=0.01)
    assert lab(0, 0, 0) == pytest.approx((0, 0, 0), abs=0.01)
    assert difference(lab(1, 1, 1), lab(0, 0, 0)) == pytest.approx(100, abs=0.01)


def test_red_of_srgb_is_where_its_standard_has_it() -> None:
    assert lab(1, 0, 0) == pytest.approx((53.24, 80.09, 67.20), abs=0.02)


def test_a_colour_that_lets_all_light_through_is_white() -> None:
    assert on_white("#12345600") == pytest.approx((1, 1, 1))
    assert on_white("#00000080") == pytest.approx((127 / 255,) * 3)
    assert on_white("#ff0000ff") == pytest.approx((1, 0, 0))


@pytest.mark.parametrize("color", ["", "red", "#ff0000", "#gggggggg", "none"])
def test_anything_else_is_no_colour(color: str) -> None:
    with pytest.raises(ValueError, match=r"colour|literal"):
        on_white(color)
