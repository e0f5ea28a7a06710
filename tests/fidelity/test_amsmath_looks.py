r"""Every environment, command and symbol of amsmath and amssymb looks the same behind both preambles.

Beside this list, ``tests/support/plain_look.py`` compares every display of TeX files that are named to it.
"""

import gzip
import os
from pathlib import Path

import pytest

from amsmath_snippets import snippets, symbol_pages
from plain_look import displays, looks

pytestmark = [pytest.mark.fidelity, pytest.mark.integration]

SNIPPETS = snippets()
#: Where Debian's texlive-latex-base-doc (85 MB) puts the files, or where one has unpacked it.
FILES = Path(os.environ.get("I2S_AMSMATH_FILES", "/usr/share/doc/texlive-doc/latex/amsmath"))
#: amsmath's own test files and its manual, with how many displays are in each.
DISPLAYS = {"testmath": 137, "subeqn": 13, "technote": 3, "amsldoc": 40}


@pytest.fixture(scope="module")
def found():
    """All snippets, set by one run behind each preamble."""
    return dict(zip(SNIPPETS, looks(list(SNIPPETS.values())), strict=True))


@pytest.mark.parametrize("name", SNIPPETS)
def test_an_environment_or_command_looks_the_same_behind_both_preambles(found, name):
    assert not found[name].is_blank
    assert found[name].same


@pytest.mark.parametrize("name", DISPLAYS)
def test_every_display_of_the_files_of_amsmath_looks_the_same_behind_both_preambles(name):
    file = FILES / f"{name}.tex.gz"
    if not file.exists():
        pytest.skip("NOT TESTED: the files of amsmath are in the package texlive-latex-base-doc")
    definitions, formulas = displays(gzip.decompress(file.read_bytes()).decode("utf-8", "replace"))
    assert len(formulas) == DISPLAYS[name]
    assert [look.snippet for look in looks(formulas, definitions, halt=False) if not look.same] == []


def test_a_display_that_ends_outside_of_a_quotation_is_none():
    quoted = r"""\begin{verbatim}
! \begin{equation}?
\end{verbatim}
\begin{equation} x \end{equation} \[ y \]"""
    assert displays(quoted)[1] == [r"\[ y \]"]


def test_symbols_look_the_same_behind_both_preambles():
    pages = list(symbol_pages())
    assert sum(page.count("$a") for page in pages) > 350
    assert [look.snippet for look in looks(pages) if look.is_blank or not look.same] == []


def test_fadings_look_the_same_behind_both_preambles():
    pages = [
        r"\tikz\fill[blue,path fading=east] (0,0) rectangle (3,1);",
        r"\tikz\node[circular drop shadow,fill=yellow,circle]{A}; b \tikz\node[circular glow,fill=white]{C};",
        r"\begin{tikzpicture}\begin{scope}[scope fading=south]"
        r"\fill (0,0) rectangle (2,2);\end{scope}\end{tikzpicture}",
        r"\tikzfading[name=east,left color=transparent!100]"
        r"\tikz\fill[path fading=east] (0,0) rectangle (2,1);",
    ]
    found = looks(pages, r"\usepackage{tikz}\usetikzlibrary{shadows,fadings}")
    assert [one.snippet for one in found if one.is_blank or not one.same] == []


def test_a_difference_is_seen():
    one, other = looks([r"\[ x \]", r"\[ \ifdefined\mathtoolsset x \else x\, \fi y \]"])
    assert one.same
    assert not other.same


def test_displays_and_definitions_are_taken_out_of_a_document():
    definitions, formulas = displays(
        r"""\documentclass{article}
\newcommand{\set}[1]{\{
  #1\}}
\let\all=\forall
\begin{document} % \[ left out \]
\[ \set{x} \] text \begin{align*} a &= \begin{split} b \end{split} \end{align*} \[ \set{x} \]
\end{document}"""
    )
    assert definitions == "\\newcommand{\\set}[1]{\\{\n  #1\\}}\n\\let\\all=\\forall"
    assert formulas == [r"\[ \set{x} \]", r"\begin{align*} a &= \begin{split} b \end{split} \end{align*}"]
