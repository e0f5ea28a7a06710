"""Charts: bars, grouped bars, lines, a pie, points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from PIL import Image

from sobench_items.item import COUNT, NUMBER, TEXT, Item, labelled, many, one_of, record
from sobench_items.page import BLUE, GREEN, GREY, INK, ORANGE, PALE, PURPLE, RED, Page

_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, RED)
_LEFT, _TOP, _WIDTH, _HEIGHT = 80, 80, 560, 280

_VISITORS: dict[str, Any] = {"title": "Visitors of the town museum", "values": [310, 275, 402, 488, 356]}
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri")
_VISITORS_GOLD: list[dict[str, Any]] = [
    {"day": day, "visitors": n} for day, n in zip(_DAYS, _VISITORS["values"], strict=True)
]
_ENERGY: dict[str, Any] = {
    "title": "Electricity by source",
    "unit": "TWh",
    "years": {
        "2021": {"wind": 42, "solar": 18, "hydro": 25},
        "2022": {"wind": 51, "solar": 27, "hydro": 22},
        "2023": {"wind": 58, "solar": 36, "hydro": 24},
    },
}
_RAIN: dict[str, Any] = {
    "station": "Cape Hollow",
    "peak_month": "Apr",
    "rainfall_mm": [30, 45, 70, 95, 60, 20],
}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun")
_BUDGET: dict[str, Any] = {
    "currency": "EUR",
    "shares": [
        {"category": "Rent", "percent": 40},
        {"category": "Food", "percent": 25},
        {"category": "Transport", "percent": 15},
        {"category": "Savings", "percent": 12},
        {"category": "Other", "percent": 8},
    ],
}
_TREES: dict[str, Any] = {
    "x_axis": {"name": "Age", "unit": "years"},
    "y_axis": {"name": "Height", "unit": "m"},
    "series": [
        {"species": "oak", "points": [{"x": 10, "y": 4}, {"x": 30, "y": 12}, {"x": 50, "y": 18}]},
        {"species": "birch", "points": [{"x": 10, "y": 8}, {"x": 20, "y": 14}, {"x": 40, "y": 20}]},
    ],
    "remark": None,
}


def _axes(title: str, top: float, step: float, names: Sequence[str]) -> Page:
    """Return a page with a title, a vertical axis from 0 to ``top``, and names below the horizontal one."""
    page = Page(700, 430)
    page.text(350, 20, title, 24, at="ma")
    for number in range(round(top / step) + 1):
        y = _y(number * step, top)
        page.line(_LEFT, y, _LEFT + _WIDTH, y, PALE)
        page.text(_LEFT - 10, y, f"{number * step:g}", 15, GREY, "rm")
    page.line(_LEFT, _TOP, _LEFT, _TOP + _HEIGHT, INK, 2)
    page.line(_LEFT, _TOP + _HEIGHT, _LEFT + _WIDTH, _TOP + _HEIGHT, INK, 2)
    for number, name in enumerate(names):
        page.text(_slot(number, len(names)), _TOP + _HEIGHT + 12, name, 17, at="ma")
    return page


def _y(value: float, top: float) -> float:
    return _TOP + _HEIGHT * (1 - value / top)


def _slot(number: int, count: int) -> float:
    return _LEFT + _WIDTH * (number + 0.5) / count


def _legend(page: Page, names: Sequence[str]) -> None:
    for number, name in enumerate(names):
        page.box(_LEFT + 20 + 120 * number, 54, 14, 14, _COLOURS[number], None)
        page.text(_LEFT + 40 + 120 * number, 61, name, 16, at="lm")


def _visitors() -> Image.Image:
    page = _axes(_VISITORS["title"], 500, 100, _DAYS)
    for number, value in enumerate(_VISITORS["values"]):
        x, y = _slot(number, len(_DAYS)), _y(value, 500)
        page.box(x - 32, y, 64, _TOP + _HEIGHT - y, BLUE, None)
        page.text(x, y - 6, str(value), 16, at="md")
    return page.image


def _energy() -> Image.Image:
    years: Mapping[str, Mapping[str, int]] = _ENERGY["years"]
    page = _axes(f"{_ENERGY['title']} ({_ENERGY['unit']})", 60, 10, list(years))
    _legend(page, list(years["2021"]))
    for number, values in enumerate(years.values()):
        for part, value in enumerate(values.values()):
            x, y = _slot(number, len(years)) + 46 * (part - 1), _y(value, 60)
            page.box(x - 20, y, 40, _TOP + _HEIGHT - y, _COLOURS[part], None)
            page.text(x, y - 4, str(value), 15, at="md")
    return page.image


def _rain() -> Image.Image:
    page = _axes(f"Rainfall at {_RAIN['station']} (mm)", 100, 10, _MONTHS)
    places = [(_slot(i, 6), _y(value, 100)) for i, value in enumerate(_RAIN["rainfall_mm"])]
    for (x1, y1), (x2, y2) in pairwise(places):
        page.line(x1, y1, x2, y2, BLUE, 3)
    for x, y in places:
        page.box(x - 6, y - 6, 12, 12, BLUE, None, 6)
    return page.image


def _budget() -> Image.Image:
    page = Page(640, 400)
    page.text(320, 20, f"Monthly budget: 2,400 {_BUDGET['currency']}", 24, at="ma")
    start = -90.0
    for number, share in enumerate(_BUDGET["shares"]):
        end = start + 3.6 * share["percent"]
        page.pen.pieslice((50, 80, 330, 360), start, end, fill=_COLOURS[number], outline="white")
        page.box(380, 120 + 44 * number, 18, 18, _COLOURS[number], None)
        page.text(410, 129 + 44 * number, f"{share['category']}  {share['percent']} %", 18, at="lm")
        start = end
    return page.image


def _trees() -> Image.Image:
    page = _axes("Growth of trees", 20, 4, ("10", "20", "30", "40", "50"))
    _legend(page, [one["species"] for one in _TREES["series"]])
    page.text(_LEFT + _WIDTH, _TOP + _HEIGHT + 40, "Age (years)", 16, GREY, "ra")
    page.text(20, 26, "Height (m)", 16, GREY)
    for colour, series in zip(_COLOURS, _TREES["series"], strict=False):
        for point in series["points"]:
            x, y = _slot(point["x"] // 10 - 1, 5), _y(point["y"], 20)
            page.box(x - 8, y - 8, 16, 16, colour, None, 8)
    return page.image


_AXIS = record({"name": TEXT, "unit": TEXT})
_YEAR = record({name: {"$ref": "#/$defs/energy"} for name in ("wind", "solar", "hydro")})

_item = partial(Item, subset="chart")
ITEMS = (
    _item(
        id="chart-visitors",
        difficulty="easy",
        intent="Give me the number of visitors for each day, in the order of the week.",
        schema=many(record({"day": one_of(*_DAYS), "visitors": COUNT}), 5),
        answer=_VISITORS_GOLD,
        labels=labelled(_VISITORS_GOLD),
        draw=_visitors,
    ),
    _item(
        id="chart-budget",
        difficulty="easy",
        intent="Turn the budget into a list of shares, largest first.",
        schema=record(
            {
                "currency": one_of("EUR", "USD", "GBP"),
                "shares": many(
                    record({"category": TEXT, "percent": {"type": "number", "minimum": 0, "maximum": 100}}), 1
                ),
            }
        ),
        answer=_BUDGET,
        labels=labelled(_BUDGET),
        draw=_budget,
    ),
    _item(
        id="chart-rainfall",
        difficulty="medium",
        intent="Read the rainfall of January to June off the curve and name the wettest month.",
        schema=record(
            {
                "station": TEXT,
                "peak_month": one_of(*_MONTHS),
                "rainfall_mm": {"type": "array", "items": NUMBER, "minItems": 6, "maxItems": 6},
            }
        ),
        answer=_RAIN,
        labels=labelled(_RAIN, rainfall_mm="fuzzy"),
        draw=_rain,
    ),
    _item(
        id="chart-energy",
        difficulty="medium",
        intent="Load the chart as data: each year with its sources.",
        schema={
            "$defs": {"energy": {"type": "number", "minimum": 0}, "year": _YEAR},
            **record(
                {
                    "title": TEXT,
                    "unit": one_of("GWh", "TWh"),
                    "years": record({name: {"$ref": "#/$defs/year"} for name in _ENERGY["years"]}),
                }
            ),
        },
        answer=_ENERGY,
        labels=labelled(_ENERGY, title="fuzzy"),
        draw=_energy,
    ),
    _item(
        id="chart-trees",
        difficulty="hard",
        intent="Digitise the points of both species, from left to right, with the axes.",
        schema={
            "$defs": {"axis": _AXIS, "point": record({"x": NUMBER, "y": NUMBER})},
            **record(
                {
                    "x_axis": {"$ref": "#/$defs/axis"},
                    "y_axis": {"$ref": "#/$defs/axis"},
                    "series": many(
                        record(
                            {"species": one_of("oak", "birch"), "points": many({"$ref": "#/$defs/point"}, 1)}
                        ),
                        1,
                    ),
                    "remark": {"type": ["string", "null"]},
                }
            ),
        },
        answer=_TREES,
        labels=labelled(_TREES, points="fuzzy", remark="ignore"),
        draw=_trees,
    ),
)
