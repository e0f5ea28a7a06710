import pytest

from i2s_render_latex.texindex.keys import key_name, keys
from i2s_render_latex.texindex.source import clean


def names(text: str) -> set[str]:
    return {definition.name for definition in keys(clean(text))}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (r"\tikzset{on grid/.is if=x}", "on grid"),
        ("\\tikzset{\n  pics/angle/.style = {\n x }}", "pics/angle"),
        (r"\pgfkeys{/tikz/fit/.code={x}}", "fit"),
        (r"\pgfplotsset{boxplot/.code={x}}", "boxplot"),
        (r"\pgfqkeys{/pgfplots}{a/.style={x}, use units/.is choice}", "use units"),
        (r"\pgfkeysdef{/tikz/foo bar}{x}", "foo bar"),
        (r"\tikzoption{canvas is xy plane at z}[]{x}", "canvas is xy plane at z"),
        (r"\pgfdeclareshape{diamond}{x}", "diamond"),
        (r"\pgfdeclarearrow{ name = Stealth, defaults = {x} }", "Stealth"),
        (r"\pgfkeys{/pgf/arrow keys/.cd, Triangle /.tip = {Stealth}}", "Triangle"),
        (r"\pgfarrowsdeclare{triangle 45}{triangle 45}{a}{b}", "triangle 45"),
        (r"\pgfarrowsdeclarereversed{x}{y}{a}{b}", "y"),
        (r"\pgfdeclaredecoration{brace}{initial}{x}", "brace"),
        (r"\pgfdeclarepatternformonly{dots}{a}{b}{c}{d}", "dots"),
        (r"\pgfdeclarepatternformonly[\a]{north east lines}{a}{b}{c}{d}", "north east lines"),
        (r"\pgfdeclarepattern{name=Lines,type=uncolored}", "Lines"),
        (r"\pgfdeclarelayer{background}", "background"),
        (r"\pgfdeclarehorizontalshading{rainbow}{1cm}{x}", "rainbow"),
        (r"\pgfplotsdeclarepatchclass{bilinear}{x}", "bilinear"),
        (r"\tikzdeclarecoordinatesystem{pic}{x}", "pic"),
    ],
)
def test_every_form_of_declaration_is_seen(text: str, name: str) -> None:
    assert name in names(text)


@pytest.mark.parametrize(
    "text",
    [
        r"\tikzset{foo/.try, bar/.append style={x}, /foo/baz/.cd}",
        r"\tikzset{foo=bar}",
        r"\pgfkeys{/mykeys/foo/.style={x}}",
        r"\pgfdeclareshape{#1}{x}",
    ],
)
def test_uses_and_keys_of_others_are_not_seen(text: str) -> None:
    assert names(text) == set()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/tikz/on grid", "on grid"),
        ("/pgfplots/boxplot/median", "boxplot/median"),
        ("/pgf/decoration/amplitude", "decoration/amplitude"),
        ("on  grid", "on grid"),
        ("/tcb/enhanced", None),
        ("", None),
    ],
)
def test_keys_are_named_below_their_root(path: str, name: str | None) -> None:
    assert key_name(path) == name
