"""Screens of programs."""

from __future__ import annotations

from functools import partial
from typing import Any

from PIL import Image

from sobench_items.item import COUNT, FLAG, TEXT, TIME, Item, labelled, many, one_of, record
from sobench_items.page import BLUE, GREEN, GREY, INK, PALE, Page

_SETTINGS: dict[str, Any] = {"wifi": True, "bluetooth": False, "flight_mode": False, "location": True}
_PLAYER: dict[str, Any] = {
    "track": "Paper Lanterns",
    "artist": "The Low Tides",
    "position_seconds": 83,
    "length_seconds": 214,
    "playing": True,
}
_WEATHER: dict[str, Any] = {
    "place": "Saltmarsh",
    "now": {"temperature_c": 17, "sky": "cloudy"},
    "hours": [
        {"time": "13:00", "temperature_c": 18, "sky": "cloudy"},
        {"time": "14:00", "temperature_c": 19, "sky": "sunny"},
        {"time": "15:00", "temperature_c": 18, "sky": "rain"},
        {"time": "16:00", "temperature_c": 16, "sky": "rain"},
    ],
    "warning": "Gusts of wind up to 70 km/h from the west after three",
    "battery_percent": 64,
}
_FILES: dict[str, Any] = {
    "name": "project",
    "kind": "folder",
    "children": [
        {"name": "README.md", "kind": "file", "size_kb": 4},
        {
            "name": "src",
            "kind": "folder",
            "children": [
                {"name": "main.c", "kind": "file", "size_kb": 12},
                {
                    "name": "lib",
                    "kind": "folder",
                    "children": [{"name": "queue.c", "kind": "file", "size_kb": 7}],
                },
            ],
        },
        {"name": "empty", "kind": "folder", "children": []},
    ],
}


def _settings() -> Image.Image:
    page = Page(420, 360, "#f3f4f6")
    page.text(24, 20, "Connections", 26)
    for number, (name, on) in enumerate(_SETTINGS.items()):
        y = 76 + 66 * number
        page.box(16, y, 388, 56, "white", None, 10)
        title = {"wifi": "Wi-Fi", "bluetooth": "Bluetooth"}.get(name, name.replace("_", " ").capitalize())
        page.text(34, y + 28, title, 20, at="lm")
        page.box(324, y + 14, 60, 28, GREEN if on else "#c4c8cf", None, 14)
        page.box(358 if on else 328, y + 17, 22, 22, "white", None, 11)
    return page.image


def _player() -> Image.Image:
    page = Page(420, 460, "#161a22")
    page.box(90, 40, 240, 200, "#41506b", None, 12)
    for x in (150, 210, 270):
        page.line(x, 80, x, 200, "#9fb0cf", 6)
    page.text(210, 268, _PLAYER["track"], 26, "white", "ma")
    page.text(210, 306, _PLAYER["artist"], 19, "#aeb6c4", "ma")
    share = _PLAYER["position_seconds"] / _PLAYER["length_seconds"]
    page.box(40, 352, 340, 6, "#3a4252", None, 3)
    page.box(40, 352, 340 * share, 6, "white", None, 3)
    page.text(40, 366, "1:23", 15, "#aeb6c4")
    page.text(380, 366, "3:34", 15, "#aeb6c4", "ra")
    page.box(180, 390, 60, 60, "white", None, 30)
    page.box(199, 406, 8, 28, INK, None)
    page.box(213, 406, 8, 28, INK, None)
    return page.image


def _weather() -> Image.Image:
    page = Page(460, 540, "#eaf2fb")
    page.text(20, 12, "12:07", 16)
    page.text(440, 12, f"{_WEATHER['battery_percent']} %", 16, at="ra")
    page.text(230, 56, _WEATHER["place"], 28, at="ma")
    page.text(230, 98, f"{_WEATHER['now']['temperature_c']} C", 60, BLUE, "ma")
    page.text(230, 176, _WEATHER["now"]["sky"], 20, GREY, "ma")
    for number, hour in enumerate(_WEATHER["hours"]):
        x = 16 + 108 * number
        page.box(x, 226, 100, 130, "white", None, 10)
        page.text(x + 50, 242, hour["time"], 17, GREY, "ma")
        page.text(x + 50, 278, f"{hour['temperature_c']} C", 24, at="ma")
        page.text(x + 50, 322, hour["sky"], 16, GREY, "ma")
    page.box(16, 386, 428, 100, "#fff4d6", "#e2b93b", 10)
    page.text(34, 402, "Warning", 18)
    page.text(34, 430, "Gusts of wind up to 70 km/h", 17)
    page.text(34, 454, "from the west after three", 17)
    return page.image


def _rows(node: dict[str, Any], depth: int = 0) -> list[tuple[int, dict[str, Any]]]:
    return [(depth, node), *(row for child in node.get("children", ()) for row in _rows(child, depth + 1))]


def _files() -> Image.Image:
    page = Page(560, 360)
    page.box(0, 0, 560, 48, PALE, None)
    page.text(20, 24, "Name", 17, GREY, "lm")
    page.text(540, 24, "Size", 17, GREY, "rm")
    for number, (depth, node) in enumerate(_rows(_FILES)):
        x, y = 24 + 36 * depth, 74 + 40 * number
        if node["kind"] == "folder":
            page.box(x, y - 12, 12, 6, "#e2b93b", None)
            page.box(x, y - 8, 26, 18, "#e2b93b", None, 2)
        else:
            page.box(x + 4, y - 13, 18, 24, "white", INK)
            for line in range(3):
                page.line(x + 8, y - 6 + 6 * line, x + 18, y - 6 + 6 * line)
            page.text(540, y, f"{node['size_kb']} kB", 17, GREY, "rm")
        page.text(x + 38, y, node["name"], 19, at="lm")
    return page.image


_SKY = one_of("sunny", "cloudy", "rain", "snow")
_DEGREES: dict[str, Any] = {"type": "integer", "minimum": -60, "maximum": 60}
_NAMED: dict[str, Any] = {"name": TEXT}

_item = partial(Item, subset="screen")
ITEMS = (
    _item(
        id="screen-settings",
        difficulty="easy",
        intent="Which connections are switched on?",
        schema=record(dict.fromkeys(_SETTINGS, FLAG)),
        answer=_SETTINGS,
        labels=labelled(_SETTINGS),
        draw=_settings,
    ),
    _item(
        id="screen-player",
        difficulty="medium",
        intent="Note which track is on and how far it is, in seconds.",
        schema=record(
            {
                "track": TEXT,
                "artist": TEXT,
                "position_seconds": COUNT,
                "length_seconds": COUNT,
                "playing": FLAG,
            },
            {"album": TEXT},
        ),
        answer=_PLAYER,
        labels=labelled(_PLAYER, position_seconds="fuzzy"),
        draw=_player,
    ),
    _item(
        id="screen-weather",
        difficulty="hard",
        intent="Store the forecast: now, each hour shown, and the warning if there is one.",
        schema={
            "$schema": "http://json-schema.org/draft-07/schema#",
            "definitions": {"sky": _SKY, "degrees": _DEGREES},
            **record(
                {
                    "place": TEXT,
                    "now": record(
                        {
                            "temperature_c": {"$ref": "#/definitions/degrees"},
                            "sky": {"$ref": "#/definitions/sky"},
                        }
                    ),
                    "hours": many(
                        record(
                            {
                                "time": TIME,
                                "temperature_c": {"$ref": "#/definitions/degrees"},
                                "sky": {"$ref": "#/definitions/sky"},
                            }
                        ),
                        1,
                    ),
                    "warning": {"type": ["string", "null"]},
                },
                {"battery_percent": COUNT},
            ),
        },
        answer=_WEATHER,
        labels=labelled(_WEATHER, warning="fuzzy", battery_percent="ignore"),
        draw=_weather,
    ),
    _item(
        id="screen-files",
        difficulty="hard",
        intent="Write down the whole tree of files, folders with what is in them, in the order shown.",
        schema={
            "$defs": {
                "file": record({**_NAMED, "kind": {"const": "file"}, "size_kb": COUNT}),
                "folder": record(
                    {**_NAMED, "kind": {"const": "folder"}, "children": many({"$ref": "#/$defs/entry"})}
                ),
                "entry": {"anyOf": [{"$ref": "#/$defs/file"}, {"$ref": "#/$defs/folder"}]},
            },
            "$ref": "#/$defs/folder",
        },
        answer=_FILES,
        labels=labelled(_FILES),
        draw=_files,
    ),
)
