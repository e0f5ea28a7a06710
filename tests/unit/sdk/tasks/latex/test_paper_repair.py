from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks import Repair, RepairKind, render_with_repairs
from i2s_sdk.tasks.latex import LatexDocument, LatexTask
from i2s_sdk.tasks.latex.packages import ALGORITHM2E, Package
from i2s_sdk.tasks.latex.paper_document import PaperDocument, paper_document
from i2s_sdk.tasks.latex.paper_repair import (
    is_of_externalization,
    repair,
    without_externalization,
    without_library,
)
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind, SourceError, Undefined

TCOLORBOX = Provider(ProviderKind.PACKAGE, "tcolorbox")


def undefined(name: str, *providers: Provider, kind: ErrorKind = ErrorKind.UNDEFINED_COMMAND) -> SourceError:
    return SourceError("Undefined control sequence.", kind, undefined=Undefined(name, providers))


def repaired(document: PaperDocument, error: SourceError, *past: Repair) -> tuple[PaperDocument, Repair]:
    result = repair(document, error, past)
    assert result is not None
    return result.document, result.repair


@pytest.mark.parametrize(
    "error",
    [
        SourceError("Missing $ inserted.", ErrorKind.MISSING_MATH),
        SourceError("Missing $ inserted."),
        SourceError("LaTeX Error: \\mathbb allowed only in math mode.", ErrorKind.OTHER),
    ],
)
def test_maths_outside_of_math_mode_is_put_in_an_equation(error: SourceError) -> None:
    document, record = repaired(paper_document("\\frac{a}{b}"), error)
    assert "\\begin{equation*}\n\\frac{a}{b}\n\\end{equation*}" in document.source
    assert record == Repair(RepairKind.WRAP_MATH, "equation", error.message)


def test_the_body_is_put_in_an_equation_only_once() -> None:
    assert repair(PaperDocument("x", in_equation=True), SourceError("Missing $ inserted."), ()) is None


def test_what_is_undefined_brings_the_first_package_that_is_not_there() -> None:
    amsmath = Provider(ProviderKind.PACKAGE, "amsmath")
    document, record = repaired(paper_document("x"), undefined("tcolorbox", amsmath, TCOLORBOX))
    assert document.packages == (Package("tcolorbox"),)
    assert (record.kind, record.detail) == (RepairKind.ADD_PACKAGE, "tcolorbox")


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (ProviderKind.TIKZ_LIBRARY, "\\usetikzlibrary{mindmap}"),
        (ProviderKind.PGFPLOTS_LIBRARY, "\\usepgfplotslibrary{mindmap}"),
    ],
)
def test_what_is_undefined_brings_a_library(kind: ProviderKind, line: str) -> None:
    error = undefined("concept", Provider(kind, "mindmap"), kind=ErrorKind.UNDEFINED_KEY)
    document, record = repaired(paper_document("x"), error)
    assert f"\n{line}\n\\begin{{document}}" in document.source
    assert (record.kind, record.detail) == (RepairKind.ADD_LIBRARY, "mindmap")
    assert repair(document, error, (record,)) is None


@pytest.mark.parametrize(
    "provider",
    [
        Provider(ProviderKind.CLASS, "beamer"),
        Provider(ProviderKind.TIKZ_LIBRARY, "calc"),
        Provider(ProviderKind.PACKAGE, "booktabs"),
        Provider(ProviderKind.PACKAGE, "geometry"),
    ],
)
def test_a_provider_that_cannot_help_is_no_repair(provider: Provider) -> None:
    assert repair(paper_document("x"), undefined("x", provider), ()) is None


def test_nothing_helps_a_name_that_nothing_defines() -> None:
    assert repair(paper_document("x"), undefined("nonsense"), ()) is None


@pytest.mark.parametrize(
    "error",
    [
        undefined("SetKwInput", Provider(ProviderKind.PACKAGE, "algorithm2e")),
        undefined("KwData"),
        SourceError("Undefined control sequence.", ErrorKind.UNDEFINED_COMMAND, context="\\begin{x} \\KwIn"),
        undefined("procedure", kind=ErrorKind.UNDEFINED_ENVIRONMENT),
    ],
)
def test_commands_of_algorithm2e_swap_the_algorithm_packages(error: SourceError) -> None:
    document, record = repaired(paper_document("\\begin{algorithm}x\\end{algorithm}"), error)
    assert document.packages == (ALGORITHM2E,)
    assert record.kind is RepairKind.SWAP_ALGORITHM


def test_algorithmic_in_the_body_forbids_the_swap() -> None:
    document = paper_document("\\begin{algorithmic}\\KwData\\end{algorithmic}")
    assert repair(document, undefined("KwData", Provider(ProviderKind.PACKAGE, "algorithm2e")), ()) is None


@pytest.mark.parametrize(
    "error",
    [
        SourceError("LaTeX Error: File `soul.sty' not found.", ErrorKind.UNDEFINED_FILE),
        SourceError("x", ErrorKind.UNDEFINED_FILE, undefined=Undefined("soul.sty")),
        SourceError("LaTeX Error: Option clash for package soul.", ErrorKind.CONFLICT),
        SourceError("LaTeX Error: Unknown option `x' for package `soul'.", ErrorKind.OTHER),
        SourceError("Package soul Error: this needs another engine.", ErrorKind.OTHER),
        SourceError(
            "LaTeX Error: Command \\x already defined.", ErrorKind.ALREADY_DEFINED, file="/a/soul.sty"
        ),
    ],
)
def test_a_package_that_is_missing_or_clashes_is_dropped_and_not_brought_back(error: SourceError) -> None:
    document, record = repaired(paper_document("\\usepackage{bm}\\usepackage{soul}x"), error)
    assert document.packages == (Package("bm"),)
    assert (record.kind, record.detail) == (RepairKind.DROP_PACKAGE, "soul")
    assert repair(document, undefined("ul", Provider(ProviderKind.PACKAGE, "soul")), (record,)) is None


def test_a_conflict_is_laid_to_the_package_of_its_line() -> None:
    document = paper_document("\\usepackage{soul}x")
    line = document.source.splitlines().index("\\usepackage{soul}") + 1
    after, _ = repaired(document, SourceError("LaTeX Error: Command \\x already defined.", line=line))
    assert after.packages == ()


def test_a_library_that_is_missing_is_dropped_wherever_it_is_asked_for() -> None:
    document = paper_document(
        "\\usetikzlibrary{calc, none}\n\\begin{document}\\usetikzlibrary{none}x\\end{document}"
    )
    error = SourceError(
        "Package tikz Error: I did not find the tikz library 'none'.", ErrorKind.UNDEFINED_KEY
    )
    after, record = repaired(document, error)
    assert (after.definitions, after.body) == ("\\usetikzlibrary{calc}", "\\usetikzlibrary{}x")
    assert (record.kind, record.detail) == (RepairKind.DROP_LIBRARY, "none")


def test_a_name_that_the_preamble_took_is_freed_for_the_document() -> None:
    error = SourceError("LaTeX Error: Command \\thead already defined.", ErrorKind.ALREADY_DEFINED)
    document, record = repaired(paper_document("\\newcommand{\\thead}{x}"), error)
    assert document.freed == ("thead",)
    assert (record.kind, record.detail) == (RepairKind.FREE_NAME, "thead")
    assert repair(document, error, (record,)) is None


def test_an_environment_is_freed_with_its_end() -> None:
    error = SourceError("LaTeX Error: Command \\cases already defined.", ErrorKind.ALREADY_DEFINED)
    document, _ = repaired(paper_document("\\newenvironment{cases}{}{}"), error)
    assert document.freed == ("cases", "endcases")


def test_a_name_that_the_document_does_not_define_is_not_freed() -> None:
    error = SourceError("LaTeX Error: Command \\thead already defined.", ErrorKind.ALREADY_DEFINED)
    assert repair(paper_document("x"), error, ()) is None


ALIGN_IN_DISPLAY = "\\[\\begin{align*}a\\end{align*}\\]"
BLANK_LINE = "\\[a\n\nb\\]"


@pytest.mark.parametrize(
    ("code", "error", "kind", "body"),
    [
        (
            ALIGN_IN_DISPLAY,
            SourceError(
                "Package amsmath Error: Erroneous nesting of equation structures; trying to recover."
            ),
            RepairKind.UNNEST_MATH,
            "\\begin{align*}a\\end{align*}",
        ),
        (
            ALIGN_IN_DISPLAY,
            SourceError("Package amsmath Error: \\begin{align*} allowed only in paragraph mode."),
            RepairKind.UNNEST_MATH,
            "\\begin{align*}a\\end{align*}",
        ),
        (
            BLANK_LINE,
            SourceError("Missing $ inserted.", ErrorKind.MISSING_MATH),
            RepairKind.DROP_BLANK_LINES,
            "\\[a\nb\\]",
        ),
        (
            "\\begin{align*}a\n\nb\\end{align*}",
            SourceError("Paragraph ended before \\align* was complete."),
            RepairKind.DROP_BLANK_LINES,
            "\\begin{align*}a\nb\\end{align*}",
        ),
        (
            "$$a \\tag{1}$$",
            SourceError("Package amsmath Error: \\tag not allowed here."),
            RepairKind.ALLOW_TAG,
            "\\[a \\tag{1}\\]",
        ),
        (
            "\\[a & b\\] c & d",
            SourceError("Misplaced alignment tab character &."),
            RepairKind.ALIGN_LINES,
            "\\[\\begin{aligned}a & b\\end{aligned}\\] c & d",
        ),
        (
            "c & d",
            SourceError("Misplaced alignment tab character &."),
            RepairKind.ESCAPE_CHARACTER,
            "c \\& d",
        ),
        (
            "# of x",
            SourceError("You can't use `macro parameter character #' in vertical mode."),
            RepairKind.ESCAPE_CHARACTER,
            "\\# of x",
        ),
        (
            "\\begin{tabular}{l}a & b \\hline\\end{tabular}",
            SourceError("Misplaced \\noalign."),
            RepairKind.END_ROWS,
            "\\begin{tabular}{l}a & b \\\\ \\hline\\end{tabular}",
        ),
        (
            "\\begin{align*}\\left(a \\\\ b\\right)\\end{align*}",
            SourceError("Extra }, or forgotten \\right."),
            RepairKind.SPLIT_DELIMITERS,
            "\\begin{align*}\\left(a \\right. \\\\\\left.{} b\\right)\\end{align*}",
        ),
        (
            "\\begin{itemize}\\item a",
            SourceError("LaTeX Error: \\begin{itemize} on input line 1 ended by \\end{document}."),
            RepairKind.CLOSE_GROUPS,
            "\\begin{itemize}\\item a\n\\end{itemize}",
        ),
        (
            "\\[ a",
            SourceError("Missing $ inserted.", ErrorKind.MISSING_MATH, context="\\end{document}"),
            RepairKind.CLOSE_GROUPS,
            "\\[ a\n\\]",
        ),
    ],
)
def test_a_fault_of_the_body_with_one_reading_is_mended(
    code: str, error: SourceError, kind: RepairKind, body: str
) -> None:
    document, record = repaired(paper_document(code), error)
    assert (document.body, record.kind, record.error) == (body, kind, error.message)
    assert record.detail


@pytest.mark.parametrize("code", [ALIGN_IN_DISPLAY, BLANK_LINE, "a & b", "# x", "\\begin{itemize}"])
def test_no_fault_of_the_body_is_mended_that_the_engine_does_not_report(code: str) -> None:
    assert repair(paper_document(code), SourceError("Undefined control sequence."), ()) is None


def test_characters_without_a_meaning_are_declared_all_at_once_and_once() -> None:
    error = SourceError("LaTeX Error: Unicode character ≤ (U+2264) not set up for use with LaTeX.")
    document, record = repaired(paper_document("$a ≤ α$ 中"), error)
    assert document.source.count("\\DeclareUnicodeCharacter{") == 2
    assert (record.kind, record.detail) == (RepairKind.DECLARE_CHARACTERS, "U+03B1 U+2264")
    assert repair(document, error, (record,)) is None
    assert repair(paper_document("中"), error, ()) is None


def test_figures_are_not_left_to_other_programs() -> None:
    code = "\\usepgfplotslibrary{external}\n\\tikzexternalize\n\\begin{document}x\\end{document}"
    error = SourceError("Package tikz Error: Sorry, the system call 'pdflatex' did NOT result in a file.")
    document, record = repaired(paper_document(code), error)
    assert "external" not in document.definitions
    assert (record.kind, record.detail) == (RepairKind.DROP_LIBRARY, "external")
    assert repair(document, error, (record,)) is None


NAMES = st.sampled_from(["soul", "tcolorbox", "amsmath", "algorithm2e", "KwData", "mindmap", "thead", "x"])
MESSAGES = st.one_of(
    st.sampled_from(
        [
            "Missing $ inserted.",
            "Undefined control sequence.",
            "Misplaced alignment tab character &.",
            "Extra }, or forgotten \\right.",
            "Bad math environment delimiter.",
            "Paragraph ended before \\align* was complete.",
            "LaTeX Error: Unicode character ≤ (U+2264) not set up for use with LaTeX.",
            "File ended while scanning use of \\x.",
            "\\tag not allowed here",
            "",
        ]
    ),
    NAMES.map("LaTeX Error: File `{}.sty' not found.".format),
    NAMES.map("LaTeX Error: Option clash for package {}.".format),
    NAMES.map("LaTeX Error: Command \\{} already defined.".format),
    NAMES.map("Package tikz Error: I did not find the tikz library '{}'.".format),
)
PROVIDERS = st.builds(Provider, st.sampled_from(ProviderKind), NAMES)
ERRORS = st.builds(
    SourceError,
    message=MESSAGES,
    kind=st.sampled_from(ErrorKind),
    line=st.integers(0, 120),
    undefined=st.none() | st.builds(Undefined, NAMES, st.lists(PROVIDERS, max_size=3).map(tuple)),
)


@given(
    st.lists(ERRORS, min_size=1, max_size=8),
    st.sampled_from(
        [
            "x",
            "\\usepackage{soul}\\usetikzlibrary{mindmap}\n\\newcommand{\\thead}{x}",
            "\\[\\begin{align}a\n\n≤ & \\left( # \\\\ \\right) \\end{align}\\]$$\\tag{1}$$ # & \\begin{b}",
        ]
    ),
)
def test_whatever_the_engine_says_repairs_end_and_each_changes_the_document(
    errors: list[SourceError], code: str
) -> None:
    task = LatexTask(Profile.PAPER)
    sources: list[str] = []

    def refuse(document: LatexDocument) -> Rendering:
        sources.append(document.source)
        return Rendering(Verdict.COMPILE_ERROR, error=errors[len(sources) % len(errors)])

    attempts = render_with_repairs(task, paper_document(code), refuse)
    assert len(attempts.repairs) <= 5
    assert len(sources) == len(attempts.repairs) + 1
    assert all(before != after for before, after in pairwise(sources))


@pytest.mark.parametrize(
    ("code", "less"),
    [
        ("\\usetikzlibrary{external}\n\\tikzexternalize\nx", "x"),
        ("\\usetikzlibrary{calc, external}\n\\tikzexternalize[prefix=a/]\nx", "\\usetikzlibrary{calc}\nx"),
        ("\\usepgfplotslibrary{external,polar}\\tikzsetexternalprefix{a/}x", "\\usepgfplotslibrary{polar}x"),
        ("\\tikzset{external/mode=list and make}\\tikzset{a/.style={b}}x", "\\tikzset{a/.style={b}}x"),
        ("\\tikzsetnextfilename{a}\\tikzexternaldisable x", " x"),
    ],
)
def test_externalization_goes_and_other_libraries_stay(code: str, less: str) -> None:
    assert without_externalization(code) == less


@pytest.mark.parametrize(
    "code",
    [
        "\\usetikzlibrary{calc}",
        "% \\tikzexternalize\nx",
        "\\begin{verbatim}\\tikzexternalize\\end{verbatim}",
        "\\tikzset{a/.style={external/b}}",
    ],
)
def test_code_without_externalization_stays(code: str) -> None:
    assert without_externalization(code) == code


def test_a_library_goes_from_every_list() -> None:
    assert (
        without_library("\\usetikzlibrary{a, b}\\usepgflibrary{b}", "b")
        == "\\usetikzlibrary{a}\\usepgflibrary{}"
    )


@pytest.mark.parametrize(
    ("error", "of_externalization"),
    [
        (
            SourceError("LaTeX Error: Can be used only in preamble.", file="tikzlibraryexternal.code.tex"),
            True,
        ),
        (SourceError("I can't write on file `figs/document-figure0.md5'."), True),
        (SourceError("Package tikz Error: Sorry, the system call 'pdflatex …' did NOT result in …"), True),
        (SourceError("LaTeX Error: Can be used only in preamble."), False),
        (SourceError("Undefined control sequence."), False),
    ],
)
def test_errors_of_externalization_are_told_apart(error: SourceError, of_externalization: bool) -> None:
    assert is_of_externalization(error) is of_externalization
