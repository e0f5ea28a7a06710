"""The table on the terminal."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.report import print_summary
from i2s_sdk.report.view import profile_word
from i2s_sdk.run.storage.record import Outcome, Record
from i2s_sdk.scoring.scorer import Metric
from i2s_sdk.stats.aggregate import aggregate
from i2s_sdk.stats.columns import Columns
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Verdict
from sample_records import flat_record


def _printed(*records: Record) -> str:
    count = max(3, len(records))
    instances = [Instance(str(number), "latex", "[bold]x", Path("a.png")) for number in range(count)]
    stream = io.StringIO()
    summary = aggregate(
        instances,
        {record.instance.id: record for record in records},
        {"latex": Columns((Metric("ems"),))},
        Profile.PAPER,
    )
    print_summary(summary, {"lp[ips]": "no weights"}, stream)
    return stream.getvalue()


def _scored(name: str, verdict: Verdict, ems: float | None) -> Record:
    return flat_record(
        name,
        "latex",
        "[bold]x",
        "",
        outcome=Outcome.SCORED,
        usable=verdict.has_picture,
        verdict=verdict,
        verdict_before_repair=Verdict.COMPILE_ERROR,
        metrics={"ems": ems},
    )


def test_every_mean_stands_beside_how_many_were_scored() -> None:
    text = _printed(_scored("0", Verdict.RENDERED, 0.5), _scored("1", Verdict.COMPILE_ERROR, 0.0))
    assert "2 of 3" in text
    assert "0.250 (0.500)" in text
    assert "50.0 % (0.0 %)" in text
    assert "1 of 3 have no score: 1 cancelled" in text
    assert "1 of 3 not rendered: 1 compile error" in text


def test_a_mean_over_fewer_than_the_scored_ones_says_over_how_many() -> None:
    text = _printed(_scored("0", Verdict.RENDERED, 0.5), _scored("1", Verdict.RENDERED, None))
    assert "0.500, n=1 (0.500, n=1)" in text


def test_names_are_shown_as_they_are() -> None:
    text = _printed()
    assert "[bold]x" in text
    assert "Not computed: lp[ips]" in text


def test_the_interval_of_the_total_stands_below_it() -> None:
    text = _printed(*(_scored(str(number), Verdict.RENDERED, number / 4) for number in range(5)))
    assert re.search(r"95 % interval +56.6 to 100.0 % +0.220 to 0.780", text)


def test_too_few_values_for_an_interval_are_said_in_its_place() -> None:
    text = _printed(*(_scored(str(number), Verdict.RENDERED, number / 4) for number in range(4)))
    assert re.search(r"95 % interval +51.0 to 100.0 % +n too small", text)


def test_a_mean_of_equal_values_says_so_in_place_of_an_interval() -> None:
    text = _printed(*(_scored(str(number), Verdict.RENDERED, 1.0) for number in range(3)))
    assert re.search(r"95 % interval +43.9 to 100.0 % +all 3 equal", text)


@pytest.mark.parametrize(
    ("task", "profile", "shown"),
    [
        ("latex", "helm", "helm"),
        ("latex", "paper", "paper"),
        ("readoc", "helm", "reference"),
        ("sobench", "paper", "paper"),
    ],
)
def test_the_rules_of_a_released_evaluation_are_called_helm_where_helm_has_the_task(
    task: str, profile: str, shown: str
) -> None:
    assert profile_word(task, profile) == shown
