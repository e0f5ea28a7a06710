"""The recorded values of the reference implementation, by the functions themselves.

Columns ``ems`` and ``block_emd`` are those of a white background that is recognised, see the
header of the file.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from i2s_metrics.errors import UndefinedError
from i2s_metrics.functional.ems import HELM, PAPER, earth_mover_similarity
from i2s_metrics.functional.ems.rules import PaperRules
from i2s_metrics.functional.pixel import pixel_row_similarity
from i2s_metrics.functional.ssim import structural_similarity
from i2s_metrics.images import decode, equalise
from i2s_wire.metrics.score import SizePolicy

pytestmark = pytest.mark.fidelity

DATA = Path(__file__).parent / "data"
ROWS = json.loads((DATA / "image_metrics.json").read_text(encoding="utf-8"))["rows"]
POLICIES = {"padding": SizePolicy.PAD, "resize": SizePolicy.RESIZE}
MANY = 10_000_000

every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])


def pictures(row) -> tuple[np.ndarray, np.ndarray]:
    prediction, reference = (
        decode((DATA / row[key]).read_bytes(), MANY) for key in ("prediction", "reference")
    )
    return equalise(prediction, reference, POLICIES[row["size_handling"]], MANY)


def greys(row):
    return [np.asarray(Image.fromarray(picture).convert("L")) for picture in pictures(row)]


def test_all_rows_are_here():
    assert len(ROWS) == 30
    assert {(DATA / row[key]).is_file() for row in ROWS for key in ("prediction", "reference")} == {True}


@every_row
def test_ems_and_block_emd_within_a_ten_thousandth(row):
    if "ems" in row["exceptions"]:
        with pytest.raises(UndefinedError):
            earth_mover_similarity(*pictures(row), HELM)
        return
    result = earth_mover_similarity(*pictures(row), HELM)
    assert result.value == pytest.approx(row["ems"], abs=1e-5)
    assert result.block_emd == pytest.approx(row["block_emd"], abs=1e-5)


@every_row
def test_ssim_within_a_millionth(row):
    assert structural_similarity(*greys(row)) == pytest.approx(row["ssim"], abs=1e-6)


@every_row
def test_pixel_similarity_exactly(row):
    assert pixel_row_similarity(*greys(row)) == pytest.approx(row["pixel_similarity"], abs=1e-9)


class ReleasedDistances(PaperRules):
    """Profile ``paper`` with the positions and the one-colour image of the released code."""

    def position_distances(self, a, b):
        return HELM.position_distances(a, b)

    def blank_levels(self, reference):
        return HELM.blank_levels(reference)


@pytest.mark.parametrize("name", ["tex_eq_two_px_wider", "tex_table_missing_row", "music_pitches"])
def test_on_black_ink_upon_white_the_profiles_differ_in_equations_3_and_4_only(name):
    (row,) = (row for row in ROWS if row["name"] == name)
    released = earth_mover_similarity(*pictures(row), ReleasedDistances())
    assert released.value == pytest.approx(row["ems"], abs=1e-4)
    paper = earth_mover_similarity(*pictures(row), PAPER)
    assert paper.denominator == pytest.approx(released.denominator, abs=1e-9)
    assert 0 <= released.block_emd - paper.block_emd < 0.01
