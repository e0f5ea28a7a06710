"""Staves are found in level and turned images, and pages are cut between systems."""

from itertools import pairwise

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter

from i2s_collect.images.music import FEATURES, WEIGHTS, features, look, probability
from i2s_collect.images.scores import cut_systems, systems


def page(tops, spacing=10, size=(900, 1200), joined=(), lines=5, seed=1) -> Image.Image:
    """A page with staves whose first lines are at some rows, with note heads and stems.

    ``joined`` names pairs of staves, by position, that a vertical line joins.
    """
    image = Image.new("L", size, 255)
    draw = ImageDraw.Draw(image)
    chance = np.random.default_rng(seed)
    left, right = 60, size[0] - 60
    for top in tops:
        for line in range(lines):
            draw.line((left, top + line * spacing, right, top + line * spacing), fill=0)
        for x in range(left + 30, right - 20, 40):
            y = top + int(chance.integers(1, 8)) * spacing // 2
            draw.ellipse((x, y - spacing // 2, x + spacing, y + spacing // 2), fill=0)
            draw.line((x + spacing, y, x + spacing, y - round(3.5 * spacing)), fill=0)
    for first, last in joined:
        draw.line((left, tops[first], left, tops[last] + 4 * spacing), fill=0, width=2)
    return image


@pytest.mark.parametrize("spacing", [4, 6, 10, 20])
def test_all_staves_of_a_page_are_found(spacing):
    tops = [100 + row * 12 * spacing for row in range(4)]
    found = look(page(tops, spacing, (900, tops[-1] + 150))).staves
    assert [round(staff.lines[0]) for staff in found] == tops
    assert all(abs(staff.spacing - spacing) < 0.3 for staff in found)


@pytest.mark.parametrize("degrees", [-1.0, -0.5, 0.4, 1.0])
def test_staves_of_a_turned_and_blurred_page_are_found(degrees):
    image = page([200, 400, 600]).rotate(degrees, Image.Resampling.BICUBIC, fillcolor=255)
    looked = look(image.filter(ImageFilter.GaussianBlur(0.7)))
    assert len(looked.staves) == 3
    assert looked.degrees == pytest.approx(-degrees, abs=0.15)


def test_a_level_page_is_not_turned():
    assert look(page([200, 400])).degrees == 0.0


def test_light_lines_on_a_dark_page_are_found():
    inverted = Image.fromarray(255 - np.asarray(page([200, 400])))
    assert len(look(inverted).staves) == 2


@pytest.mark.parametrize("lines", [3, 4, 10, 20])
def test_other_numbers_of_lines_are_no_staves(lines):
    assert look(page([200], lines=lines)).staves == ()


def test_lines_with_unequal_distances_are_no_staff():
    image = Image.new("L", (600, 300), 255)
    for y in (50, 60, 75, 85, 110):
        ImageDraw.Draw(image).line((20, y, 580, y), fill=0)
    assert look(image).staves == ()


@pytest.mark.parametrize("size", [(1, 1), (1, 500), (500, 1), (20, 20)])
@pytest.mark.parametrize("color", [0, 128, 255])
def test_a_picture_of_one_color_has_numbers_and_no_staves(size, color):
    looked = look(Image.new("L", size, color))
    assert looked.staves == ()
    assert np.isfinite(features(looked)).all()


def test_there_is_a_weight_for_each_number_and_a_constant():
    assert len(features(look(page([200])))) == len(FEATURES) == len(WEIGHTS) - 1


@pytest.mark.parametrize("degrees", [-1.0, 0.7])
def test_thin_grey_lines_are_found_in_a_blurred_picture_with_noise(degrees):
    chance = np.random.default_rng(3)
    image = page([100, 250], 7, (500, 400)).rotate(degrees, Image.Resampling.BILINEAR, fillcolor=255)
    grey = np.asarray(image.filter(ImageFilter.GaussianBlur(1.0)), np.float64)
    noisy = np.clip(grey + chance.normal(0, 12, grey.shape), 0, 255).astype(np.uint8)
    assert len(look(Image.fromarray(noisy)).staves) == 2


def test_a_staff_that_is_short_beside_its_title_is_found():
    image = page([200], 8, (300, 400))
    wide = Image.new("L", (1400, 400), 255)
    wide.paste(image, (0, 0))
    ImageDraw.Draw(wide).rectangle((100, 40, 1300, 70), fill=0)
    assert len(look(wide).staves) == 1


def test_lines_of_text_are_no_sheet_music_and_staves_are():
    image = Image.new("L", (900, 600), 255)
    chance = np.random.default_rng(2)
    for row in range(5):
        words = " ".join(chance.choice(["all", "these", "words", "stand", "in", "five", "lines"], 20))
        ImageDraw.Draw(image).text((40, 100 + 14 * row), words, fill=0)
    assert probability(image) < 0.5
    assert probability(page([100, 250, 400])) > 0.5


def test_noise_alone_has_no_staves():
    chance = np.random.default_rng(4)
    noise = np.clip(chance.normal(200, 25, (600, 600)), 0, 255).astype(np.uint8)
    assert look(Image.fromarray(noise)).staves == ()


def test_staves_that_are_joined_are_one_system():
    boxes = systems(page([100, 200, 400, 500, 700], joined=[(0, 1), (2, 3)]))
    assert [
        (box.top < top, box.bottom > bottom)
        for box, top, bottom in zip(boxes, (100, 400, 700), (240, 540, 740), strict=True)
    ] == [(True, True)] * 3
    assert all(above.bottom <= below.top for above, below in pairwise(boxes))


def test_a_title_and_a_footer_are_cut_off():
    image = page([300, 500])
    draw = ImageDraw.Draw(image)
    draw.rectangle((300, 100, 600, 140), fill=0)
    draw.rectangle((300, 1100, 600, 1120), fill=0)
    boxes = systems(image)
    assert len(boxes) == 2
    assert boxes[0].top > 140
    assert boxes[1].bottom < 1100


def test_words_below_a_staff_belong_to_it():
    image = page([300, 500])
    ImageDraw.Draw(image).rectangle((100, 355, 800, 368), fill=0)
    assert systems(image)[0].bottom > 368


def test_a_short_last_system_is_found():
    image = page([100, 300, 500])
    ImageDraw.Draw(image).rectangle((300, 450, 900, 600), fill=255)
    assert len(systems(image)) == 3


def test_a_page_that_is_reduced_has_boxes_in_its_own_pixels():
    image = page([100, 300]).resize((3600, 4800), Image.Resampling.BICUBIC)
    boxes = systems(image)
    assert len(boxes) == 2
    assert boxes[0].top < 400 < 560 < boxes[0].bottom < 1200
    assert [picture.size for picture in cut_systems(image)] == [
        (box.right - box.left, box.bottom - box.top) for box in boxes
    ]


def test_a_page_without_staves_has_no_systems():
    assert systems(Image.new("RGB", (500, 500), "white")) == []
