"""Correlations of metrics over samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from i2s_sdk.runlog.outcome import Outcome
from i2s_sdk.runlog.record import Record
from i2s_sdk.stats.correlations import correlations, pearson

NUMBERS = st.floats(-10, 10).map(lambda one: round(one, 6))


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=3, max_size=30))
def test_pearson_is_that_of_numpy(pairs: list[tuple[float, float]]) -> None:
    columns = np.asarray(pairs).T
    assume(all(np.std(column) > 1e-3 for column in columns))
    assert pearson(pairs) == pytest.approx(np.corrcoef(columns)[0, 1], abs=1e-9)


def test_a_variable_that_does_not_vary_has_none() -> None:
    assert pearson([(1.0, 2.0), (1.0, 3.0)]) is None
    assert pearson([(1.0, 2.0)]) is None


def sample(name: str, *, usable: bool = True, **metrics: float | None) -> Record:
    return Record(name, "latex", "equation", "", outcome=Outcome.SCORED, usable=usable, metrics=metrics)


def test_every_two_metrics_are_compared_over_the_usable_samples_that_have_both() -> None:
    records = [
        sample("a", ems=0.1, ssim=0.9, edit=None),
        sample("b", ems=0.2, ssim=0.8, edit=0.5),
        sample("c", ems=0.4, ssim=0.1, edit=0.6),
        sample("d", usable=False, ems=0.0, ssim=0.0, edit=0.0),
    ]
    found = {(one.first, one.second): one for one in correlations(records, ["ems", "ssim", "edit"])}
    assert list(found) == [("ems", "ssim"), ("ems", "edit"), ("ssim", "edit")]
    assert found["ems", "ssim"].ranks.n == 3
    assert found["ems", "ssim"].ranks.spearman == pytest.approx(-1.0)
    assert found["ems", "edit"].pearson == pytest.approx(1.0)
