r"""Formulas of a page in Markdown, and whether one of them draws the formula of a test.

A formula stands between ``\(`` and ``\)``, ``\[`` and ``\]``, ``$$`` and ``$$``, or ``$`` and ``$``. It
passes a test if it is the same text, or if what it draws contains what the formula of the test draws
(``glyph_f1.contains``): the same characters and rules one after another, at the same places relative to each
other, in any size. The released code compares what KaTeX draws in a browser: its boxes of characters without
fonts and rules, whose nearest neighbours within 5 pixels in four directions have to be the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from i2s_sdk.scoring.glyph_f1 import contains
from i2s_sdk.scoring.page_tokens import LIMITED, Token, read_drawn
from i2s_sdk.scoring.scorer import FORMULA, Conversion
from i2s_sdk.tasks.olmocrbench.page_test import PASSED, PageTest, TestResult, failed
from i2s_sdk.tasks.olmocrbench.texts import shortened

#: The most formulas of a page that are drawn for a test, those whose LaTeX is most like its own.
MAX_CANDIDATES = 256
#: How many are drawn at first; then four times as many, until one passes.
_FIRST = 4
#: After so many that took too much to draw no further ones are drawn.
_MAX_LIMITED = 4

_DELIMITERS = ((r"\(", r"\)"), (r"\[", r"\]"), ("$$", "$$"), ("$", "$"))


def page_formulas(page: str, *, dollars: bool = True) -> list[str]:
    """Return the LaTeX of the formulas of a page.

    Args:
        page: Markdown.
        dollars: Whether dollar signs delimit formulas.
    """
    formulas: list[str] = []
    for opening, closing in _DELIMITERS[: 4 if dollars else 2]:
        kept: list[str] = []
        done = 0
        while (start := page.find(opening, done)) >= 0:
            stop = page.find(closing, start + len(opening) + 1)
            if stop < 0:
                break
            formulas.append(page[start + len(opening) : stop].strip())
            kept.append(page[done:start])
            done = stop + len(closing)
        page = "".join((*kept, page[done:]))
    return formulas


class FormulaTests:
    """The formula tests of a page.

    Args:
        page: Markdown.
        conversions: What was drawn so far, by key.
    """

    def __init__(self, page: str, conversions: Mapping[str, str | None]) -> None:
        self._formulas = {dollars: page_formulas(page, dollars=dollars) for dollars in (True, False)}
        self._conversions = conversions
        self._tokens: dict[str, list[Token]] = {}

    def needed(self, test: PageTest) -> list[Conversion]:
        """Return what has to be drawn before ``result`` says more; nothing if the result is final."""
        wanted, candidates = self._candidates(test)
        reference = _conversion(wanted)
        if reference.key not in self._conversions:
            return [reference]
        if self._cannot_be_drawn(wanted) or wanted in candidates or self._limited(candidates) >= _MAX_LIMITED:
            return []
        conversions = [_conversion(candidate) for candidate in candidates]
        known = sum(conversion.key in self._conversions for conversion in conversions)
        if self._passes(wanted, candidates[:known]):
            return []
        return [
            conversion
            for conversion in conversions[: max(_FIRST, 4 * known)]
            if conversion.key not in self._conversions
        ]

    def result(self, test: PageTest) -> TestResult:
        """Return the result of a test, for which everything was drawn that is needed.

        A test whose own formula cannot be drawn has none, whatever the page says.
        """
        wanted, candidates = self._candidates(test)
        if self._cannot_be_drawn(wanted):
            return TestResult(None, f"the formula of the test cannot be drawn: {shortened(wanted)}")
        if wanted in candidates or self._passes(wanted, candidates):
            return PASSED
        if not candidates:
            return failed("there is no formula")
        why = f"no formula draws {shortened(wanted)}; most like it is {shortened(candidates[0])}"
        limited = self._limited(candidates)
        return failed(why + (f"; {limited} formulas of the page took too much to draw" if limited else ""))

    def _cannot_be_drawn(self, latex: str) -> bool:
        """Return whether it is known that a formula cannot be drawn."""
        return self._conversions.get(_conversion(latex).key, "") in (None, LIMITED)

    def _limited(self, candidates: Sequence[str]) -> int:
        return sum(self._conversions.get(_conversion(candidate).key) == LIMITED for candidate in candidates)

    def _candidates(self, test: PageTest) -> tuple[str, list[str]]:
        """Return the formula of a test and those of the page, the most similar ones first."""
        from rapidfuzz import fuzz, process

        wanted = str(test.fields.get("math") or "").strip()
        formulas = self._formulas[not test.flag("ignore_dollar_delimited", default=False)]
        distinct = [formula for formula in dict.fromkeys(formulas) if formula]
        best = process.extract(wanted, distinct, scorer=fuzz.ratio, limit=MAX_CANDIDATES)
        return wanted, [one for one, _, _ in best]

    def _passes(self, wanted: str, candidates: Sequence[str]) -> bool:
        part = self._drawn(wanted)
        return bool(part) and any(contains(self._drawn(candidate), part) for candidate in candidates)

    def _drawn(self, latex: str) -> list[Token]:
        if latex not in self._tokens:
            self._tokens[latex] = read_drawn(self._conversions.get(_conversion(latex).key) or "")[0]
        return self._tokens[latex]


def _conversion(latex: str) -> Conversion:
    return Conversion(FORMULA, latex)
