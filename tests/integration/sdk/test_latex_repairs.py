"""Repairs of the LaTeX task by the real engine: each gives the image that its author expects."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from i2s_client import RenderClient
from i2s_sdk.settings import Settings
from i2s_sdk.tasks import Attempts, RepairKind, Structure, render_with_repairs
from i2s_sdk.tasks.latex import LatexTask
from i2s_sdk.tasks.latex.document import LatexDocument
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Verdict

pytestmark = pytest.mark.integration

ALIGN = r"\begin{align*} a &= \frac{b}{c} \\ c &= d \end{align*}"
FIGURE = r"\begin{tikzpicture}\draw (0,0) -- (1,1);\end{tikzpicture}"
TABLE = r"\begin{table}\begin{tabular}{ll} a & b \\ \hline c & d \end{tabular}\end{table}"


@pytest.fixture(scope="module")
def client(running: Settings) -> Iterator[RenderClient]:
    with RenderClient(str(running.render_latex)) as client:
        yield client


def attempts(client: RenderClient, code: str, profile: Profile = Profile.PAPER) -> Attempts[LatexDocument]:
    task = LatexTask(profile)
    structure = task.structure_from(f"```latex\n{code}\n```")
    assert isinstance(structure, Structure)
    return render_with_repairs(
        task,
        task.document(structure),
        lambda document: client.render_latex(document.source, page=task.page()),
    )


def in_display(environment: str, body: str, argument: str = "") -> list[tuple[str, RepairKind, str]]:
    inner = f"\\begin{{{environment}}}{argument}{body}\\end{{{environment}}}"
    return [
        (opening + inner + closing, RepairKind.UNNEST_MATH, inner)
        for opening, closing in ((r"\[", r"\]"), ("$$\n", "\n$$"), (r"\begin{equation}", r"\end{equation}"))
    ]


@pytest.mark.parametrize(
    ("code", "kind", "meant"),
    [
        *in_display("align", r"a &= b \\ c &= d"),
        *in_display("gather*", r"a = b \\ c = d"),
        *in_display("multline", r"a \\ + c")[:1],
        *in_display("eqnarray", r"a &=& b \\ c &=& d")[:1],
        *in_display("alignat", r"a &= b \\ c &= d", "{1}")[:1],
        *in_display("equation", "a = b")[:2],
        (r"\[ $a = b$ \]", RepairKind.UNNEST_MATH, r"\[ a = b \]"),
        (
            r"\[ f = \left\{ \begin{align} a &= b \end{align} \right. \]",
            RepairKind.UNNEST_MATH,
            r"\[ f = \left\{ \begin{aligned} a &= b \end{aligned} \right. \]",
        ),
        (f"x\n\n\\[\n{ALIGN}\n\\]\ny", RepairKind.UNNEST_MATH, f"x\n\n{ALIGN}\ny"),
        (ALIGN.replace(r"\\", "\\\\\n\n"), RepairKind.DROP_BLANK_LINES, ALIGN),
        ("\\[ a\n\n = b \\]", RepairKind.DROP_BLANK_LINES, r"\[ a = b \]"),
        ("$$ a\n\n = b $$", RepairKind.DROP_BLANK_LINES, r"\[ a = b \]"),
        (
            "\\begin{multline} a\n\n \\\\ b\\end{multline}",
            RepairKind.DROP_BLANK_LINES,
            r"\begin{multline}a\\b\end{multline}",
        ),
        (r"\[ a &= b \\ c &= d \]", RepairKind.ALIGN_LINES, r"\begin{align} a &= b \\ c &= d \end{align}"),
        (r"$$ a \tag{1} $$", RepairKind.ALLOW_TAG, r"\[ a \tag{1} \]"),
        (r"\begin{tabular}{ll} a & b \hline c & d \end{tabular}", RepairKind.END_ROWS, TABLE[13:-11]),
        (TABLE.removesuffix(r"\end{tabular}\end{table}"), RepairKind.CLOSE_GROUPS, TABLE),
        (TABLE.replace(r"\end{tabular}", ""), RepairKind.CLOSE_GROUPS, TABLE),
        ("# of a & b", RepairKind.ESCAPE_CHARACTER, r"\# of a \& b"),
        (r"$a ≤ α − x₁$ ✓", RepairKind.DECLARE_CHARACTERS, r"$a \leq \alpha - x_1$ $\checkmark$"),
        (
            "$a ≤ b → c ± x² · ³$ and → ± ²",
            RepairKind.DECLARE_CHARACTERS,
            r"$a \leq b \to c \pm x^2 \cdot {}^3$ and \textrightarrow{} \textpm{} \texttwosuperior",
        ),
        (f"\\usetikzlibrary{{external}}\\tikzexternalize\n{FIGURE}", RepairKind.DROP_LIBRARY, FIGURE),
        (
            "\\documentclass{article}\\usepackage{tikz}\n\\usetikzlibrary{calc,external}\n"
            f"\\tikzexternalize[prefix=figs/]\n\\begin{{document}}\n{FIGURE}\n\\end{{document}}",
            RepairKind.DROP_LIBRARY,
            FIGURE,
        ),
    ],
)  # fmt: skip
def test_a_habit_with_one_reading_gives_the_image_that_is_meant(
    client: RenderClient, code: str, kind: RepairKind, meant: str
) -> None:
    mended, expected = attempts(client, code), attempts(client, meant)
    assert mended.last.verdict is Verdict.RENDERED
    assert kind in {repair.kind for repair in mended.repairs}
    assert (expected.last.verdict, expected.repairs) == (Verdict.RENDERED, ())
    assert mended.last.pictures == expected.last.pictures


def test_delimiters_over_two_lines_are_rendered(client: RenderClient) -> None:
    code = r"\begin{align*} a &= \left( \frac{b}{c} \\ &+ d \right) \end{align*}"
    mended = attempts(client, code)
    assert mended.last.verdict is Verdict.RENDERED
    assert [repair.kind for repair in mended.repairs] == [RepairKind.SPLIT_DELIMITERS]


@pytest.mark.parametrize("code", [f"\\[{ALIGN}\\]", "\\[ a\n\nb \\]", r"\[ a & b \]", "$a ≤ b$"])
def test_profile_helm_repairs_none_of_them(client: RenderClient, code: str) -> None:
    result = attempts(client, code, Profile.HELM)
    assert result.last.verdict is Verdict.COMPILE_ERROR
    assert {repair.kind for repair in result.repairs} <= {RepairKind.WRAP_MATH}


@pytest.mark.parametrize(
    "code", [r"\[ \left( a \]", r"\[ \frac{a}{b \]", r"costs $5 \frac{a}{b}", "$a\n\nb$"]
)
def test_a_fault_with_several_readings_stays_one(client: RenderClient, code: str) -> None:
    assert attempts(client, code).last.verdict is Verdict.COMPILE_ERROR
