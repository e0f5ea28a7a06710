"""What three tools wrote for the pages of the examples: the columns that need no drawing."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.data.folder import read_folder
from i2s_sdk.instances.instance import Instance
from i2s_sdk.scoring.scorer import MetricValues, Scorable
from i2s_sdk.tasks.omnidocbench.scorer import PARTS, OmniDocBenchScorer
from i2s_wire.metrics.profile import Profile

INSTANCES = read_folder(Path(__file__).parents[5] / "examples" / "omnidocbench").instances
PREDICTIONS = Path(__file__).parent / "predictions"
COLUMNS = ("text_edit", "table_teds", "table_teds_s", "table_edit", "reading_order", "precision")
VALUES = {
    (Profile.PAPER, "pymupdf4llm"): (0.966, 0.972, 0.972, 0.975, 0.964, 0.984),
    (Profile.PAPER, "markitdown"): (0.727, 0.301, 0.714, 0.691, 0.847, 0.722),
    (Profile.PAPER, "pypdfium2"): (0.984, 0.0, 0.0, 0.0, 1.0, 0.877),
    (Profile.HELM, "pymupdf4llm"): (0.873, 0.972, 0.972, 0.973, 0.964, None),
    (Profile.HELM, "markitdown"): (0.693, 0.287, 0.714, 0.690, 0.815, None),
    (Profile.HELM, "pypdfium2"): (0.960, 0.0, 0.0, 0.0, 1.0, None),
}


def _scored(instance: Instance, system: str, profile: Profile) -> MetricValues:
    prediction = (PREDICTIONS / system / f"{instance.id}.md").read_text(encoding="utf-8")
    found = OmniDocBenchScorer(profile).score(Scorable(instance.id, prediction, target=instance.target))
    assert isinstance(found, MetricValues)
    return found


@pytest.mark.parametrize(("profile", "system"), VALUES)
def test_means_over_the_pages(profile: Profile, system: str) -> None:
    pages = [_scored(instance, system, profile).metrics for instance in INSTANCES]
    for column, wanted in zip(COLUMNS, VALUES[profile, system], strict=True):
        values = [page[column] for page in pages if page.get(column) is not None]
        assert (round(sum(values) / len(values), 3) if values else None) == wanted, column


#: ``overall`` of ``reference``, in which no formula of these tools has to be drawn.
OVERALL = {"pymupdf4llm": 0.615, "markitdown": 0.327, "pypdfium2": 0.320}


@pytest.mark.parametrize("system", OVERALL)
def test_a_tool_that_writes_no_formula_has_0_for_them_in_reference(system: str) -> None:
    pages = [_scored(instance, system, Profile.HELM).metrics for instance in INSTANCES]
    parts = [[page[part] for page in pages if page[part] is not None] for part in PARTS]
    assert set(parts[PARTS.index("formula_cdm")]) == {0.0}
    means = [sum(values) / len(values) for values in parts]
    assert round(sum(means) / len(means), 3) == OVERALL[system]
