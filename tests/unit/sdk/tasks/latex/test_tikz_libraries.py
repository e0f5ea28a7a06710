import pytest

from i2s_sdk.tasks.latex.tikz_libraries import (
    is_of_externalization,
    without_externalization,
    without_library,
)
from i2s_wire.render.source_error import SourceError


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
