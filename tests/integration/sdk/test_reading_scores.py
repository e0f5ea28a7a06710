"""The page on reading scores gives values as the metrics compute them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from documentation_pages import DOCS, rows
from i2s_sdk import Settings
from i2s_sdk.data import open_data
from i2s_training import RoundTrip, RoundTripResult

pytestmark = pytest.mark.integration

TEXT = (DOCS / "reading-scores.md").read_text(encoding="utf-8")
EQUAL = rows(TEXT, "reference", "answer", "`edit`", "`edit_tex`", "`edit_normal`")
WRONG = rows(TEXT, "reference", "answer", "`ems`", "`ssim`", "`edit`", "`edit_normal`")


@pytest.fixture(scope="module")
def trip(running_without_networks: Settings) -> Iterator[RoundTrip]:
    with RoundTrip(settings=running_without_networks) as opened:
        yield opened


def judged(trip: RoundTrip, reference: str, answer: str, folder: Path) -> RoundTripResult:
    """Score an answer against the image and the source of a reference."""
    image, source = folder / "reference.png", folder / "reference.tex"
    any_formula = open_data(None).instances[0]
    drawn = trip.judge(any_formula, reference)
    assert drawn.png is not None
    image.write_bytes(drawn.png)
    source.write_text(reference, encoding="utf-8")
    return trip.judge(dataclasses.replace(any_formula, image=image, structure=source), answer)


def test_the_page_has_both_tables() -> None:
    assert len(EQUAL) >= 4
    assert len(WRONG) >= 3


@pytest.mark.parametrize("row", EQUAL, ids=lambda row: row["answer"])
def test_these_answers_draw_the_same_image(trip: RoundTrip, row: dict[str, str], tmp_path: Path) -> None:
    values = judged(trip, row["reference"], row["answer"], tmp_path).metrics
    assert (values["ems"], values["ssim"], values["pixel"]) == (1.0, pytest.approx(1.0), 1.0)
    for name in ("edit", "edit_tex", "edit_normal"):
        assert f"{values[name]:.3f}" == row[f"`{name}`"], name


@pytest.mark.parametrize("row", WRONG, ids=lambda row: row["answer"])
def test_these_answers_are_wrong_and_score_as_the_page_says(
    trip: RoundTrip, row: dict[str, str], tmp_path: Path
) -> None:
    values = judged(trip, row["reference"], row["answer"], tmp_path).metrics
    assert values["pixel"] < 1
    for name in ("ems", "ssim", "edit", "edit_normal"):
        assert values[name] == pytest.approx(float(row[f"`{name}`"]), abs=0.002), name
