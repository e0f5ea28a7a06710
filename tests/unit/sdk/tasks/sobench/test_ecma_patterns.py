"""Patterns mean what ECMA 262 says, and what only other dialects know keeps its meaning."""

from __future__ import annotations

import pytest

from i2s_sdk.tasks.sobench.ecma_patterns import (
    MAX_ECMA_LENGTH,
    PatternError,
    is_python_pattern,
    occurs,
    require_pattern,
)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"^\p{L}+$", "añ", True),
        (r"^\d+$", "12", True),
        (r"^\d+$", "٣", False),
        (r"^\w+$", "é", False),
        (r"^\s$", "\u3000", True),
        (r"\u{1F600}", "😀", True),
        (r"^.$", "😀", True),
        (r"(?<n>a)\k<n>", "aa", True),
        (r"(?<=\$)\d", "$5", True),
        (r"^a$", "a\n", False),
        (r"\cA", "\x01", True),
        (r"^[^]$", "\n", True),
        (r"^\d{3}\-\d{4}$", "123-4567", True),
        (r"^\_\@$", "_@", True),
        (r"\A\d{4}\Z", "2024", True),
        (r"\A\d{4}\Z", "A2024Z", False),
        (r"(?i)^abc$", "ABC", True),
        (r"^(?P<year>\d{4})$", "2024", True),
        (r"^a.b$", "a\ud800b", True),
        ("|".join(["ab"] * MAX_ECMA_LENGTH), "ab", True),
    ],
)
def test_a_pattern_occurs(pattern: str, text: str, found: bool) -> None:
    assert occurs(pattern, text) is found


@pytest.mark.parametrize("pattern", ["(", "[", "a{2,1}", "*", "(?<=", "(" * 5000 + ")" * 5000, "[" * 100_000])
def test_what_is_no_pattern_is_said_with_the_reason(pattern: str) -> None:
    with pytest.raises(PatternError, match="is no regular expression of ECMA 262: ") as raised:
        require_pattern(pattern)
    assert len(str(raised.value)) < 500


def test_very_many_alternatives_do_not_end_the_process() -> None:
    pattern = "|".join(f"ab{number}" for number in range(60_000))
    assert is_python_pattern(pattern)
    assert occurs(pattern, "ab777")
