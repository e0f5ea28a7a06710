"""The index of the TeX tree of this machine, and TeX itself as the judge of what it says."""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from i2s_render_latex.state import (
    SHARED_INDEX,
    index_file,
    index_for_service,
    open_index,
    prepare_folder,
    state_folder,
)
from i2s_render_latex.texindex import (
    TexIndex,
    build_index,
    current_digest,
    load_command,
    pgf_undefined,
    tree_roots,
)
from i2s_render_latex.texindex.records import shipped_records
from i2s_wire.render.source_error import Provider, ProviderKind
from repetitions import some

pytestmark = pytest.mark.integration

#: Name -> packages that may come first; a library has its kind before it.
COMMANDS = {
    "toprule": "booktabs",
    "midrule": "booktabs",
    "cmidrule": "booktabs",
    "addlinespace": "booktabs",
    "multirow": "multirow",
    "mathbb": "amssymb amsfonts",
    "mathfrak": "amssymb amsfonts",
    "mathscr": "mathrsfs",
    "SI": "siunitx",
    "si": "siunitx",
    "num": "siunitx",
    "qty": "siunitx",
    "ang": "siunitx",
    "cancel": "cancel",
    "bm": "bm",
    "boldsymbol": "amsmath",
    "text": "amsmath",
    "dfrac": "amsmath",
    "operatorname": "amsmath",
    "eqref": "amsmath",
    "iint": "amsmath",
    "xrightarrow": "amsmath",
    "DeclareMathOperator": "amsmath",
    "coloneqq": "mathtools",
    "mathclap": "mathtools",
    "prescript": "mathtools",
    "lesssim": "amssymb",
    "therefore": "amssymb",
    "varnothing": "amssymb",
    "checkmark": "amssymb amsfonts",
    "leqslant": "amssymb",
    "blacksquare": "amssymb",
    "theoremstyle": "amsthm",
    "llbracket": "stmaryrd",
    "upmu": "upgreek",
    "oiint": "esint wasysym",
    "ding": "pifont",
    "degree": "gensymb siunitx",
    "euro": "eurosym",
    "permil": "wasysym",
    "dv": "physics",
    "pdv": "physics",
    "ket": "braket physics",
    "ce": "mhchem",
    "chemfig": "chemfig",
    "includegraphics": "graphicx",
    "resizebox": "graphicx",
    "textcolor": "xcolor",
    "definecolor": "xcolor",
    "rowcolor": "colortbl",
    "cellcolor": "colortbl",
    "columncolor": "colortbl",
    "makecell": "makecell",
    "thead": "makecell",
    "hdashline": "arydshln",
    "diagbox": "diagbox",
    "FloatBarrier": "placeins",
    "citep": "natbib",
    "cref": "cleveref",
    "enquote": "csquotes",
    "href": "hyperref",
    "url": "url hyperref",
    "lipsum": "lipsum",
    "linenumbers": "lineno",
    "adjustbox": "adjustbox",
    "captionsetup": "caption",
    "subfloat": "subfig",
    "setlist": "enumitem",
    "lstset": "listings",
    "lstinline": "listings",
    "onehalfspacing": "setspace",
    "draw": "tikz",
    "node": "tikz",
    "tikzset": "tikz",
    "usetikzlibrary": "tikz",
    "foreach": "tikz pgffor",
    "tdplotsetmaincoords": "tikz-3dplot",
    "feynmandiagram": "tikz-feynman",
    "addplot": "pgfplots",
    "pgfplotsset": "pgfplots",
    "nextgroupplot": "pgfplots:groupplots",
    "tikzmath": "tikz:math",
    "spy": "tikz:spy",
    "SetKwInput": "algorithm2e",
    "SetKwFunction": "algorithm2e",
    "KwData": "algorithm2e",
    "DontPrintSemicolon": "algorithm2e",
    "State": "algpseudocode",
    "For": "algpseudocode",
    "EndFor": "algpseudocode",
    "Require": "algpseudocode",
    "Procedure": "algpseudocode",
    "STATE": "algorithmic",
    "FOR": "algorithmic",
    "uline": "ulem",
    "sout": "ulem",
    "hl": "soul",
}
ENVIRONMENTS = {
    "align": "amsmath",
    "align*": "amsmath",
    "gather": "amsmath",
    "bmatrix": "amsmath",
    "dcases": "mathtools",
    "proof": "amsthm",
    "subfigure": "subcaption",
    "subtable": "subcaption",
    "lstlisting": "listings",
    "tabularx": "tabularx",
    "longtable": "longtable",
    "xltabular": "xltabular",
    "tblr": "tabularray",
    "threeparttable": "threeparttable",
    "tablenotes": "threeparttable",
    "NiceTabular": "nicematrix",
    "tcolorbox": "tcolorbox",
    "mdframed": "mdframed",
    "wrapfigure": "wrapfig",
    "sidewaystable": "rotating",
    "adjustbox": "adjustbox",
    "landscape": "pdflscape lscape",
    "multicols": "multicol",
    "Verbatim": "fancyvrb",
    "spacing": "setspace",
    "algorithm": "algorithm",
    "algorithmic": "algpseudocode",
    "tikzpicture": "tikz",
    "tikzcd": "tikz-cd",
    "circuitikz": "circuitikz",
    "forest": "forest",
    "prooftree": "bussproofs ebproof",
    "dependency": "tikz-dependency",
    "axis": "pgfplots",
    "groupplot": "pgfplots:groupplots",
    "polaraxis": "pgfplots:polar",
    "ternaryaxis": "pgfplots:ternary",
    "smithchart": "pgfplots:smithchart",
}
#: Inside a tikzpicture: what needs a library -> the libraries that may come first.
PICTURES = {
    r"\node (a) {a}; \node[right=of a] {b};": "tikz:positioning",
    r"\node (a) {a}; \node[below right=1cm and 2cm of a] {b};": "tikz:positioning",
    r"\node[on grid] {b};": "tikz:positioning",
    r"\node[diamond,draw] {b};": "tikz:shapes.geometric",
    r"\node[draw, ellipse] {b};": "tikz:shapes.geometric",
    r"\node[draw, shape=star] {b};": "tikz:shapes.geometric",
    r"\node[draw, cloud] {b};": "tikz:shapes.symbols",
    r"\node[draw, rectangle split, rectangle split parts=2] {b};": "tikz:shapes.multipart",
    r"\node[draw, rounded rectangle] {b};": "tikz:shapes.misc",
    r"\node[draw, rectangle callout] {b};": "tikz:shapes.callouts",
    r"\draw[-{Stealth}] (0,0)--(1,1);": "tikz:arrows.meta",
    r"\draw[-{Latex[length=3mm]}] (0,0)--(1,1);": "tikz:arrows.meta",
    r"\draw[{Bar}-{Triangle}] (0,0)--(1,1);": "tikz:arrows.meta",
    r"\draw[-triangle 45] (0,0)--(1,1);": "tikz:arrows",
    r"\coordinate (a) at (0,0); \coordinate (b) at (1,1); \draw (0,0) -- ($(a)+(b)$);": "tikz:calc",
    r"\draw let \p1=(1,1) in (0,0) -- (\x1,\y1);": "tikz:calc",
    r"\node (a) {a}; \node[fit=(a)] {};": "tikz:fit",
    r"\begin{scope}[on background layer]\draw (0,0)--(1,1);\end{scope}": "tikz:backgrounds",
    r"\draw[name path=A] (0,0)--(1,1);": "tikz:intersections",
    r"\draw[decorate,decoration={brace,amplitude=5pt}] (0,0)--(1,1);": "tikz:decorations.pathreplacing",
    r"\draw[decorate,decoration={snake}] (0,0)--(1,1);": "tikz:decorations.pathmorphing",
    r"\draw[decoration=zigzag,decorate] (0,0)--(1,1);": "tikz:decorations.pathmorphing",
    r"\draw[decorate,decoration={text along path,text={abc}}] (0,0)--(3,1);": "tikz:decorations.text",
    r"\draw[decoration={markings,mark=at position .5 with {\arrow{>}}},decorate] (0,0)--(1,1);": (
        "tikz:decorations.markings"
    ),
    r"\draw[pattern=north east lines] (0,0) rectangle (1,1);": "tikz:patterns",
    r"\matrix[matrix of math nodes] {a \\};": "tikz:matrix",
    r"\node[state,initial] {a};": "tikz:automata",
    r"\path[mindmap,concept color=black] node[concept] {a};": "tikz:mindmap",
    r"\node {a} [grow cyclic] child {node {b}};": "tikz:trees",
    r"\node[place,tokens=1] {};": "tikz:petri",
    r"\node[draw,fill=white,drop shadow] {a};": "tikz:shadows",
    r"\begin{scope}[start chain]\node[on chain] {a};\end{scope}": "tikz:chains",
    r'\draw (0,0) edge["x"] (1,1);': "tikz:quotes",
    r"\node (a) {}; \node (b) at (1,0) {}; \node (c) at (1,1) {}; \pic[draw] {angle=a--b--c};": "tikz:angles",
    r"\begin{scope}[canvas is xy plane at z=0]\draw (0,0)--(1,1);\end{scope}": "tikz:3d",
    r"\node (a) at (1,1) {a}; \node[circle through=(a)] {};": "tikz:through",
    r"\draw (0,0) to[R] (2,0);": "circuitikz",
}
#: Inside an axis or an image of pgfplots.
PLOTS = {
    r"\begin{axis}\addplot[name path=A]{x};\addplot[name path=B]{1};\addplot fill between[of=A and B];"
    r"\end{axis}": "pgfplots:fillbetween",
    r"\begin{groupplot}[group style={group size=1 by 1}]\nextgroupplot\addplot{x};\end{groupplot}": (
        "pgfplots:groupplots"
    ),
    r"\begin{axis}\addplot[boxplot] table[y index=0,row sep=\\] {1\\2\\3\\};"
    r"\end{axis}": "pgfplots:statistics",
    r"\begin{polaraxis}\addplot{x};\end{polaraxis}": "pgfplots:polar",
    r"\begin{ternaryaxis}\addplot3 coordinates{(1,0,0) (0,1,0)};\end{ternaryaxis}": "pgfplots:ternary",
    r"\begin{axis}[colormap/Blues]\addplot{x};\end{axis}": "pgfplots:colorbrewer",
    r"\begin{axis}[cycle list/Set1]\addplot{x};\end{axis}": "pgfplots:colorbrewer",
    r"\begin{axis}[date coordinates in=x]\addplot coordinates{(2000-01-01,1) (2000-01-02,2)};\end{axis}": (
        "pgfplots:dateplot"
    ),
    r"\begin{axis}[x unit=m, use units]\addplot{x};\end{axis}": "pgfplots:units",
    r"\begin{axis}\addplot[-Stealth]{x};\end{axis}": "tikz:arrows.meta",
    r"\begin{axis}[ybar]\addplot[pattern=north east lines] coordinates{(0,1)};\end{axis}": "tikz:patterns",
}
#: Bodies of documents without any package.
BODIES = {
    r"\begin{tabular}{c}\toprule a\\\bottomrule\end{tabular}": "booktabs",
    r"\begin{tabular}{cc}\multirow{2}{*}{a}&b\\&c\end{tabular}": "multirow",
    r"\begin{tabularx}{3cm}{X}a\end{tabularx}": "tabularx",
    r"\begin{tcolorbox}a\end{tcolorbox}": "tcolorbox",
    r"$\mathbb{R}$": "amssymb",
    r"$\mathscr{R}$": "mathrsfs",
    r"\SI{1}{\metre}": "siunitx",
    r"$\cancel{x}$": "cancel",
    r"$\bm{x}$": "bm",
    r"\begin{figure}\begin{subfigure}{3cm}a\caption{b}\end{subfigure}\end{figure}": "subcaption",
    "\\begin{lstlisting}\nint a;\n\\end{lstlisting}": "listings",
    r"\begin{tikzcd}A\arrow[r]&B\end{tikzcd}": "tikz-cd",
    r"\begin{circuitikz}\draw (0,0) to[R] (2,0);\end{circuitikz}": "circuitikz",
    r"\chemfig{A-B}": "chemfig",
    r"\SetKwInput{In}{In}\begin{algorithm}\In{a}\end{algorithm}": "algorithm2e",
    r"\begin{algorithmic}\State a\For{b}\State c\EndFor\end{algorithmic}": "algpseudocode",
    r"\begin{forest}[a[b][c]]\end{forest}": "forest",
    r"\begin{align*}a&=b\end{align*}": "amsmath",
    r"$\llbracket x\rrbracket$": "stmaryrd",
    r"\ce{H2O}": "mhchem",
    r"\textcolor{red}{a}": "xcolor",
    r"\href{http://a}{b}": "hyperref",
    r"$\coloneqq$": "mathtools",
    r"\begin{tabular}{c}\makecell{a\\b}\end{tabular}": "makecell",
    r"\begin{tabular}{c}\cellcolor{red}a\end{tabular}": "colortbl",
    r"\begin{threeparttable}\begin{tabular}{c}a\end{tabular}\end{threeparttable}": "threeparttable",
    r"\begin{tblr}{cc}a&b\end{tblr}": "tabularray",
    r"$\dv{f}{x}$": "physics",
    r"\begin{proof}a\end{proof}": "amsthm",
    r"\begin{sidewaystable}a\end{sidewaystable}": "rotating",
    r"\begin{prooftree}\AxiomC{a}\UnaryInfC{b}\end{prooftree}": "bussproofs",
    r"\enquote{a}": "csquotes",
    r"\lipsum[1]": "lipsum",
}
_KINDS = {"tikz": ProviderKind.TIKZ_LIBRARY, "pgfplots": ProviderKind.PGFPLOTS_LIBRARY}
_ROUNDS = 4


@pytest.fixture(scope="session")
def kept() -> Path:
    """The index that services of this machine use: of this tree, made by this code, now if need be."""
    prepare_folder(folder := state_folder(None))
    asyncio.run(index_for_service(folder, SHARED_INDEX)).close()
    of_own = open_index(folder)
    return SHARED_INDEX if of_own is None else index_file(folder)


@pytest.fixture(scope="session")
def index(kept: Path) -> TexIndex:
    return TexIndex.load(kept)


def acceptable(text: str) -> set[Provider]:
    providers = set()
    for one in text.split():
        kind, colon, name = one.partition(":")
        providers.add(Provider(_KINDS[kind], name) if colon else Provider(ProviderKind.PACKAGE, one))
    return providers


@pytest.mark.parametrize(("name", "expected"), COMMANDS.items())
def test_the_first_provider_of_a_command_is_what_people_mean(
    index: TexIndex, name: str, expected: str
) -> None:
    assert index.providers_of_command(name)[0] in acceptable(expected)


@pytest.mark.parametrize(("name", "expected"), ENVIRONMENTS.items())
def test_the_first_provider_of_an_environment_is_what_people_mean(
    index: TexIndex, name: str, expected: str
) -> None:
    assert index.providers_of_environment(name)[0] in acceptable(expected)


def test_names_of_the_kernel_and_of_packages_that_are_not_installed_have_no_provider(index: TexIndex) -> None:
    for name in ("hline", "section", "frac", "alpha", "textbf", "hbox", "nosuchcommand"):
        assert index.providers_of_command(name) == ()
    for name in ("tabular", "itemize", "equation", "nosuchenvironment"):
        assert index.providers_of_environment(name) == ()


def test_packages_for_other_engines_are_never_offered(index: TexIndex) -> None:
    for name in ("setmainfont", "setmathfont", "directlua", "setCJKmainfont"):
        assert index.providers_of_command(name) == ()


def test_installed_files_are_known_and_missing_ones_suggest(index: TexIndex) -> None:
    assert index.providers_of_file("booktabs.sty")[0] == Provider(ProviderKind.PACKAGE, "booktabs")
    assert index.providers_of_file("tikzcd.sty")[0] == Provider(ProviderKind.PACKAGE, "tikz-cd")
    assert index.providers_of_file("positioning.sty")[0] == Provider(ProviderKind.TIKZ_LIBRARY, "positioning")
    assert index.providers_of_file("nosuchpackageatall.sty") == ()


def test_the_index_is_current_and_opens_at_once(kept: Path) -> None:
    started = time.thread_time()  # of this thread's work, whatever else the machine does
    index = TexIndex.load(kept)
    assert index.providers_of_command("toprule")
    assert time.thread_time() - started < 0.05
    assert index.digest == current_digest(tree_roots())


def rows(index: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(f"{index.as_uri()}?mode=ro", uri=True) as connection:
        return connection.execute("SELECT * FROM names").fetchall()


def test_packages_that_are_tried_anew_show_what_was_remembered(kept: Path, tmp_path: Path) -> None:
    trials = shipped_records()
    forgotten = set(sorted(trials)[::40])
    remembered = {name: shown for name, shown in trials.items() if name not in forgotten}
    assert build_index(tree_roots(), tmp_path / "index", remembered=remembered).tried
    assert rows(tmp_path / "index") == rows(kept)


def compiled(folder: Path, loading: list[str], body: str) -> str | None:
    """Compile a document; return its first error with what follows, or None where there is none."""
    source = "\n".join(
        [r"\documentclass{article}", *loading, r"\begin{document}", body, r"\end{document}", ""]
    )
    (folder / "document.tex").write_text(source)
    subprocess.run(
        ["pdflatex", "-no-shell-escape", "-interaction=batchmode", "-halt-on-error", "document.tex"],
        cwd=folder,
        env={**os.environ, "max_print_line": "1000"},
        capture_output=True,
        check=False,
        timeout=120,
    )
    log = (folder / "document.log").read_text("latin-1")
    error = re.search(r"^!.*?(?=^Here is how much|\Z)", log, re.MULTILINE | re.DOTALL)
    return error[0] if error else None


def asked(index: TexIndex, error: str) -> tuple[Provider, ...]:
    """Ask the index for what an error says is undefined."""
    environment = re.search(r"LaTeX Error: Environment (\S+) undefined", error)
    if environment:
        return index.providers_of_environment(environment[1])
    if "Undefined control sequence" in error:
        shown = re.search(r"^(?:l\.\d+|<[a-z ]+>) .*\\([A-Za-z]+)\s*$", error, re.MULTILINE)
        assert shown, error
        return index.providers_of_command(shown[1])
    key = pgf_undefined(error)
    assert key, error
    return index.providers_of_key(key)


def repaired(index: TexIndex, folder: Path, loading: list[str], body: str) -> list[Provider]:
    """Inject first providers until the document compiles; return them in order."""
    injected: list[Provider] = []
    for _ in range(_ROUNDS):
        error = compiled(folder, loading + [load_command(provider) for provider in injected], body)
        if error is None:
            return injected
        providers = [provider for provider in asked(index, error) if provider not in injected]
        assert providers, f"nothing more to try after {injected}: {error}"
        injected.append(providers[0])
    raise AssertionError(f"still broken after {injected}: {error}")


@pytest.mark.parametrize(("body", "expected"), some(BODIES.items(), one_in=3, instead="every third one"))
def test_injecting_the_first_provider_makes_tex_content(
    index: TexIndex, tmp_path: Path, body: str, expected: str
) -> None:
    injected = repaired(index, tmp_path, [], body)
    assert injected[0] in acceptable(expected)


@pytest.mark.parametrize(("body", "expected"), some(PICTURES.items(), one_in=3, instead="every third one"))
def test_errors_of_tikz_lead_to_the_library(
    index: TexIndex, tmp_path: Path, body: str, expected: str
) -> None:
    picture = f"\\begin{{tikzpicture}}\n{body}\n\\end{{tikzpicture}}"
    injected = repaired(index, tmp_path, [r"\usepackage{tikz}"], picture)
    assert injected[0] in acceptable(expected)


@pytest.mark.parametrize(("body", "expected"), some(PLOTS.items(), one_in=3, instead="every third one"))
def test_errors_of_pgfplots_lead_to_the_library(
    index: TexIndex, tmp_path: Path, body: str, expected: str
) -> None:
    picture = f"\\begin{{tikzpicture}}\n{body}\n\\end{{tikzpicture}}"
    injected = repaired(index, tmp_path, [r"\usepackage{pgfplots}"], picture)
    assert injected[0] in acceptable(expected)
