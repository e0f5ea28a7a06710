"""Descriptions of attributes, arguments and constants have a noun: "Name of the task.", not "Of it."."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_WORDS = (
    "After Against Among As At Before Below Beside Between By For From In Of On To Under Until With Within"
)
_PREPOSITIONS = _WORDS.replace(" ", "|")
#: "name: Of the task." in a docstring, and "#: Of the task." above a constant.
FRAGMENT = re.compile(
    rf"\s*(?:[a-z_]+(?:, [a-z_]+)*|#): (?:(?:{_PREPOSITIONS}|That|Those) \S|(?:How|When|Where|Which)[.,;])"
)


def fragments(text: str) -> list[str]:
    """Return the descriptions of a module that have no noun."""
    lines = text.splitlines()
    return [
        line.strip()
        for before, line in zip(["", *lines], lines, strict=False)
        if FRAGMENT.match(line) and not before.lstrip().startswith("#:")
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Attributes:\n    name: Of the task.\n", ["name: Of the task."]),
        ("Args:\n    width: In pixels.\n    x, y: At 72 dpi.\n", ["width: In pixels.", "x, y: At 72 dpi."]),
        ("Args:\n    options: How.\n", ["options: How."]),
        ("x = 1\n#: By name.\nKINDS = {}\n", ["#: By name."]),
        ("Attributes:\n    name: Name of the task.\n", []),
        ("Args:\n    options: How it is drawn.\n", []),
        ("x = 1\n#: Kinds of imports,\n#: By name.\nKINDS = {}\n", []),
        ("    given: Of = {}\n", ["given: Of = {}"]),
    ],
)
def test_fragments_are_found(text: str, found: list[str]) -> None:
    assert fragments(text) == found


def test_every_description_has_a_noun(texts: dict[Path, str]) -> None:
    here = Path(__file__).name
    found = {
        str(path): fragments(text)
        for path, text in texts.items()
        if path.suffix == ".py" and path.name != here
    }
    assert {path: lines for path, lines in found.items() if lines} == {}
