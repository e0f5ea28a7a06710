"""Receipts and bills."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PIL import Image

from sobench_items.item import COUNT, DATE, NUMBER, TEXT, TEXT_OR_NULL, Item, labelled, many, one_of, record
from sobench_items.page import GREY, INK, Page, money

#: A line of a receipt: left, right.
Line = tuple[str, str]


def _receipt(
    title: str, head: Sequence[str], groups: Sequence[Sequence[Line]], foot: Sequence[str] = ()
) -> Image.Image:
    """Draw a receipt: its title, lines below it, and groups of lines with a rule before each."""
    height = 130 + 26 * len(head) + sum(34 + 30 * len(one) for one in groups) + 28 * len(foot)
    page = Page(460, height, "#fdfcf7")
    page.text(230, 28, title, 30, at="ma")
    y = 76
    for text in head:
        page.text(230, y, text, 16, GREY, "ma")
        y += 26
    for group in groups:
        y += 12
        page.line(30, y, 430, y, INK)
        y += 14
        for left, right in group:
            page.text(30, y, left, 19)
            page.text(430, y, right, 19, at="ra")
            y += 30
    y += 14
    for text in foot:
        page.text(230, y, text, 16, GREY, "ma")
        y += 28
    return page.image


_CAFE: dict[str, Any] = {"shop": "Harbour Cafe", "date": "2024-03-09", "total": 11.4}
_MARKET: dict[str, Any] = {
    "shop": "Green Basket Market",
    "items": [
        {"name": "Rye bread 750 g", "price": 3.2},
        {"name": "Goat cheese", "price": 5.75},
        {"name": "Tomatoes on the vine", "price": 2.98},
        {"name": "Olive oil 0.5 l", "price": 8.4},
    ],
    "total": 20.33,
}
_HARDWARE: dict[str, Any] = {
    "receipt_number": "H-20871",
    "payment": "card",
    "lines": [
        {"article": "Wood screws 4 x 40", "quantity": 2, "unit_price": 4.5, "discount": None},
        {"article": "Sandpaper set", "quantity": 1, "unit_price": 7.9, "discount": 0.79},
        {"article": "Work gloves, size 9", "quantity": 3, "unit_price": 3.25, "discount": None},
    ],
    "amount_due": 25.86,
}
_DINER: dict[str, Any] = {
    "restaurant": {"name": "Trattoria Pino", "address": {"street": "14 Mill Lane", "city": "Ashford"}},
    "table": 7,
    "bill": {
        "dishes": [
            {"name": "Minestrone", "count": 2, "price": {"amount": 6.5, "currency": "EUR"}},
            {"name": "Risotto with mushrooms", "count": 1, "price": {"amount": 15.9, "currency": "EUR"}},
            {"name": "Panna cotta", "count": 2, "price": {"amount": 5.2, "currency": "EUR"}},
        ],
        "tax": {"amount": 3.93, "currency": "EUR"},
        "tip": None,
        "total": {"amount": 43.23, "currency": "EUR"},
    },
    "note": "Thank you, and see you soon",
}
_FUEL: dict[str, Any] = {
    "station": "Northway Fuel 12",
    "fuel": "diesel",
    "litres": 41.37,
    "price_per_litre": 1.629,
    "total": 67.39,
    "pump": 4,
}


def _cafe() -> Image.Image:
    lines = [("Espresso x 2", "5.00"), ("Almond croissant", "3.60"), ("Still water", "2.80")]
    return _receipt(_CAFE["shop"], ["3 Quay Street", "9 March 2024, 08:41"], [lines, [("TOTAL", "11.40")]])


def _market() -> Image.Image:
    lines = [(item["name"], money(item["price"])) for item in _MARKET["items"]]
    return _receipt(_MARKET["shop"], ["Till 2"], [lines, [("Total", money(_MARKET["total"]))]], ["* * *"])


def _hardware() -> Image.Image:
    lines: list[Line] = []
    for line in _HARDWARE["lines"]:
        lines.append((line["article"], money(line["quantity"] * line["unit_price"])))
        lines.append((f"   {line['quantity']} x {money(line['unit_price'])}", ""))
        if line["discount"] is not None:
            lines.append(("   discount 10 %", f"-{money(line['discount'])}"))
    due = [("Amount due", money(_HARDWARE["amount_due"])), ("Paid by card", money(_HARDWARE["amount_due"]))]
    return _receipt("Nail & Board", [f"Receipt {_HARDWARE['receipt_number']}"], [lines, due])


def _diner() -> Image.Image:
    place, bill = _DINER["restaurant"], _DINER["bill"]
    lines = [
        (f"{dish['count']}  {dish['name']}", money(dish["count"] * dish["price"]["amount"]))
        for dish in bill["dishes"]
    ]
    single = [(f"   each {money(dish['price']['amount'])}", "") for dish in bill["dishes"]]
    dishes = [line for pair in zip(lines, single, strict=True) for line in pair]
    sums = [("Tax 10 %", money(bill["tax"]["amount"])), ("Total EUR", money(bill["total"]["amount"]))]
    head = [place["address"]["street"], place["address"]["city"], f"Table {_DINER['table']}"]
    return _receipt(place["name"], head, [dishes, sums, [("Tip", "........")]], [_DINER["note"]])


def _fuel() -> Image.Image:
    lines = [
        ("Pump", str(_FUEL["pump"])),
        ("Product", "DIESEL"),
        ("Volume", f"{_FUEL['litres']} l"),
        ("Price per litre", f"{_FUEL['price_per_litre']:.3f}"),
    ]
    return _receipt(_FUEL["station"], ["Open 24 hours"], [lines, [("TO PAY", money(_FUEL["total"]))]])


_MONEY = record({"amount": NUMBER, "currency": {"type": "string", "pattern": "^[A-Z]{3}$"}})
_REF: dict[str, Any] = {"$ref": "#/$defs/money"}

_item = partial(Item, subset="receipt")
ITEMS = (
    _item(
        id="receipt-cafe",
        difficulty="easy",
        intent="Book the expense: where, when and how much.",
        schema=record({"shop": TEXT, "date": DATE, "total": NUMBER}),
        answer=_CAFE,
        labels=labelled(_CAFE, shop="fuzzy"),
        draw=_cafe,
    ),
    _item(
        id="receipt-fuel",
        difficulty="easy",
        intent="Log this fill-up in my car's mileage book.",
        schema=record(
            {
                "station": TEXT,
                "fuel": one_of("petrol", "diesel", "gas", "electricity"),
                "litres": NUMBER,
                "price_per_litre": NUMBER,
                "total": NUMBER,
            },
            {"pump": COUNT, "odometer_km": COUNT},
        ),
        answer=_FUEL,
        labels=labelled(_FUEL, pump="ignore", litres="fuzzy"),
        draw=_fuel,
    ),
    _item(
        id="receipt-market",
        difficulty="medium",
        intent="List what I bought with prices, for my household budget.",
        schema=record(
            {"shop": TEXT, "items": many(record({"name": TEXT, "price": NUMBER}), 1), "total": NUMBER}
        ),
        answer=_MARKET,
        labels=labelled(_MARKET, name="fuzzy", shop="fuzzy"),
        draw=_market,
    ),
    _item(
        id="receipt-hardware",
        difficulty="hard",
        intent="Enter this receipt into accounting, one line for each article, with discounts.",
        schema=record(
            {
                "receipt_number": {"type": "string", "pattern": "^H-[0-9]+$"},
                "payment": one_of("cash", "card", "transfer"),
                "lines": many(
                    record(
                        {
                            "article": TEXT,
                            "quantity": {"type": "integer", "minimum": 1},
                            "unit_price": NUMBER,
                            "discount": {"anyOf": [NUMBER, {"type": "null"}]},
                        }
                    ),
                    1,
                ),
                "amount_due": NUMBER,
            }
        ),
        answer=_HARDWARE,
        labels=labelled(_HARDWARE, article="fuzzy"),
        draw=_hardware,
    ),
    _item(
        id="receipt-restaurant",
        difficulty="hard",
        intent="Split the bill later: I need every dish with its count and single price, tax, tip and total.",
        schema={
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$defs": {"money": _MONEY, "dish": record({"name": TEXT, "count": COUNT, "price": _REF})},
            **record(
                {
                    "restaurant": record({"name": TEXT, "address": record({"street": TEXT, "city": TEXT})}),
                    "table": COUNT,
                    "bill": record(
                        {
                            "dishes": many({"$ref": "#/$defs/dish"}, 1),
                            "tax": _REF,
                            "tip": {"anyOf": [_REF, {"type": "null"}]},
                            "total": _REF,
                        }
                    ),
                },
                {"note": TEXT_OR_NULL},
            ),
        },
        answer=_DINER,
        labels=labelled(_DINER, name="fuzzy", street="fuzzy", note="ignore"),
        draw=_diner,
    ),
)
