"""Patterns of JSON Schema, which are regular expressions of ECMA 262."""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Protocol

#: The longest pattern that the engine of ECMA 262 is given: it calls itself for each alternative, and one of
#: 50,000 alternatives ends the process.
MAX_ECMA_LENGTH = 10_000

#: An escape that ECMA 262 does not know, such as \A and \Z of Python.
_FOREIGN_ESCAPE = re.compile(r"\\(?:[^\W\d_bBdDwWsSfnrtvcxukpP]|$)", re.ASCII)
_ESCAPE = re.compile(r"\\.", re.DOTALL)


class PatternError(ValueError):
    """A text is no regular expression; the message says why."""


class _Compiled(Protocol):
    def matches(self, text: str) -> bool:
        """Return whether the pattern occurs in a text."""


class _Ecma:
    def __init__(self, pattern: str, flags: str) -> None:
        from regress import Regex

        self._regex = Regex(pattern, flags)

    def matches(self, text: str) -> bool:
        # A lone surrogate, which JSON can hold, counts as the character that stands for what is no character.
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return self._regex.find(whole) is not None


class _Python:
    def __init__(self, pattern: str) -> None:
        self._regex = re.compile(pattern)

    def matches(self, text: str) -> bool:
        return self._regex.search(text) is not None


def occurs(pattern: str, text: str) -> bool:
    r"""Return whether a pattern occurs in a text.

    A pattern is read by ECMA 262 with its flag u, as JSON Schema recommends; if it is none, by ECMA 262
    without the flag, which permits escapes such as ``\-``; and if it is none, or has escapes of letters that
    only other dialects know, such as ``\A``, by Python's re module.

    Raises:
        PatternError: It is none of these.
    """
    return _compiled(pattern).matches(text)


def require_pattern(pattern: str) -> None:
    """Check that a text is a pattern that ``occurs`` takes.

    Raises:
        PatternError: It is none.
    """
    _compiled(pattern)


def is_python_pattern(pattern: str) -> bool:
    """Return whether Python's re module takes a pattern as well."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of what will mean another thing some day
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> _Compiled:
    from regress import RegressError

    reason = f"it has more than {MAX_ECMA_LENGTH} characters"
    if len(pattern) <= MAX_ECMA_LENGTH:
        for flags in ("u", "") if not _has_foreign_escape(pattern) else ("u",):
            try:
                return _Ecma(pattern, flags)
            except (RegressError, UnicodeEncodeError) as error:
                reason = str(error)
    if is_python_pattern(pattern):
        return _Python(pattern)
    raise PatternError(f"{pattern[:200]!r} is no regular expression of ECMA 262: {reason[:200]}")


def _has_foreign_escape(pattern: str) -> bool:
    return any(_FOREIGN_ESCAPE.match(one) for one in _ESCAPE.findall(pattern))
