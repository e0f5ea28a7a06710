"""The wheels, their metadata and their data files are those that are recorded."""

from __future__ import annotations

from configparser import ConfigParser
from email.parser import Parser
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from current_recordings import compare_json

#: What the metadata of a wheel say to whoever installs it.
FIELDS = ("Name", "Version", "Summary", "License-Expression", "Requires-Python")


def facts(wheel: Path) -> dict[str, Any]:
    """Return the metadata of a wheel, its commands and plugins, and its files other than modules."""
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        (folder,) = {name.partition("/")[0] for name in names if ".dist-info/" in name}
        about = Parser().parsestr(archive.read(f"{folder}/METADATA").decode())
        points = ConfigParser(delimiters=("=",))
        points.optionxform = str
        if f"{folder}/entry_points.txt" in names:
            points.read_string(archive.read(f"{folder}/entry_points.txt").decode())
    return {
        **{name: about[name] for name in FIELDS},
        "extras": sorted(about.get_all("Provides-Extra", [])),
        "requires": sorted(about.get_all("Requires-Dist", [])),
        "entry_points": {section: dict(points[section]) for section in points.sections()},
        "packages": sorted({name.partition("/")[0] for name in names if name.endswith(".py")}),
        "data": sorted(
            name for name in names if not name.endswith((".py", ".pyi")) and not name.startswith(folder)
        ),
    }


def test_the_wheels_say_and_hold_what_they_did(wheels: Path) -> None:
    found = [facts(wheel) for wheel in sorted(wheels.iterdir())]
    compare_json("wheels.json", {about["Name"]: about for about in found})
