"""Draws of the bootstrap."""

from __future__ import annotations

import numpy as np
import pytest

from i2s_sdk.stats.resampling import RESAMPLES, percentiles, resampled_counts


def test_each_draw_has_as_many_values_as_the_sample_and_each_value_comes_as_often() -> None:
    counts = resampled_counts(np.arange(7) % 3, 3)
    assert counts.shape == (RESAMPLES, 3)
    assert (counts.sum(axis=1) == 7).all()
    assert counts.mean(axis=0) == pytest.approx([3, 2, 2], abs=0.15)


def test_percentiles_are_those_of_numpy() -> None:
    values = np.random.default_rng(1).random(RESAMPLES)
    assert percentiles(values) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_the_draws_stay_what_they_are() -> None:
    assert resampled_counts(np.arange(4), 4)[:2].tolist() == [[1, 2, 1, 0], [0, 1, 2, 1]]
