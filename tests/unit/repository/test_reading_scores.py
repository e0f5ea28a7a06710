"""The page on reading scores gives the figures of the ladders and of the simulation of intervals."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from documentation_pages import DOCS, rows

PAGE = (DOCS / "reading-scores.md").read_text(encoding="utf-8")
RESULTS = DOCS.parent / "benchmarks/results"
LADDER = json.loads((RESULTS / "ladder.json").read_text("utf-8"))["tasks"]
ASIDE = json.loads((RESULTS / "ladder_documents.json").read_text("utf-8"))["tasks"]
COVERAGE = json.loads((RESULTS / "coverage.json").read_text("utf-8"))["rows"]

_TITLES = {
    "LaTeX": "latex",
    "web pages": "webpage",
    "music": "music",
    "charts": "chart",
    "READOC": "readoc",
    "SO-Bench": "sobench",
    "OMR": "omr",
}
_FORMS = (
    "all pairs",
    "right answers over half an answer",
    "of these, in another size",
    "over answers that know nothing",
)
_BASELINES = {"blank": "blank", "constant": "constant", "shuffled": "another instance"}
_SETTINGS = {
    "values of beta(8, 2)": "beta(8, 2)",
    "the same with 10 % zeros": "beta(8, 2), 10% zeros",
    "0 or 1, 80 % ones": "0 or 1, 80 % ones",
    "difference of two runs, 10 % zeros in the second": "difference, 10% zeros in the second",
    "skill, 10 % zeros": "skill, 10% zeros",
}


def _shown(value: float | None) -> str:
    """Return a share as the page shows it."""
    if value is None:
        return "–"
    return f"{value:.2f}" if value == 1 else f"{value:.3f}".removeprefix("0")


def _order(ladder: list[dict[str, Any]], task: str, metric: str) -> dict[str, Any]:
    (of_task,) = [one for one in ladder if one["task"] == task and not one["subset"]]
    (order,) = [one for one in of_task["metrics"] if one["metric"] == metric]
    return dict(order)


def _named(cells: list[str]) -> Iterator[tuple[str, str]]:
    """Yield task and metric of each row of a table; the task is named where it begins."""
    task = ""
    for cell in cells:
        title, _, metric = cell.rpartition(" ")
        task = _TITLES.get(title.strip(), task)
        yield task, metric.strip("*`")


def _values(order: dict[str, Any]) -> tuple[str, ...]:
    pairs, size = order["pairs"], order["forms"].get("another size", {"value": None})
    shares = (pairs["all pairs"], pairs["equivalent over half"], size, pairs["equivalent over nothing"])
    return tuple(_shown(share["value"]) for share in shares)


def test_the_ladder_of_the_examples_is_that_of_the_results() -> None:
    table = rows(PAGE, "task, metric", *_FORMS)
    assert len(table) >= 17
    for row, (task, metric) in zip(table, _named([one["task, metric"] for one in table]), strict=True):
        assert tuple(row[name] for name in _FORMS) == _values(_order(LADDER, task, metric)), (task, metric)


def test_the_ladder_of_held_out_documents_is_that_of_the_results() -> None:
    table = rows(PAGE, "held out: task, metric", *_FORMS)
    assert {one["task"] for one in ASIDE if not one["subset"]} == {"latex", "webpage", "music", "omr"}
    assert len(table) >= 7
    named = _named([one["held out: task, metric"] for one in table])
    for row, (task, metric) in zip(table, named, strict=True):
        assert tuple(row[name] for name in _FORMS) == _values(_order(ASIDE, task, metric)), (task, metric)


@pytest.mark.parametrize(
    ("model", "rung"), [("blank", "blank"), ("constant", "constant"), ("shuffled", "another instance")]
)
def test_baselines_have_the_values_of_the_results(model: str, rung: str) -> None:
    metrics = ("ems", "ssim", "pixel", "edit")
    table = rows(PAGE, "model", *(f"`{one}`" for one in metrics))
    (row,) = [one for one in table if one["model"] == f"baseline/{model}"]
    for metric in metrics:
        mean = _order(LADDER, "latex", metric)["means"][_BASELINES[model]]
        assert row[f"`{metric}`"] == f"{mean:.3f}", metric


def test_floors_of_other_tasks_are_those_of_the_results() -> None:
    for row in rows(PAGE, "task", "main metric", "floor", "baseline"):
        title = re.match(r"(\S+?),? (?:(arxiv|github) )?\(\d+", row["task"])
        title = title or re.match(r"(READOC), (arxiv|github) ", row["task"])
        assert title is not None, row
        subset = (title[2] or "") if title.lastindex == 2 else ""
        (of_task,) = [one for one in LADDER if (one["task"], one["subset"]) == (_TITLES[title[1]], subset)]
        (order,) = [metric for metric in of_task["metrics"] if metric["metric"] == row["main metric"]]
        best = max(order["means"].get(name, 0.0) for name in ("another instance", "blank", "constant"))
        assert row["floor"] == f"{best:.3f}"


def test_shares_of_intervals_are_those_of_the_simulation() -> None:
    sizes = re.findall(r"n = (\d+) \|", PAGE[PAGE.index("| share of intervals") :].partition("\n")[0])
    lines = PAGE[PAGE.index("| share of intervals") :].splitlines()[2:]
    setting, seen = "", 0
    for line in lines:
        if not line.startswith("|"):
            break
        name, when, *cells = [one.strip() for one in line.strip("|").split("|")]
        setting = _SETTINGS.get(name, setting)
        for size, cell in zip(sizes, cells, strict=True):
            (row,) = [one for one in COVERAGE if (one["setting"], one["n"]) == (setting, int(size))]
            share = row["before" if when == "before" else "after"]
            shown = "–" if share is None else f"{share:.2f}".removeprefix("0")
            assert cell == shown, (setting, when, size)
            seen += 1
    assert seen == 2 * 5 * len(sizes)


def test_the_price_in_width_is_that_of_the_simulation() -> None:
    of_setting = [one for one in COVERAGE if one["setting"] == "beta(8, 2)"]
    widths = {one["n"]: (one["width_after"], one["width_before"]) for one in of_setting}
    text = "{:.2f} in place of {:.2f} at n = 10, {:.2f} in place of {:.2f} at n = 50"
    assert text.format(*widths[10], *widths[50]) in PAGE
