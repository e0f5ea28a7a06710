"""A cut that needs a package gets it if its paper loads it, and no other one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from i2s_collect.candidates import Piece
from i2s_collect.rendering import MAX_LOADS, PACKAGES, with_load
from i2s_collect.tex.cutting import cut_paper
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind, SourceError, Undefined

PACKAGE, LIBRARY = ProviderKind.PACKAGE, ProviderKind.TIKZ_LIBRARY
EQUATION = "\\begin{equation}\n  \\vek{x}\n\\end{equation}"


def piece_of(preamble: str, **files: str) -> Piece:
    root = f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n{EQUATION}\n\\end{{document}}\n"
    members = {"main.tex": root.encode(), **{f"{name}.sty": text.encode() for name, text in files.items()}}
    (found,) = cut_paper(members)
    assert isinstance(found, Piece)
    return found


def lacking(*providers: Provider) -> Rendering:
    error = SourceError(
        "Undefined control sequence.",
        ErrorKind.UNDEFINED_COMMAND,
        undefined=Undefined("vek", providers),
    )
    return Rendering(Verdict.COMPILE_ERROR, error=error)


@pytest.mark.parametrize(
    ("preamble", "loads"),
    [
        ("\\usepackage{vector}", {Provider(PACKAGE, "vector"): "\\usepackage{vector}"}),
        ("\\usepackage[a,\n b=2]{vector}", {Provider(PACKAGE, "vector"): "\\usepackage[a, b=2]{vector}"}),
        (
            "\\usepackage{one, two}",
            {
                Provider(PACKAGE, "one"): "\\usepackage{one}",
                Provider(PACKAGE, "two"): "\\usepackage{two}",
            },
        ),
        ("\\usetikzlibrary{calc}", {Provider(LIBRARY, "calc"): "\\usetikzlibrary{calc}"}),
        (
            "\\usepgfplotslibrary{polar}",
            {Provider(ProviderKind.PGFPLOTS_LIBRARY, "polar"): "\\usepgfplotslibrary{polar}"},
        ),
        ("\\usepackage[style=\\mystyle]{vector}", {}),
        ("% \\usepackage{vector}", {}),
        ("\\usepackage{../../vector}", {}),
        ("\\usepackage{vec\\tor}", {}),
        (
            "\\usepackage[a]{vector}\\usepackage[b]{vector}",
            {Provider(PACKAGE, "vector"): "\\usepackage[a]{vector}"},
        ),
    ],
)
def test_the_packages_and_libraries_of_a_paper_are_known(preamble: str, loads: dict[Provider, str]) -> None:
    assert piece_of(preamble).loads == loads


def test_packages_of_a_package_in_the_archive_count_too() -> None:
    found = piece_of("\\usepackage{mine}", mine="\\RequirePackage{vector}")
    assert Provider(PACKAGE, "vector") in found.loads


def test_the_best_provider_that_the_paper_loads_is_put_before_the_cut() -> None:
    piece = piece_of("\\usepackage[b]{second}\\usepackage{third}")
    more = with_load(piece, lacking(*(Provider(PACKAGE, name) for name in ("first", "second", "third"))))
    assert more is not None
    assert more.structure.decode() == f"\\usepackage[b]{{second}}\n{EQUATION}"
    assert more.notes[PACKAGES] == ["\\usepackage[b]{second}"]
    assert (more.text, more.length) == (piece.text, piece.length)


def test_nothing_is_loaded_that_the_paper_does_not_load_or_that_does_not_help() -> None:
    piece = piece_of("\\usepackage{vector}")
    assert with_load(piece, lacking(Provider(PACKAGE, "physics"))) is None
    assert with_load(piece, lacking()) is None
    assert with_load(piece, Rendering(Verdict.RENDERED)) is None
    once = with_load(piece, lacking(Provider(PACKAGE, "vector")))
    assert once is not None
    assert with_load(once, lacking(Provider(PACKAGE, "vector"))) is None  # it is there and still lacks it


def test_a_piece_gets_a_bounded_number_of_packages() -> None:
    names = [f"p{number}" for number in range(MAX_LOADS + 2)]
    loads = {Provider(PACKAGE, name): f"\\usepackage{{{name}}}" for name in names}
    piece: Piece | None = replace(piece_of(""), loads=loads)
    taken = 0
    while piece is not None:
        last = piece
        piece = with_load(piece, lacking(*loads))
        taken += piece is not None
    assert taken == MAX_LOADS
    assert len(last.notes[PACKAGES]) == MAX_LOADS
