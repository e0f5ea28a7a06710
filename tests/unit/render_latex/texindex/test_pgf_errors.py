"""The messages are those of pgf 3.1.9a and pgfplots 1.18 in the log of pdfLaTeX."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_render_latex.texindex import pgf_undefined

NAMED = [
    ("Package PGF Math Error: Unknown function `of' (in 'of a').", "positioning"),
    ("Package PGF Math Error: Unknown operator `o' or `of' (in '1cm of a').", "positioning"),
    ("Package PGF Math Error: Unknown operator `a' or `an' (in '1cm and 2cm of a').", "positioning"),
    (
        "Package pgfkeys Error: I do not know the key '/tikz/on grid' and I am going to ignore it. Perhaps"
        " you misspelled it.",
        "/tikz/on grid",
    ),
    (
        "Package pgfkeys Error: I do not know the key '/tikz/name path', to which you passed 'A', and I am"
        " going to ignore it. Perhaps you misspelled it.",
        "/tikz/name path",
    ),
    ("Package pgfkeys Error: I do not know the key '/tikz/\"x\"' and I am going to ignore it.", "quotes"),
    ("Package pgfkeys Error: I do not know the key '/tikz/\"$x$\"' and I am going to ignore it.", "quotes"),
    (
        "Package pgfkeys Error: I do not know the key '/tikz/pics/angle', to which you passed 'a--b--c', and",
        "/tikz/pics/angle",
    ),
    (
        "Package pgfkeys Error: I do not know the key '/tikz/decoration', to which you passed"
        " 'brace,amplitude=5pt', and I am going to ignore it.",
        "brace",
    ),
    (
        "Package pgfkeys Error: I do not know the key '/tikz/decoration', to which you passed 'name=brace',"
        " and I am going to ignore it.",
        "brace",
    ),
    ("Package tikz Error: Unknown shape ``star.'' Using ``rectangle'' instead.", "star"),
    ("Package pgf Error: Unknown arrow tip kind 'Straight Barb'.", "Straight Barb"),
    (r"Package tikz Error: You need to say \usetikzlibrary{calc} for coordinate calculation.", "calc"),
    (r"Package tikz Error: You need to say \usetikzlibrary{patterns}.", "patterns"),
    (
        r"Package pgf Error: You need to say \usetikzlibrary{bending} for flexing and bending arrows.",
        "bending",
    ),
    (
        r"Package tikz Error: You need to say \usetikzlibrary{svg.path} to use the svg path command.",
        "svg.path",
    ),
    (
        r"Package pgfplots Error: 'name path' is undefined. Please load \usetikzlibrary{intersections} or"
        r" \usepgfplotslibrary{fillbetween}.",
        "fillbetween",
    ),
    (
        r"Package pgfplots Error: Please load \usepgfplotslibrary{fillbetween} in order to use `\addplot"
        " fill between'..",
        "fillbetween",
    ),
    (
        "Package pgfplots Error: Sorry, the 'patch type=bilinear' is not defined. Maybe you misspelled it?"
        r" Or perhaps you need to load \usepgfplotslibrary{patchplots}?.",
        "patchplots",
    ),
    ("Package pgf Error: Sorry, the requested layer 'background' could not be found.", "background"),
    ("Package tikz Error: Unknown coordinate system 'pic'.", "pic"),
    ("Package pgf Error: Undefined fading 'west'.", "west"),
    ('Package pgf Error: Undefined shading "color wheel".', "color wheel"),
    ("Package pgfplots Error: Sorry, there is no such cycle list named Set1. Maybe you", "cycle list/Set1"),
    ("Package tikz Error: I did not find the tikz library 'nolib'. I looked for files named", "nolib"),
    ("Package tikz Error: You need to load a decoration library.", "decoration"),
]

OTHER = [
    "",
    "Undefined control sequence.",
    "LaTeX Error: Environment groupplot undefined.",
    "Package xcolor Error: Undefined color `Maroon'.",
    "Package pgf Error: No shape named `a' is known.",
    "Package pgf Error: Unknown arrow tip kind '-'.",
    "Package PGF Math Error: Unknown function `foo' (in 'foo').",
    "Package pgfkeys Error: Choice 'foo' unknown in choice key '/pgfplots/grid'. I am going to",
    "Package pgfplots Error: Sorry, 'compat=9.99' is unknown in this context.",
    "Package babel Error: You need to say \\usetikzlibrary{calc}.",
]


@pytest.mark.parametrize(("message", "name"), NAMED)
def test_messages_about_something_undefined_give_its_name(message: str, name: str) -> None:
    assert pgf_undefined(message) == name
    assert pgf_undefined(f"! {message}\n\nSee the tikz package documentation for explanation.") == name


@pytest.mark.parametrize("message", OTHER)
def test_other_messages_give_none(message: str) -> None:
    assert pgf_undefined(message) is None


def test_lines_that_tex_broke_at_the_width_of_the_log_are_joined() -> None:
    message = (
        "! Package pgfkeys Error: I do not know the key '/tikz/edge from parent fork dow\n"
        "n' and I am going to ignore it. Perhaps you misspelled it.\n"
    )
    assert pgf_undefined(message) == "/tikz/edge from parent fork down"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (r"l.5 \draw[decorate,decoration={brace}]", "brace"),
        (r"l.5 \draw[decorate,decoration={coil,aspect=0}]", "coil"),
        (r"l.5 \draw[decorate,decoration=zigzag]", "zigzag"),
        (r"l.5 ...coration={random steps,segment length=2pt}]", "random steps"),
        (r"l.5 \draw[my style]", "decoration"),
    ],
)
def test_a_missing_decoration_is_named_by_the_line_of_the_source(line: str, name: str) -> None:
    message = (
        "! Package tikz Error: You need to load a decoration library.\n\n"
        "See the tikz package documentation for explanation.\nType  H <return>  for immediate help.\n"
        f" ...                                              \n\n{line}\n      (0,0)--(1,1); \n"
    )
    assert pgf_undefined(message) == name


@given(st.text())
def test_no_message_makes_it_fail(text: str) -> None:
    pgf_undefined(text)
    pgf_undefined(f"Package pgfkeys Error: {text}")
    pgf_undefined(f"Package tikz Error: You need to load a decoration library.{text}")
