"""TikZ code becomes a document, and failures lead to packages, libraries and the next engine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.repair import Repair, RepairKind
from i2s_sdk.tasks.scimage.document import ENGINES, MAX_REPAIRS, TikzDocument, repair, tikz_document
from i2s_wire.render.options import LatexEngine
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind, SourceError, Undefined

PICTURE = "\\begin{tikzpicture}\\draw (0,0) -- (1,1);\\end{tikzpicture}"
DOCUMENT = (
    "\\documentclass[tikz]{standalone}\n\\usepackage{tikz}\n"
    f"\\begin{{document}}\n{PICTURE}\n\\end{{document}}\n"
)


def failed(message: str, kind: ErrorKind = ErrorKind.OTHER, line: int = 3, **more: object) -> Rendering:
    return Rendering(Verdict.COMPILE_ERROR, error=SourceError(message, line=line, kind=kind, **more))  # type: ignore[arg-type]


def undefined(name: str, kind: ProviderKind, provider: str) -> Rendering:
    found = Undefined(name, (Provider(kind, provider),))
    return failed(f"Undefined {name}", ErrorKind.UNDEFINED_COMMAND, undefined=found)


def test_a_document_is_compiled_as_it_is_but_for_the_page_number() -> None:
    source = tikz_document(DOCUMENT).source
    assert source.startswith("\\documentclass[tikz]{standalone}%\n\\AtBeginDocument{\\pagestyle{empty}")
    assert source.endswith(DOCUMENT.partition("{standalone}")[2])


def test_other_code_is_wrapped_and_its_preamble_stays_one() -> None:
    code = f"\\usetikzlibrary{{mindmap}} % of maps\n\\usepackage[x]{{y}}\n{PICTURE}"
    source = tikz_document(code).source
    preamble, begin, body = source.partition("\\begin{document}")
    assert begin
    assert "\\usetikzlibrary{mindmap}\n" in preamble
    assert "\\usepackage[x]{y}\n" in preamble
    assert PICTURE in body
    assert "mindmap" not in body


def test_a_class_in_a_comment_makes_no_document() -> None:
    source = tikz_document(f"% \\documentclass{{article}}\n{PICTURE}").source
    assert source.startswith("\\documentclass[varwidth=\\maxdimen]{standalone}")


@pytest.mark.parametrize(
    ("letters", "needed"), [("圆", "\\usepackage{xeCJK}"), ("سبز", "\\babelfont[persian]"), ("Grün α", "")]
)
def test_wrapped_code_gets_fonts_for_its_letters(letters: str, needed: str) -> None:
    source = tikz_document(f"\\tikz \\node {{{letters}}};").source
    assert needed in source
    assert needed or not ("xeCJK" in source or "babel" in source)


def test_what_is_undefined_is_loaded() -> None:
    document = tikz_document(DOCUMENT)
    package = repair(document, undefined("qty", ProviderKind.PACKAGE, "physics"))
    assert package is not None
    assert package.repair.kind is RepairKind.ADD_PACKAGE
    assert "\\usepackage{physics}%" in package.document.source
    library = repair(document, undefined("star", ProviderKind.TIKZ_LIBRARY, "shapes"))
    assert library is not None
    before = library.document.source.partition("\\begin{document}")[0]
    assert before.endswith("\\usetikzlibrary{shapes}%\n")
    again = repair(library.document, undefined("star", ProviderKind.TIKZ_LIBRARY, "shapes"), [library.repair])
    assert again is not None
    assert again.repair.kind is RepairKind.USE_ENGINE


def test_figures_are_not_left_to_other_programs() -> None:
    document = tikz_document(
        DOCUMENT.replace("{tikz}\n", "{tikz}\\usetikzlibrary{external}\n\\tikzexternalize\n", 1)
    )
    failure = failed(
        "Package tikz Error: Sorry, the system call 'pdflatex' did NOT result in a usable output file"
    )
    repaired = repair(document, failure)
    assert repaired is not None
    assert repaired.repair.kind is RepairKind.DROP_LIBRARY
    assert "external" not in repaired.document.source
    assert repaired.document.engine is LatexEngine.PDFLATEX


def test_a_package_that_is_not_installed_is_left_out() -> None:
    document = TikzDocument(DOCUMENT.replace("{tikz}\n", "{tikz,nosuch}\n"))
    repaired = repair(document, failed("LaTeX Error: File `nosuch.sty' not found.", ErrorKind.UNDEFINED_FILE))
    assert repaired is not None
    assert repaired.document.given == DOCUMENT


@pytest.mark.parametrize(
    "rendering",
    [
        failed("The fontspec package requires either XeTeX or LuaTeX.", ErrorKind.CONFLICT),
        failed("Emergency stop.", ErrorKind.CONFLICT, context="\\RequireXeTeX"),
        failed("LaTeX Error: Unicode character X (U+4E2D) not set up for use with LaTeX."),
    ],
)
def test_what_needs_another_engine_gets_it_at_once(rendering: Rendering) -> None:
    repaired = repair(tikz_document(DOCUMENT), rendering)
    assert repaired is not None
    assert repaired.document.engine is LatexEngine.LUALATEX
    assert (repaired.repair.kind, repaired.repair.detail) == (RepairKind.USE_ENGINE, "lualatex")


def engines_until_the_end(lines: list[int]) -> list[LatexEngine]:
    document, past, used = tikz_document(DOCUMENT), list[Repair](), []
    while True:
        used.append(document.engine)
        line = lines[ENGINES.index(document.engine)]
        repaired = repair(document, failed("Giving up on this path", ErrorKind.SYNTAX, line), past)
        if repaired is None:
            return used
        document = repaired.document
        past.append(repaired.repair)


@given(st.lists(st.integers(0, 9), min_size=3, max_size=3))
def test_if_all_engines_fail_the_one_with_the_latest_error_counts(lines: list[int]) -> None:
    used = engines_until_the_end(lines)
    assert used[:3] == list(ENGINES)
    assert len(used) <= 4
    assert lines[ENGINES.index(used[-1])] == max(lines)


def test_repairs_with_one_engine_are_bounded() -> None:
    document, past = tikz_document(DOCUMENT), list[Repair]()
    for number in range(100):
        repaired = repair(document, undefined("x", ProviderKind.PACKAGE, f"p{number}"), past)
        if repaired is None:
            break
        document = repaired.document
        past.append(repaired.repair)
    assert len(past) == len(ENGINES) * MAX_REPAIRS + len(ENGINES) - 1


def test_a_picture_and_a_limit_are_not_repaired() -> None:
    for verdict in (Verdict.RENDERED, Verdict.TIME_LIMIT, Verdict.NO_OUTPUT):
        assert repair(tikz_document(DOCUMENT), Rendering(verdict)) is None
