"""The scales of the overview: runs and reference points at the places of their values."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.report.compared import compare_views
from i2s_sdk.report.overview import Overview, overview
from i2s_sdk.report.page import write_report
from i2s_sdk.report.scales import Scale, scales
from i2s_sdk.report.view import views_of
from i2s_sdk.run.storage.folder import read_run, write_points
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.run.storage.record import Outcome, Record
from i2s_sdk.stats.leaderboard import leaderboard
from run_folders import options, write_run
from sample_records import flat_record

NAMES = tuple(f"sample-{at}" for at in range(6))


def records(values: tuple[float, ...], task: str = "latex") -> list[Record]:
    return [
        flat_record(
            name,
            task,
            "equation",
            "",
            outcome=Outcome.SCORED,
            usable=True,
            reference_sha256=name,
            metrics={"ems": value},
        )
        for name, value in zip(NAMES, values, strict=True)
    ]


def run(path: Path, *values: float, task: str = "latex") -> Path:
    planned = [PlannedInstance(name, task, "equation") for name in NAMES]
    own = {record.instance.id: record for record in records(values, task)}
    return write_run(path, planned, own, options(tasks=(task,), model=path.name, metrics={"ems": "1"}))


def scale_of(*runs: Path) -> tuple[Overview, Scale]:
    compared = compare_views(views_of([read_run(one) for one in runs]))
    labels = {one.name for one in runs}
    standings = leaderboard(compared.summaries, compared.unranked, compared.refused)
    shown = overview(compared, [standing for standing in standings if standing.label in labels])
    (scale,) = scales(compared, shown)
    return shown, scale


def test_a_mark_is_as_far_between_floor_and_ceiling_as_its_value(tmp_path: Path) -> None:
    low, high = (0.3, 0.4, 0.5, 0.5, 0.6, 0.7), (0.6, 0.7, 0.8, 0.8, 0.9, 1.0)
    one, other = run(tmp_path / "one", *high), run(tmp_path / "other", *low)
    points = {"baseline/blank": records((0.1,) * 6), "baseline/constant": records((0.3,) * 6)}
    write_points(read_run(one).storage, {**points, "oracle": records((1.0,) * 6)})
    shown, scale = scale_of(one, other)
    assert [row.label for row in shown.shown] == ["one", "other"]
    marks = {mark.kind: mark for mark in scale.points}
    assert {kind: mark.title for kind, mark in marks.items()} == {
        "point": "baseline/blank 0.100",
        "floor": "floor 0.300",
        "ceiling": "ceiling 1.000",
    }
    assert scale.ends == "floor 0.300 · ceiling 1.000"
    length = marks["ceiling"].place - marks["floor"].place
    for label, value in (("one", 0.8), ("other", 0.5)):
        mark = scale.runs[label]
        assert (mark.place - marks["floor"].place) / length == pytest.approx((value - 0.3) / 0.7, abs=1e-3)
        assert mark.ends is not None
        assert mark.ends[0] < mark.place < mark.ends[1]
    assert all(0 < place < 100 for place in [mark.place for mark in scale.points])


def test_a_scale_of_one_value_has_it_in_its_middle(tmp_path: Path) -> None:
    _, scale = scale_of(run(tmp_path / "one", *(0.5,) * 6))
    assert (scale.runs["one"].place, scale.points, scale.ends) == (50.0, (), "")


def test_reference_points_are_marks_of_the_first_table_and_no_rows(tmp_path: Path) -> None:
    one = run(tmp_path / "one", *(0.5,) * 6)
    write_points(read_run(one).storage, {"baseline/blank": records((0.1,) * 6)})
    written = write_report([one, run(tmp_path / "baseline" / "ocr", *(0.4,) * 6)], tmp_path / "report")
    table = Path(str(written.path)).read_text().partition("</table>")[0]
    assert table.count('<th role="rowheader"') == 2
    assert "<title>floor 0.100</title>" in table


def test_the_gallery_opens_on_the_best_run(tmp_path: Path) -> None:
    runs = [run(tmp_path / "a", *(0.4,) * 6), run(tmp_path / "b", *(0.6,) * 6)]
    page = Path(str(write_report(runs, tmp_path / "report").path)).read_text()
    assert '"runs":["a","b"],"best":1' in page
