r"""Every environment, command and symbol of amsmath and amssymb looks the same behind both preambles.

Beside this list, ``tests/support/plain_look.py`` compares every display of TeX files that are named to it.
"""

import pytest
from amsmath_snippets import snippets, symbol_pages
from plain_look import displays, looks

pytestmark = [pytest.mark.fidelity, pytest.mark.integration]

SNIPPETS = snippets()


@pytest.fixture(scope="module")
def found():
    """All snippets, set by one run behind each preamble."""
    return dict(zip(SNIPPETS, looks(list(SNIPPETS.values())), strict=True))


@pytest.mark.parametrize("name", SNIPPETS)
def test_an_environment_or_command_looks_the_same_behind_both_preambles(found, name):
    assert not found[name].is_blank
    assert found[name].same


def test_symbols_look_the_same_behind_both_preambles():
    pages = list(symbol_pages())
    assert sum(page.count("$a") for page in pages) > 350
    assert [one.snippet for one in looks(pages) if one.is_blank or not one.same] == []


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
