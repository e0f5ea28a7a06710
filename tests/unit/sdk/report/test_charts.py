"""Figures for charts."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from i2s_sdk.report import samples, write_report
from i2s_sdk.report.charts import BINS, endings, group_charts, histograms, reference_values
from i2s_sdk.report.compared import compare_views
from i2s_sdk.report.view import RunView, views_of
from i2s_sdk.run.storage.codec import read_record, record_line
from i2s_sdk.run.storage.folder import read_run, write_points
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.stats.aggregate import summarize_run
from run_folders import instances, make_run, options, record_of, write_run
from sample_records import changed


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
    charts = {histogram.metric: histogram for histogram in histograms(view, "latex")}
    rendered = [
        record
        for record in view.records
        if record.instance.task == "latex" and record.outcome.counts and record.rendering.has_image
    ]
    for name, chart in charts.items():
        assert chart.n == sum(bar.count for bar in chart.bars) == len(rendered)
        low = sum((one.score.metrics[name] or 0) < 0.5 for one in rendered)
        assert sum(bar.count for bar in chart.bars[: BINS // 2]) == low
        assert max(bar.share for bar in chart.bars) == 1.0


def test_values_beyond_the_ends_are_in_the_outer_bars(tmp_path: Path) -> None:
    one = instances(1)[0]
    record = next(
        found for salt in map(str, range(99)) if (found := record_of(one, salt)).rendering.has_image
    )
    plain = record_line(record) | {"metrics": {"ems": -0.4, "pixel": 1.0}}
    run = write_run(tmp_path / "run", [one], {one.id: read_record(plain)}, options())
    charts = {chart.metric: chart for chart in histograms(views_of([read_run(run)])[0], "latex")}
    assert charts["ems"].bars[0].count == 1
    assert charts["pixel"].bars[-1].count == 1
    assert charts["ssim"].n == 0


def test_a_gallery_too_large_to_open_is_cut_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(tmp_path / "run", 9, pictures=False)
    assert "The gallery holds the first" not in write_report([run]).path.read_text()
    monkeypatch.setattr(samples, "MOST_SAMPLES", 5)
    assert "The gallery holds the first 5 of 9 samples" in write_report([run]).path.read_text()


def _points(run: Path, values: dict[str, float]) -> None:
    records = [
        changed(record_of(instance), outcome=Outcome.SCORED, usable=True, metrics={})
        for instance in instances(80)
    ]
    lines = {
        name: [changed(record, metrics={"ems": value, "ssim": value / 2}) for record in records]
        for name, value in values.items()
    }
    write_points(read_run(run).storage, lines)


def test_floor_and_ceiling_stand_in_every_chart(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", 80, pictures=False)
    _points(run, {"baseline/blank": 0.2, "baseline/constant": 0.4, "oracle": 0.9})
    views = views_of([read_run(run)])
    compared = compare_views(views)
    assert reference_values(compared, "latex", "ems") == (pytest.approx(0.4), pytest.approx(0.9))
    found = {histogram.metric: histogram for histogram in histograms(views[0], "latex", compared)}
    assert (found["ems"].floor, found["ems"].ceiling) == (40.0, 90.0)
    assert (found["ssim"].floor, found["ssim"].ceiling) == (20.0, 45.0)
    by = {group_chart.by: group_chart for group_chart in group_charts(compare_views(views), "latex")}
    assert [row.label for row in by["subset"].rows] == ["equation", "table", "wild"]
    assert [row.label for row in by["difficulty"].rows] == ["easy", "medium", "hard"]
    assert {(row.floor, row.ceiling) for chart in by.values() for row in chart.rows} == {(40.0, 90.0)}
    assert all("floor 0.400, ceiling 0.900" in row.skill for chart in by.values() for row in chart.rows)
    assert not any(chart.without_floor for chart in by.values())
    page = write_report([run]).path.read_text()
    assert '"ems":[0.4,0.9]' in page
    assert page.count('class="floor"') > page.count('class="histogram"') > 0


def test_a_group_has_the_mean_of_its_samples(tmp_path: Path) -> None:
    run = read_run(make_run(tmp_path / "run", 80, pictures=False))
    (view,) = views_of([run])
    chart = next(
        group_chart
        for group_chart in group_charts(compare_views([view]), "latex")
        if group_chart.by == "subset"
    )
    own = [
        record.score.metrics["ems"] or 0
        for record in view.records
        if record.instance.subset == "table" and record.outcome.counts
    ]
    row = next(one for one in chart.rows if one.label == "table")
    assert float(row.value) == pytest.approx(sum(own) / len(own), abs=6e-4)
    assert row.floor is None
    assert row.skill == "no floor is known"
    assert set(chart.without_floor) == {"equation", "table", "wild"}
    assert "no floor is known in any row" in write_report([tmp_path / "run"]).path.read_text()


def test_colours_of_text_and_of_charts_have_contrast() -> None:
    style = Path(str(files("i2s_sdk.report").joinpath("templates", "page.css"))).read_text()
    pairs = dict(re.findall(r"--(\w+): light-dark\((#\w{6}, #\w{6})\)", style))
    colours = {name: pair.split(", ") for name, pair in pairs.items()}
    for theme in (0, 1):
        for ground in ("ground", "card"):
            for name in ("ink", "faint", "good", "bad", "ours", "mark", "violet"):
                ratio = _contrast(colours[name][theme], colours[ground][theme])
                assert ratio >= 4.5, f"--{name} on --{ground}, theme {theme}: {ratio:.2f}"


def _contrast(one: str, other: str) -> float:
    """Return the contrast of two colours by WCAG 2.2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
