"""Text of others on a terminal: what would steer the terminal or reorder the text is shown as an escape."""

from __future__ import annotations

import logging
import re

# C0 but for tab and line feed, DEL, C1, marks and overrides of the writing direction, separators of lines,
# lone surrogates.
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_BREAKS = re.compile("[\t\n]")


def visible(text: str) -> str:
    r"""Return a text of one or more lines with control characters as escapes, such as ``\x1b``."""
    return _STEERING.sub(_escape, text)


def visible_line(text: str) -> str:
    r"""Return a text that belongs in one line or cell: tabs and line feeds are escapes too."""
    return _BREAKS.sub(_escape, visible(text))


class VisibleFormatter(logging.Formatter):
    """Formats log records without control characters."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        return visible(super().format(record))


def _escape(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode("ascii")
