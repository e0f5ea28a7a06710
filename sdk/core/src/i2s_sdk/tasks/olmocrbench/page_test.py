"""The tests of olmOCR-bench as data: their kinds, their fields and what can be wrong with them.

Source: allenai/olmocr, ``olmocr/bench``, commit dc802aa for the kinds and their fields, and its README for
what they mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from i2s_sdk.tasks.olmocrbench.texts import normal_text
from i2s_sdk.tasks.spec import Schema


class TestKind(StrEnum):
    """The kinds of tests that are run here. Newer ones, ``format`` and ``footnote``, are not."""

    __test__ = False  # no test of pytest

    PRESENT = "present"
    ABSENT = "absent"
    ORDER = "order"
    TABLE = "table"
    MATH = "math"
    BASELINE = "baseline"


#: Files of the released tests, which are its kinds of documents, in the order of the published table.
CATEGORIES = (
    "arxiv_math",
    "old_scans_math",
    "table_tests",
    "old_scans",
    "headers_footers",
    "multi_column",
    "long_tiny_text",
)
#: The group of the baseline tests that the released code adds to each document, and tests of other files.
BASE, OTHER = "base", "other"

#: Relations of the cell of a table test to other cells.
RELATIONS = ("up", "down", "left", "right", "top_heading", "left_heading")

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": ["integer", "null"], "minimum": 0}
_FLAG: Schema = {"type": "boolean"}

#: Schema of a test: the fields of the released files, and the file that it is from.
TEST: Schema = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "minLength": 1},
        "type": {"enum": [str(kind) for kind in TestKind]},
        "category": {"type": "string", "minLength": 1},
        "max_diffs": {"type": "integer", "minimum": 0},
        **dict.fromkeys(("text", "before", "after", "cell", "math", *RELATIONS), _TEXT),
        **dict.fromkeys(("first_n", "last_n", "max_length", "max_repeats"), _COUNT),
        **dict.fromkeys(
            (
                "case_sensitive",
                "ignore_markdown_tables",
                "ignore_dollar_delimited",
                "check_disallowed_characters",
                "max_length_skips_image_alt_tags",
            ),
            _FLAG,
        ),
    },
    "required": ["id", "type", "category"],
}

_NEEDED = {
    TestKind.PRESENT: ("text",),
    TestKind.ABSENT: ("text",),
    TestKind.ORDER: ("before", "after"),
    TestKind.TABLE: ("cell",),
    TestKind.MATH: ("math",),
    TestKind.BASELINE: (),
}


@dataclass(frozen=True, slots=True)
class PageTest:
    """A test of a page."""

    #: Fields as the line has them.
    fields: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Name, unique within the benchmark."""
        return str(self.fields["id"])

    @property
    def kind(self) -> TestKind:
        """What it tests."""
        return TestKind(self.fields["type"])

    @property
    def category(self) -> str:
        """Group that it counts in: a released file, BASE or OTHER."""
        said = str(self.fields["category"])
        return said if said in (*CATEGORIES, BASE) else OTHER

    @property
    def max_diffs(self) -> int:
        """Edits that are permitted."""
        return int(self.fields.get("max_diffs") or 0)

    def text(self, name: str) -> str:
        """Return a text of the test in the form that is compared; empty if it has none."""
        return normal_text(str(self.fields.get(name) or ""))

    def number(self, name: str) -> int | None:
        """Return a number; None if it is not given."""
        value = self.fields.get(name)
        return None if value is None else int(value)

    def flag(self, name: str, *, default: bool) -> bool:
        """Return whether something is set."""
        return bool(self.fields.get(name, default))


@dataclass(frozen=True, slots=True)
class TestResult:
    """The result of a test."""

    __test__ = False  # no test of pytest

    #: Whether it passed; None if it cannot be judged here.
    passed: bool | None
    #: Why it did not pass; empty if it did.
    why: str = ""


#: The result of a test that passed.
PASSED = TestResult(passed=True)


def failed(why: str) -> TestResult:
    """Return the result of a test that did not pass."""
    return TestResult(passed=False, why=why)


def test_fault(fields: Mapping[str, Any]) -> str:
    """Return what is wrong with the fields of a test beyond their schema; empty for nothing."""
    test = PageTest(fields)
    for name in _NEEDED[test.kind]:
        if not test.text(name).strip():
            return f"test {test.id!r} has no text {name!r}"
    if test.kind is TestKind.ORDER:
        shorter = min(len(test.text(name)) for name in ("before", "after"))
        if test.max_diffs > shorter // 2:
            return f"test {test.id!r} permits more edits than half of its text"
    return ""


test_fault.__test__ = False  # type: ignore[attr-defined] # no test of pytest


def page_tests(target: Any) -> tuple[PageTest, ...]:  # noqa: ANN401 - a JSON value
    """Return the tests of a target; none if there is no target."""
    rows: Sequence[Mapping[str, Any]] = target.get("tests", ()) if isinstance(target, dict) else ()
    return tuple(PageTest(row) for row in rows)
