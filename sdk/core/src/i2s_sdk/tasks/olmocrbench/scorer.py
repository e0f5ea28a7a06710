"""The scorer of olmOCR-bench: the tests of a page, counted by kind of document and of test."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from i2s_sdk.instances.instance import Instance
from i2s_sdk.scoring.scorer import (
    DETAIL_BYTES,
    FORMULA,
    FORMULAS_NOT_DRAWN,
    Aggregate,
    Conversion,
    Metric,
    MetricValues,
    Scorable,
)
from i2s_sdk.tasks.olmocrbench.formulas import FormulaTests
from i2s_sdk.tasks.olmocrbench.page_test import (
    BASE,
    CATEGORIES,
    OTHER,
    PASSED,
    RELATIONS,
    PageTest,
    TestKind,
    TestResult,
    failed,
    page_tests,
)
from i2s_sdk.tasks.olmocrbench.tables import page_grids, table_result
from i2s_sdk.tasks.olmocrbench.texts import (
    baseline_fault,
    contains_text,
    in_order,
    normal_text,
    shortened,
)
from i2s_wire.metrics.profile import Profile

#: Name of the scorer in records.
NAME = "olmocrbench"

_TITLES = {
    "arxiv_math": "papers with formulas",
    "old_scans_math": "old scans with formulas",
    "table_tests": "pages with tables",
    "old_scans": "old scans",
    "headers_footers": "pages with headers and footers",
    "multi_column": "pages in columns",
    "long_tiny_text": "long pages in small print",
    BASE: "all pages that are ordinary text",
    OTHER: "pages of other files of tests",
}

#: Groups of tests whose shares are averaged.
GROUPS = (*CATEGORIES, BASE, OTHER)

_MAX_REPEATS = 30
#: Longest text of a result that is kept for the report, in characters.
MAX_REASON = 240


@dataclass(frozen=True, slots=True)
class PageTestsScorer:
    """Runs the tests of a page (``page_test``) on its Markdown.

    A column has the share of tests that passed, of all tests of all pages: for each group of documents, and
    for each kind of test. A test that cannot be judged, because its own formula cannot be drawn, counts in
    none.

    An answer that is missing or empty fails all tests but those of blank pages. In profile ``reference`` it
    is an empty page, on which nothing is present that has to be absent.
    """

    #: Profile whose rules are followed.
    profile: Profile = Profile.PAPER
    #: Name as the manifest calls it.
    name: str = NAME
    #: Grows whenever a value can change.
    version: str = "2"
    #: True: the time depends on the answer.
    in_worker: bool = True
    #: True: an empty answer passes the test of a blank page.
    scores_unusable: bool = True
    #: Only formulas are drawn.
    conversion_formats: frozenset[str] = frozenset({FORMULA})
    #: Whether formulas are drawn; without it the columns of formula tests have no value.
    formulas: bool = True
    #: The columns of formula tests.
    formula_metrics: tuple[str, ...] = ("arxiv_math", "old_scans_math", str(TestKind.MATH))

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The groups, then the kinds of tests."""
        groups = [
            Metric(name, aggregate=Aggregate.POOLED, summary=f"Share of tests that passed: {_TITLES[name]}.")
            for name in GROUPS
        ]
        kinds = [
            Metric(
                str(kind),
                aggregate=Aggregate.POOLED,
                summary=f"Share of tests that passed: of kind {kind}.",
            )
            for kind in TestKind
        ]
        return (*groups, *kinds)

    def may_draw(self, instance: Instance) -> bool:
        """Return whether the page has a formula test."""
        return any(page_test.kind is TestKind.MATH for page_test in page_tests(instance.target))

    def without_formulas(self) -> PageTestsScorer:
        """Return the scorer that has no formula drawn."""
        return replace(self, formulas=False)

    def applies(self, sample: Scorable) -> bool:
        """Return whether the page has tests."""
        return bool(page_tests(sample.target))

    def conversions(self, sample: Scorable) -> tuple[Conversion, ...]:
        """Return the formulas that are to be drawn next."""
        tests = [page_test for page_test in page_tests(sample.target) if page_test.kind is TestKind.MATH]
        if not tests or not self.formulas:
            return ()
        formulas = FormulaTests(sample.structure or "", sample.conversions)
        return tuple(dict.fromkeys(conversion for test in tests for conversion in formulas.needed(test)))

    def score(self, sample: Scorable) -> MetricValues:
        """Return the shares of a page."""
        tests = page_tests(sample.target)
        return self._values(tests, list(self._results(tests, sample)))

    def unusable(self, sample: Scorable) -> MetricValues:
        """Return the shares if every test fails, which an answer that takes too much does."""
        tests = page_tests(sample.target)
        formulas, why = FormulaTests("", sample.conversions), failed("the answer cannot be scored")
        return self._values(tests, [_unless_unjudged(test, formulas, why) for test in tests])

    def _values(self, tests: Sequence[PageTest], results: Sequence[TestResult]) -> MetricValues:
        """Return the shares, without those of formula tests if no formula is drawn."""
        if self.formulas:
            return _values(tests, results)
        drawn = [test.kind is TestKind.MATH for test in tests]
        results = [
            TestResult(None, FORMULAS_NOT_DRAWN) if of_formula else test_result
            for of_formula, test_result in zip(drawn, results, strict=True)
        ]
        values = _values(tests, results)
        # The other tests of a group alone would say something else.
        lost = {
            name for test in tests if test.kind is TestKind.MATH for name in (test.category, str(test.kind))
        }
        return replace(
            values,
            metrics={**values.metrics, **dict.fromkeys(lost)},
            undefined=dict.fromkeys(lost, FORMULAS_NOT_DRAWN),
            parts={name: part for name, part in values.parts.items() if name not in lost},
        )

    def _results(self, tests: Sequence[PageTest], sample: Scorable) -> Iterator[TestResult]:
        page = sample.structure or ""
        silent = not page.strip() and self.profile is not Profile.HELM
        normal, formulas = normal_text(page), FormulaTests(page, sample.conversions)
        grids = {pipes: page_grids(page, pipe_tables=pipes) for pipes in (True, False)}
        for test in tests:
            if silent and test.number("max_length") is None:
                yield _unless_unjudged(test, formulas, failed("the answer is empty"))
            elif test.kind is TestKind.TABLE:
                yield table_result(test, grids[not test.flag("ignore_markdown_tables", default=False)])
            elif test.kind is TestKind.MATH:
                yield formulas.result(test)
            else:
                yield _text_result(test, page, normal, within=self.profile is not Profile.HELM)


def _unless_unjudged(test: PageTest, formulas: FormulaTests, result: TestResult) -> TestResult:
    """Return a result, unless the test counts for no answer."""
    own = formulas.result(test) if test.kind is TestKind.MATH else result
    return own if own.passed is None else result


def _text_result(test: PageTest, page: str, normal: str, *, within: bool) -> TestResult:
    match test.kind:
        case TestKind.ORDER:
            why = in_order(normal, test.text("before"), test.text("after"), test.max_diffs)
        case TestKind.BASELINE:
            repeats = test.number("max_repeats")
            why = baseline_fault(
                page,
                max_length=test.number("max_length"),
                skip_images=test.flag("max_length_skips_image_alt_tags", default=False),
                max_repeats=_MAX_REPEATS if repeats is None else repeats,
                check_characters=test.flag("check_disallowed_characters", default=True),
            )
        case _:
            why = _presence_fault(test, normal, within=within)
    return failed(why) if why else PASSED


def _presence_fault(test: PageTest, normal: str, *, within: bool) -> str:
    text = test.text("text")
    there, similarity = contains_text(
        normal,
        text,
        test.max_diffs,
        case_sensitive=test.flag("case_sensitive", default=True),
        first=test.number("first_n"),
        last=test.number("last_n"),
        within=within,
    )
    if test.kind is TestKind.PRESENT:
        return "" if there else f"{shortened(text)} is not there; what is most like it has {similarity:.3f}"
    return f"{shortened(text)} is there, with a similarity of {similarity:.3f}" if there else ""


def _values(tests: Sequence[PageTest], results: Sequence[TestResult]) -> MetricValues:
    parts: dict[str, tuple[float, float]] = {}
    for test, result in zip(tests, results, strict=True):
        if result.passed is not None:
            for name in (test.category, str(test.kind)):
                passed, number = parts.get(name, (0.0, 0.0))
                parts[name] = passed + result.passed, number + 1.0
    names = (*GROUPS, *map(str, TestKind))
    metrics = {name: parts[name][0] / parts[name][1] if name in parts else None for name in names}
    return MetricValues(metrics, parts=parts, detail=_detail(tests, results))


def _detail(tests: Sequence[PageTest], results: Sequence[TestResult]) -> dict[str, object]:
    """Return the results as reports show them: failed tests first, as many as there is place for."""
    pairs = sorted(zip(tests, results, strict=True), key=lambda pair: pair[1].passed is True)
    rows: list[list[object]] = []
    left = DETAIL_BYTES - 1024
    for test, result in pairs:
        said = _said(test)[:MAX_REASON]
        row: list[object] = [test.id[:100], str(test.kind), result.passed, said, result.why[:MAX_REASON]]
        left -= len(json.dumps(row)) + 2
        if left < 0:
            break
        rows.append(row)
    return {"tests": rows, "left": len(pairs) - len(rows)}


def _said(test: PageTest) -> str:
    """Return what a test asks for, in words."""
    fields = test.fields
    match test.kind:
        case TestKind.ORDER:
            return f"{shortened(test.text('before'))} before {shortened(test.text('after'))}"
        case TestKind.TABLE:
            shown = [f"{name} {shortened(test.text(name))}" for name in RELATIONS if test.text(name)]
            return f"a cell {shortened(test.text('cell'))}" + (f" with {', '.join(shown)}" if shown else "")
        case TestKind.MATH:
            return str(fields.get("math"))
        case TestKind.BASELINE:
            return "a blank page" if test.number("max_length") is not None else "ordinary text"
        case _:
            bounds = [f"{name} {fields[name]}" for name in ("first_n", "last_n") if fields.get(name)]
            return ", ".join((shortened(test.text("text")), *bounds))
