"""Forms that were filled in."""

from __future__ import annotations

from functools import partial
from typing import Any

from PIL import Image

from sobench_items.item import COUNT, DATE, FLAG, TEXT, TEXT_OR_NULL, Item, labelled, many, one_of, record
from sobench_items.page import BLUE, GREY, INK, PALE, Page

_VOLUNTEER: dict[str, Any] = {"name": "Ruth Okafor", "adult": True, "has_car": False}
_LIBRARY: dict[str, Any] = {
    "surname": "Lindqvist",
    "first_name": "Per",
    "born": "1987-11-02",
    "email": None,
    "branch": "East",
}
_BRANCHES = ("Central", "East", "Harbour")
_PARCEL: dict[str, Any] = {
    "sender": {
        "name": "Mara Voss",
        "address": {"street": "Elm Road 8", "postcode": "40213", "city": "Rheinfeld"},
    },
    "recipient": {
        "name": "Tomasz Nowak",
        "address": {"street": "Station Street 112", "postcode": "80331", "city": "Obertal"},
    },
    "weight_kg": 2.4,
    "service": "express",
    "insured": True,
}
_CLINIC: dict[str, Any] = {
    "patient": {"name": "Ana Duarte", "age": 34},
    "symptoms": ["cough", "headache"],
    "medicines": [
        {"name": "Ibuprofen", "dose_mg": 400, "per_day": 2},
        {"name": "Cetirizine", "dose_mg": 10, "per_day": 1},
    ],
    "allergies": None,
    "signature": "A. Duarte",
}
_SYMPTOMS = ("fever", "cough", "headache", "nausea")
_SURVEY: dict[str, Any] = {
    "respondent": "R-0457",
    "ratings": {"staff": 5, "rooms": 3, "breakfast": 4, "quiet": 2},
    "would_recommend": "maybe",
    "comment": "The lift was out of order on both days",
}


def _field(page: Page, x: int, y: int, width: int, label: str, value: str) -> None:
    page.text(x, y, label, 15, GREY)
    page.box(x, y + 22, width, 36, "white")
    page.text(x + 10, y + 40, value, 20, BLUE, "lm")


def _volunteer() -> Image.Image:
    page = Page(560, 260, "#f6f8fb")
    page.text(30, 22, "Volunteers' sign-up", 26)
    _field(page, 30, 74, 480, "Name", _VOLUNTEER["name"])
    page.check(30, 160, _VOLUNTEER["adult"], "I am 18 or older")
    page.check(30, 200, _VOLUNTEER["has_car"], "I can bring a car")
    return page.image


def _library() -> Image.Image:
    page = Page(640, 380, "#f6f8fb")
    page.text(30, 22, "Application for a library card", 26)
    _field(page, 30, 74, 270, "Surname", _LIBRARY["surname"])
    _field(page, 330, 74, 270, "First name", _LIBRARY["first_name"])
    _field(page, 30, 150, 270, "Date of birth (day / month / year)", "02 / 11 / 1987")
    _field(page, 330, 150, 270, "E-mail (optional)", "")
    page.text(30, 244, "Branch where you will collect the card", 15, GREY)
    for number, name in enumerate(_BRANCHES):
        page.check(30 + 190 * number, 274, name == _LIBRARY["branch"], name, round_box=True)
    page.text(30, 338, "Office use only: ________", 15, GREY)
    return page.image


def _parcel() -> Image.Image:
    page = Page(760, 430)
    page.box(10, 10, 740, 410, None, INK)
    for x, name in ((30, "sender"), (400, "recipient")):
        person = _PARCEL[name]
        place = person["address"]
        page.text(x, 30, "FROM" if name == "sender" else "TO", 16, GREY)
        page.text(x, 60, person["name"], 22)
        page.text(x, 94, place["street"], 20)
        page.text(x, 124, f"{place['postcode']} {place['city']}", 20)
    page.line(380, 20, 380, 180)
    page.line(20, 190, 740, 190)
    page.text(30, 214, f"Weight: {_PARCEL['weight_kg']} kg", 20)
    for number, name in enumerate(("standard", "express", "overnight")):
        page.check(30 + 190 * number, 264, name == _PARCEL["service"], name.title())
    page.check(30, 314, _PARCEL["insured"], "Insured up to 500 EUR")
    for number in range(60):
        page.box(400 + 5 * number, 310, 1 + number * 7 % 4, 80, INK, None)
    return page.image


def _clinic() -> Image.Image:
    page = Page(760, 520, "#fbfbf8")
    page.text(30, 22, "Before your appointment", 26)
    _field(page, 30, 70, 480, "Name", _CLINIC["patient"]["name"])
    _field(page, 540, 70, 180, "Age", str(_CLINIC["patient"]["age"]))
    page.text(30, 150, "What is troubling you?", 15, GREY)
    for number, name in enumerate(_SYMPTOMS):
        page.check(30 + 170 * number, 180, name in _CLINIC["symptoms"], name)
    page.text(30, 226, "Medicines that you take", 15, GREY)
    rows = [("Name", "Dose", "Times a day")]
    rows += [
        (medicine["name"], f"{medicine['dose_mg']} mg", str(medicine["per_day"]))
        for medicine in _CLINIC["medicines"]
    ]
    page.table(30, 250, (330, 160, 200), [*rows, ("", "", "")])
    _field(page, 30, 404, 420, "Allergies", "")
    page.text(500, 404, "Signature", 15, GREY)
    page.text(510, 448, _CLINIC["signature"], 26, BLUE, "lm")
    page.line(500, 466, 720, 466)
    return page.image


def _survey() -> Image.Image:
    page = Page(700, 500)
    page.text(30, 22, "How was your stay?", 26)
    page.text(670, 30, _SURVEY["respondent"], 16, GREY, "ra")
    page.text(30, 66, "1 = poor, 5 = excellent", 15, GREY)
    for row, (name, rating) in enumerate(_SURVEY["ratings"].items()):
        y = 108 + 48 * row
        page.box(30, y - 10, 640, 40, PALE if row % 2 else "white", None)
        page.text(44, y + 10, name.title(), 18, at="lm")
        for number in range(1, 6):
            page.check(220 + 88 * number - 60, y, number == rating, str(number), round_box=True)
    page.text(30, 312, "Would you recommend us?", 15, GREY)
    for number, name in enumerate(("yes", "maybe", "no")):
        page.check(30 + 150 * number, 340, name == _SURVEY["would_recommend"], name)
    _field(page, 30, 392, 640, "Comment", _SURVEY["comment"])
    return page.image


_ADDRESS = record({"street": TEXT, "postcode": {"type": "string", "pattern": "^[0-9]{5}$"}, "city": TEXT})
_RATING: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": 5}

_item = partial(Item, subset="form")
ITEMS = (
    _item(
        id="form-volunteer",
        difficulty="easy",
        intent="Add this person to the list of volunteers.",
        schema=record({"name": TEXT, "adult": FLAG, "has_car": FLAG}),
        answer=_VOLUNTEER,
        labels=labelled(_VOLUNTEER),
        draw=_volunteer,
    ),
    _item(
        id="form-library",
        difficulty="medium",
        intent="Register the reader. Write null for what was left empty.",
        schema=record(
            {
                "surname": TEXT,
                "first_name": TEXT,
                "born": DATE,
                "email": TEXT_OR_NULL,
                "branch": one_of(*_BRANCHES),
            },
            {"card_number": {"type": "string"}},
        ),
        answer=_LIBRARY,
        labels=labelled(_LIBRARY),
        draw=_library,
    ),
    _item(
        id="form-survey",
        difficulty="medium",
        intent="Code the questionnaire for our statistics; the comment as it was written.",
        schema={
            "$defs": {"rating": _RATING},
            **record(
                {
                    "respondent": {"type": "string", "pattern": "^R-[0-9]{4}$"},
                    "ratings": record({name: {"$ref": "#/$defs/rating"} for name in _SURVEY["ratings"]}),
                    "would_recommend": one_of("yes", "maybe", "no"),
                },
                {"comment": TEXT},
            ),
        },
        answer=_SURVEY,
        labels=labelled(_SURVEY, comment="fuzzy"),
        draw=_survey,
    ),
    _item(
        id="form-parcel",
        difficulty="hard",
        intent="Prepare the shipment: both addresses, weight, service and insurance.",
        schema={
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$defs": {
                "address": _ADDRESS,
                "person": record({"name": TEXT, "address": {"$ref": "#/$defs/address"}}),
            },
            **record(
                {
                    "sender": {"$ref": "#/$defs/person"},
                    "recipient": {"$ref": "#/$defs/person"},
                    "weight_kg": {"type": "number", "exclusiveMinimum": 0, "maximum": 31.5},
                    "service": one_of("standard", "express", "overnight"),
                    "insured": FLAG,
                },
                {"contents": {"type": "string"}},
            ),
        },
        answer=_PARCEL,
        labels=labelled(_PARCEL, street="fuzzy"),
        draw=_parcel,
    ),
    _item(
        id="form-clinic",
        difficulty="hard",
        intent="Transfer the sheet into the patient's file: symptoms that are ticked, medicines, allergies.",
        schema=record(
            {
                "patient": record({"name": TEXT, "age": COUNT}),
                "symptoms": {"type": "array", "items": one_of(*_SYMPTOMS), "uniqueItems": True},
                "medicines": many(record({"name": TEXT, "dose_mg": COUNT, "per_day": COUNT})),
                "allergies": {"anyOf": [many(TEXT, 1), {"type": "null"}]},
            },
            {"signature": {"type": "string"}},
        ),
        answer=_CLINIC,
        labels=labelled(_CLINIC, signature="ignore"),
        draw=_clinic,
    ),
)
