from pathlib import Path

import pytest

from i2s_render_latex.log import LoggedError
from i2s_render_latex.source_error import LatexDiagnosis, diagnose, source_error
from i2s_render_latex.texindex import TexIndex
from i2s_render_latex.texindex.definitions import Category
from i2s_render_latex.texindex.index import write
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind


def of(message, command="", context=""):
    return diagnose(LoggedError(message, 1, "", context, command))


@pytest.mark.parametrize(
    ("message", "command", "kind", "name"),
    [
        ("Undefined control sequence.", "toprule", ErrorKind.UNDEFINED_COMMAND, "toprule"),
        ("LaTeX Error: Environment tabularx undefined.", "", ErrorKind.UNDEFINED_ENVIRONMENT, "tabularx"),
        ("LaTeX Error: File `foo.sty' not found.", "", ErrorKind.UNDEFINED_FILE, "foo.sty"),
        (
            "Package pdftex.def Error: File `a.png' not found: using draft setting.",
            "",
            ErrorKind.UNDEFINED_FILE,
            "a.png",
        ),
        (
            "Font U/bbm/m/n/10=bbm10 at 10.0pt not loadable: Metric (TFM) file not found.",
            "",
            ErrorKind.UNDEFINED_FILE,
            "bbm10",
        ),
        ("I can't find file `x'.", "", ErrorKind.UNDEFINED_FILE, "x"),
        ("Package xcolor Error: Undefined color `foo'.", "", ErrorKind.UNDEFINED_COLOR, "foo"),
        ("LaTeX Error: Undefined color `foo'.", "", ErrorKind.UNDEFINED_COLOR, "foo"),
        ("I can't find file `pgflibrarypgfplots.foo.code.tex'.", "", ErrorKind.UNDEFINED_KEY, "foo"),
        ("Package pgf Error: Unknown arrow tip kind 'Stealth'.", "", ErrorKind.UNDEFINED_KEY, "Stealth"),
        (
            "Package tikz Error: I did not find the tikz library 'foo'. I looked for",
            "",
            ErrorKind.UNDEFINED_KEY,
            "foo",
        ),
        ("Missing $ inserted.", "", ErrorKind.MISSING_MATH, ""),
        (r"LaTeX Error: \mathrm allowed only in math mode.", "", ErrorKind.MISSING_MATH, ""),
        (r"Package amsmath Error: \bar allowed only in math mode.", "", ErrorKind.MISSING_MATH, ""),
        (r"LaTeX Error: Command \alpha already defined.", "", ErrorKind.ALREADY_DEFINED, ""),
        ("LaTeX Error: Option clash for package xcolor.", "", ErrorKind.CONFLICT, ""),
        ("TeX capacity exceeded, sorry [input stack size=10000].", "", ErrorKind.CAPACITY, ""),
        ("Dimension too large.", "", ErrorKind.CAPACITY, ""),
        ("LaTeX Error: Something's wrong--perhaps a missing \\item.", "", ErrorKind.SYNTAX, ""),
        (r"LaTeX Error: \begin{itemize} on input line 3 ended by \end{enumerate}.", "", ErrorKind.SYNTAX, ""),
        ("Misplaced alignment tab character &.", "", ErrorKind.SYNTAX, ""),
        ("File ended while scanning use of \\frac .", "", ErrorKind.SYNTAX, ""),
        ("Extra }, or forgotten $.", "", ErrorKind.SYNTAX, ""),
        ("Emergency stop.", "", ErrorKind.INPUT_OUTPUT, ""),
        ("I can't write on file `../x.tex'.", "", ErrorKind.INPUT_OUTPUT, ""),
        ("Package foo Error: The moon is full.", "", ErrorKind.OTHER, ""),
    ],
)
def test_error_has_its_kind_and_name(message, command, kind, name):
    assert of(message, command) == LatexDiagnosis(kind, name)


def test_key_of_tikz_is_undefined_as_a_key():
    found = of("Package pgfkeys Error: I do not know the key '/tikz/diamond' and I am going to ignore it.")
    assert found.kind is ErrorKind.UNDEFINED_KEY
    assert found.name.endswith("diamond")


def test_placement_words_are_keys_although_the_maths_parser_complains():
    assert of("Package PGF Math Error: Unknown function `of' (in 'of a').").kind is ErrorKind.UNDEFINED_KEY


def test_an_unknown_node_name_is_no_undefined_key():
    assert of("Package pgf Error: No shape named `b' is known.").kind is ErrorKind.OTHER


@pytest.fixture
def index(tmp_path: Path):
    package = Provider(ProviderKind.PACKAGE, "booktabs")
    library = Provider(ProviderKind.TIKZ_LIBRARY, "shapes.geometric")
    rows = [
        (Category.COMMAND, "toprule", [package]),
        (Category.ENVIRONMENT, "tabularx", [Provider(ProviderKind.PACKAGE, "tabularx")]),
        (Category.KEY, "diamond", [library]),
    ]
    write(tmp_path / "index", "digest", rows)
    opened = TexIndex.load(tmp_path / "index")
    yield opened
    opened.close()


def error(message, command=""):
    return LoggedError(message, 3, "", "context", command)


def test_undefined_command_comes_with_its_package(index):
    found = source_error(error("Undefined control sequence.", "toprule"), index)
    assert found.undefined.name == "toprule"
    assert found.undefined.providers == (Provider(ProviderKind.PACKAGE, "booktabs"),)
    assert (found.kind, found.line, found.context) == (ErrorKind.UNDEFINED_COMMAND, 3, "context")


def test_undefined_environment_comes_with_its_package(index):
    found = source_error(error("LaTeX Error: Environment tabularx undefined."), index)
    assert [provider.name for provider in found.undefined.providers] == ["tabularx"]


def test_undefined_key_comes_with_its_library_and_without_its_root(index):
    message = "Package pgfkeys Error: I do not know the key '/tikz/diamond' and I am going to ignore it."
    found = source_error(error(message), index)
    assert found.undefined.name == "diamond"
    assert found.undefined.providers[0].kind is ProviderKind.TIKZ_LIBRARY


def test_a_name_that_nothing_defines_has_no_providers(index):
    assert source_error(error("Undefined control sequence.", "nonesuch"), index).undefined.providers == ()


def test_an_error_about_nothing_undefined_has_no_name(index):
    assert source_error(error("Missing $ inserted."), index).undefined is None
