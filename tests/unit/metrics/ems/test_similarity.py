import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ems_definition import ROUNDED_BELOW_127
from i2s_metrics.errors import UndefinedError
from i2s_metrics.functional.ems import HELM, PAPER, Reference, earth_mover_similarity

WHITE = (255, 255, 255)


def page(seed=0, height=120, width=200, colour=WHITE, ink=0.2):
    rng = np.random.default_rng(seed)
    picture = np.full((height, width, 3), colour, np.uint8)
    blocks = rng.random((height // 4 + 1, width // 4 + 1)) < ink
    picture[np.kron(blocks, np.ones((4, 4), bool))[:height, :width]] = 255 - np.array(colour)
    return picture


@pytest.mark.parametrize("rules", [PAPER, HELM])
@pytest.mark.parametrize(
    "picture", [page(), page(colour=(13, 17, 23)), page(height=61, width=75), page(ink=0)]
)
@pytest.mark.slow
def test_a_picture_is_all_like_itself(picture, rules):
    result = earth_mover_similarity(picture, picture.copy(), rules)
    assert (result.value, result.block_emd) == (1.0, 0.0)
    assert result.denominator > 0


def test_a_prepared_reference_gives_the_same_value():
    prediction, reference = page(1), page(2)
    prepared = Reference.of(reference, PAPER)
    assert earth_mover_similarity(prediction, prepared, PAPER) == earth_mover_similarity(
        prediction, reference, PAPER
    )


def test_the_opposite_blank_has_similarity_zero_where_no_background_is_shared():
    # No patch of noise is background, so that numerator and denominator are the same problem.
    reference = np.random.default_rng(5).integers(0, 120, (80, 96, 3), dtype=np.uint8)
    blank = np.full_like(reference, 255)
    result = earth_mover_similarity(blank, reference, PAPER)
    assert result.block_emd == pytest.approx(result.denominator, abs=1e-9)
    assert result.value == pytest.approx(0, abs=1e-9)


def test_paper_clips_where_helm_goes_below_zero():
    # Mid-grey is most frequent, so that the denominator's blank is black; the rest is dark too.
    rng = np.random.default_rng(3)
    reference = rng.integers(0, 30, (40, 48, 3), dtype=np.uint8)
    reference[rng.random((40, 48)) < 0.3] = 130
    prediction = np.full_like(reference, 255)
    helm = earth_mover_similarity(prediction, reference, HELM)
    assert helm.value < 0
    assert helm.value == pytest.approx(1 - helm.block_emd / helm.denominator)
    assert earth_mover_similarity(prediction, reference, PAPER).value == 0


@pytest.mark.parametrize("shape", [(1, 1), (1, 30), (7, 7), (1, 3000), (3000, 1), (16, 2400)])
@pytest.mark.slow
def test_tiny_and_extreme_shapes_are_defined_in_paper(shape):
    rng = np.random.default_rng(0)
    a, b = (rng.integers(0, 256, (*shape, 3), dtype=np.uint8) for _ in range(2))
    assert 0 <= earth_mover_similarity(a, b, PAPER).value <= 1
    assert earth_mover_similarity(a, a, PAPER).value == 1


def test_extreme_width_is_undefined_in_helm():
    with pytest.raises(UndefinedError):
        earth_mover_similarity(page(height=16, width=2400), page(height=16, width=2400), HELM)


def test_pictures_of_different_shape_are_refused():
    with pytest.raises(ValueError, match="shape"):
        earth_mover_similarity(page(), page(height=80), PAPER)


@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_paper_stays_within_its_bounds(seed_a, seed_b):
    result = earth_mover_similarity(page(seed_a, 40, 48), page(seed_b, 40, 48, ink=0.6), PAPER)
    assert 0 <= result.value <= 1
    assert result.block_emd >= 0


def test_helm_rounds_a_grey_of_127_as_the_released_code_does():
    levels = np.arange(256)
    red, green, blue = np.meshgrid(levels, levels, levels, indexing="ij")
    colours = np.argwhere(299 * red + 587 * green + 114 * blue == 127_000)
    assert len(colours) == 111
    for colour in map(tuple, colours.tolist()):
        level = HELM.blank_levels(np.full((1, 1, 3), colour, np.uint8))
        assert level == ((255,) if colour in ROUNDED_BELOW_127 else (0,)), colour


@pytest.mark.parametrize(("grey", "level"), [(126, 255), (127, 255), (128, 0)])
def test_helm_compares_a_mid_grey_reference_with_white(grey, level):
    reference = np.full((9, 9, 3), grey, np.uint8)
    assert HELM.blank_levels(reference) == (level,)
    assert PAPER.blank_levels(reference) == (0, 255)
