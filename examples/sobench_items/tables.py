"""Tables on a page."""

from __future__ import annotations

from functools import partial
from typing import Any

from PIL import Image

from sobench_items.item import COUNT, NUMBER, TEXT, TIME, Item, labelled, many, one_of, record
from sobench_items.page import GREY, Page

_DEPARTURES: dict[str, Any] = {
    "station": "Lindenau Central",
    "departures": [
        {"time": "10:04", "destination": "Brookfield", "platform": "3"},
        {"time": "10:11", "destination": "Port Ellis", "platform": None},
        {"time": "10:26", "destination": "Saltmarsh via Dunham", "platform": "1a"},
        {"time": "10:40", "destination": "Airport", "platform": "7"},
    ],
}
_LEAGUE = [
    ("Rovers", 14, 9, 2, 3, 29),
    ("United", 14, 8, 4, 2, 28),
    ("Athletic", 14, 7, 2, 5, 23),
    ("Wanderers", 14, 4, 5, 5, 17),
    ("Albion", 14, 2, 3, 9, 9),
]
_ABOVE_20 = [{"team": team, "points": points} for team, *_, points in _LEAGUE if points > 20]
_SALES: dict[str, Any] = {
    "unit": "thousand units",
    "regions": {
        "north": {"q1": 41.2, "q2": 38.7, "q3": 44.0, "q4": 52.9},
        "south": {"q1": 27.5, "q2": 30.1, "q3": 29.8, "q4": 35.6},
        "islands": {"q1": 3.4, "q2": 6.8, "q3": 9.1, "q4": 2.2},
    },
}
_MINERALS = [
    ("Talc", "1", "2.75", "pearly"),
    ("Fluorite", "4", "3.18", "vitreous"),
    ("Topaz", "8", "3.53", "vitreous"),
    ("Corundum", "9", "4.02", "adamantine"),
]
_TOPAZ: dict[str, Any] = {"mineral": "Topaz", "hardness": 8, "density": 3.53}
_STOCK: list[dict[str, Any]] = [
    {
        "sku": "AX-100",
        "name": "Desk lamp",
        "status": "in stock",
        "stock": 42,
        "place": {"aisle": "B", "shelf": 3},
    },
    {
        "sku": "AX-117",
        "name": "Reading lamp",
        "status": "low",
        "stock": 4,
        "place": {"aisle": "B", "shelf": 4},
    },
    {"sku": "CK-020", "name": "Wall clock, oak", "status": "sold out", "stock": 0, "place": None},
    {
        "sku": "CK-031",
        "name": "Alarm clock",
        "status": "in stock",
        "stock": 19,
        "place": {"aisle": "D", "shelf": 1},
    },
]


def _departures() -> Image.Image:
    page = Page(720, 290)
    page.text(30, 24, f"Departures - {_DEPARTURES['station']}", 26)
    rows = [("Time", "Destination", "Platform")]
    rows += [
        (departure["time"], departure["destination"], departure["platform"] or "-")
        for departure in _DEPARTURES["departures"]
    ]
    page.table(30, 78, (120, 400, 140), rows)
    return page.image


def _league() -> Image.Image:
    page = Page(700, 330)
    page.text(30, 24, "County League, after 14 rounds", 24)
    rows: list[tuple[str, ...]] = [("Team", "Played", "Won", "Drawn", "Lost", "Points")]
    rows += [(team, *map(str, numbers)) for team, *numbers in _LEAGUE]
    page.table(30, 74, (190, 90, 80, 90, 80, 100), rows, right=(1, 2, 3, 4, 5))
    page.text(30, 296, "Three points for a win, one for a draw.", 15, GREY)
    return page.image


def _sales() -> Image.Image:
    page = Page(640, 290)
    page.text(30, 24, "Sales by region and quarter", 24)
    page.text(30, 58, f"in {_SALES['unit']}", 15, GREY)
    rows: list[tuple[str, ...]] = [("Region", "Q1", "Q2", "Q3", "Q4")]
    rows += [
        (name.title(), *(f"{one:.1f}" for one in own.values())) for name, own in _SALES["regions"].items()
    ]
    page.table(30, 92, (180, 100, 100, 100, 100), rows, 40, right=(1, 2, 3, 4))
    return page.image


def _minerals() -> Image.Image:
    page = Page(640, 270)
    page.text(30, 24, "Properties of minerals", 24)
    rows: list[tuple[str, ...]] = [("Mineral", "Hardness (Mohs)", "Density (g/cm3)", "Lustre"), *_MINERALS]
    page.table(30, 72, (130, 160, 160, 130), rows)
    return page.image


def _stock() -> Image.Image:
    page = Page(820, 290)
    page.text(30, 24, "Stock list", 26)
    rows: list[tuple[str, ...]] = [("Article no.", "Description", "Status", "Pieces", "Aisle", "Shelf")]
    for one in _STOCK:
        place = one["place"] or {"aisle": "-", "shelf": "-"}
        status = one["status"]
        rows.append((one["sku"], one["name"], status, str(one["stock"]), place["aisle"], str(place["shelf"])))
    page.table(30, 76, (130, 210, 130, 100, 95, 95), rows, right=(3,))
    return page.image


_QUARTERS = record({name: {"$ref": "#/$defs/sales"} for name in ("q1", "q2", "q3", "q4")})

_item = partial(Item, subset="table")
ITEMS = (
    _item(
        id="table-mineral",
        difficulty="easy",
        intent="I only want hardness and density of topaz.",
        schema=record({"mineral": TEXT, "hardness": NUMBER, "density": NUMBER}),
        answer=_TOPAZ,
        labels=labelled(_TOPAZ),
        draw=_minerals,
    ),
    _item(
        id="table-league",
        difficulty="medium",
        intent="Which teams have more than 20 points? Best first.",
        schema=many(record({"team": TEXT, "points": COUNT}), 1),
        answer=_ABOVE_20,
        labels=labelled(_ABOVE_20),
        draw=_league,
    ),
    _item(
        id="table-departures",
        difficulty="medium",
        intent="Show the next trains on our lobby screen; a platform that is not announced is null.",
        schema=record(
            {
                "station": TEXT,
                "departures": many(
                    record(
                        {
                            "time": TIME,
                            "destination": TEXT,
                            "platform": {"type": ["string", "null"], "maxLength": 3},
                        }
                    ),
                    1,
                ),
            }
        ),
        answer=_DEPARTURES,
        labels=labelled(_DEPARTURES, destination="fuzzy", station="fuzzy"),
        draw=_departures,
    ),
    _item(
        id="table-sales",
        difficulty="hard",
        intent="Load the quarterly sales of all regions into our dashboard.",
        schema={
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$defs": {"sales": {"type": "number", "minimum": 0}, "quarters": _QUARTERS},
            **record(
                {
                    "unit": TEXT,
                    "regions": record({name: {"$ref": "#/$defs/quarters"} for name in _SALES["regions"]}),
                }
            ),
        },
        answer=_SALES,
        labels=labelled(_SALES, unit="fuzzy"),
        draw=_sales,
    ),
    _item(
        id="table-stock",
        difficulty="hard",
        intent="Import the stock list; articles that are sold out have no place.",
        schema={
            "$defs": {"place": record({"aisle": {"type": "string", "pattern": "^[A-Z]$"}, "shelf": COUNT})},
            **many(
                record(
                    {
                        "sku": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$"},
                        "name": TEXT,
                        "status": one_of("in stock", "low", "sold out"),
                        "stock": COUNT,
                        "place": {"oneOf": [{"$ref": "#/$defs/place"}, {"type": "null"}]},
                    }
                ),
                1,
            ),
        },
        answer=_STOCK,
        labels=labelled(_STOCK, name="fuzzy"),
        draw=_stock,
    ),
)
