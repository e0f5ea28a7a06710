"""A ladder of a task that renders nothing: from ground truths to the order of each metric."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from i2s_sdk.errors import UsageError
from i2s_sdk.run.ladder import ladder
from i2s_sdk.settings import Settings
from i2s_sdk.stats.ladder import PairKind

SOBENCH = Path(__file__).parents[4] / "examples" / "sobench"
SETTINGS = replace(Settings(), jobs=2)
SAMPLES = tuple(f"receipt-{name}" for name in ("market", "fuel", "hardware", "cafe", "restaurant"))


def test_a_ladder_orders_graded_answers_and_is_resumed(tmp_path: Path) -> None:
    made = ladder(SOBENCH, out=tmp_path, settings=SETTINGS, samples=SAMPLES)
    (sobench,) = [task for task in made.tasks if not task.subset]
    assert (sobench.task, sobench.instances) == ("sobench", 5)
    order = next(metric for metric in sobench.metrics if metric.metric == "fma")
    assert order.means["perfect"] == 1
    assert order.means["half missing"] < order.means["one wrong"] < 1
    assert (order.shares[PairKind.ALL].value or 0) > 0.9
    assert order.forms["another spelling"].value == 1
    records = {path: path.read_bytes() for path in tmp_path.glob("*/records.jsonl")}
    assert ladder(SOBENCH, out=tmp_path, settings=SETTINGS, samples=SAMPLES).to_json() == made.to_json()
    assert {path: path.read_bytes() for path in tmp_path.glob("*/records.jsonl")} == records


def test_data_without_ground_truth_has_no_ladder(tmp_path: Path) -> None:
    scimage = SOBENCH.parent / "scimage"
    with pytest.raises(UsageError, match="no instance has a ground truth"):
        ladder(scimage, out=tmp_path, settings=SETTINGS)
