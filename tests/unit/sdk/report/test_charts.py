"""Figures for charts."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.report import samples, write_report
from i2s_sdk.report.charts import BINS, endings, histograms
from i2s_sdk.report.view import RunView, views_of
from i2s_sdk.runlog.reader import read_run
from i2s_sdk.runlog.record import Record
from i2s_sdk.stats.results import summarize_run
from run_folders import instances, make_run, options, record_of, write_run


@pytest.fixture
def view(tmp_path: Path) -> RunView:
    return views_of([read_run(make_run(tmp_path / "run", 80, pictures=False))])[0]


def test_every_planned_sample_ended_in_one_way(tmp_path: Path) -> None:
    planned = instances(60)
    records = {one.id: record_of(one) for one in planned[:50]}
    run = read_run(write_run(tmp_path / "run", planned, records))
    for result in summarize_run(run).tasks.values():
        for group in result.groups:
            bars = endings(group)
            assert sum(bar.count for bar in bars) == group.planned
            assert sum(bar.share for bar in bars) == pytest.approx(1.0)
            assert sum(bar.count for bar in bars if bar.tone == "good") == group.rendered
            assert sum(bar.count for bar in bars if bar.tone == "ours") == group.planned - group.scored


def test_a_histogram_counts_the_rendered_samples(view: RunView) -> None:
    charts = {one.metric: one for one in histograms(view, "latex")}
    rendered = [one for one in view.records if one.task == "latex" and one.outcome.counts and one.has_picture]
    for name, chart in charts.items():
        assert chart.n == sum(bar.count for bar in chart.bars) == len(rendered)
        low = sum((one.metrics[name] or 0) < 0.5 for one in rendered)
        assert sum(bar.count for bar in chart.bars[: BINS // 2]) == low
        assert max(bar.share for bar in chart.bars) == 1.0


def test_values_beyond_the_ends_are_in_the_outer_bars(tmp_path: Path) -> None:
    one = instances(1)[0]
    record = next(found for salt in map(str, range(99)) if (found := record_of(one, salt)).has_picture)
    plain = record.to_json() | {"metrics": {"ems": -0.4, "pixel": 1.0}}
    run = write_run(tmp_path / "run", [one], {one.id: Record.from_json(plain)}, options())
    charts = {chart.metric: chart for chart in histograms(views_of([read_run(run)])[0], "latex")}
    assert charts["ems"].bars[0].count == 1
    assert charts["pixel"].bars[-1].count == 1
    assert charts["ssim"].n == 0


def test_a_gallery_too_large_to_open_is_cut_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(tmp_path / "run", 9, pictures=False)
    assert "The gallery holds the first" not in write_report([run]).path.read_text()
    monkeypatch.setattr(samples, "MOST", 5)
    assert "The gallery holds the first 5 of 9 samples" in write_report([run]).path.read_text()
