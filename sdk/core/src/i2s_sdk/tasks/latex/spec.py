"""The specification of the LaTeX task, with the answers of baselines: lines of words at their places."""

from __future__ import annotations

import unicodedata

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.benchmark import published_tables
from i2s_sdk.tasks.latex.grades import GRADES
from i2s_sdk.tasks.latex.task import LatexTask
from i2s_sdk.tasks.ocr_page import OcrLine, OcrPage, of_one_page
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.spec import IMAGE_AND_ASSETS, STRUCTURE, Size, TaskSpec, text_fault
from i2s_sdk.tasks.structure import Structure

_POINTS_PER_PIXEL = 72.27 / 200  # references are pages at 200 dots per inch
_TEXT_WIDTH = 955  # pixels of a line of the class article
_DESCENT = 0.22  # share of the height of a line's box that is below its base line
_SHORT = 8  # characters; the width of a shorter line's box says more about the box than about the words
_ORDINARY = range(18, 46)  # height in pixels of the box around a line in the size of the class

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "•": r"\textbullet{}",
    "§": r"\S{}",
    "©": r"\textcopyright{}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "ø": r"\o{}",
    "ı": r"\i{}",
    "ł": r"\l{}",
}
_GREEK = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "o", "pi", "rho", "varsigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
]  # fmt: skip
_CAPITALS = {
    "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma",
    "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
_MATHS = {
    **{chr(0x3B1 + index): f"\\{name}" if name != "o" else "o" for index, name in enumerate(_GREEK)},
    **{letter: f"\\{name}" for letter, name in _CAPITALS.items()},
    "±": r"\pm", "×": r"\times", "÷": r"\div", "·": r"\cdot", "−": "-", "∑": r"\sum", "∏": r"\prod",
    "∫": r"\int", "√": r"\surd", "∞": r"\infty", "∂": r"\partial", "∇": r"\nabla", "∈": r"\in",
    "≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "≈": r"\approx", "≡": r"\equiv", "∼": r"\sim", "→": r"\to",
    "←": r"\leftarrow", "⇒": r"\Rightarrow", "↑": r"\uparrow", "↓": r"\downarrow", "∀": r"\forall",
    "∃": r"\exists", "∪": r"\cup", "∩": r"\cap", "⊂": r"\subset", "⊆": r"\subseteq", "∥": r"\parallel",
    "⟨": r"\langle", "⟩": r"\rangle", "°": r"^\circ", "†": r"\dagger", "ℓ": r"\ell", "ℝ": r"\mathbb{R}",
    "✓": r"\surd", "¬": r"\neg", "∧": r"\wedge", "∨": r"\vee", "⊕": r"\oplus", "⊗": r"\otimes",
}  # fmt: skip
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c", "\u0328": "k",
}  # fmt: skip


def as_latex(page: OcrPage) -> str:
    """Return a completion with the lines of a page in an image environment.

    Characters that pdfLaTeX has no glyph for in its standard fonts are left out.
    """
    lines = [line for line in (_put(page, line) for line in page.lines) if line]
    beyond = max(0, page.width - _TEXT_WIDTH)
    start = rf"\noindent\hspace*{{-{beyond // 2}\unitlength}}%" if beyond else r"\noindent"
    code = [
        rf"\setlength{{\unitlength}}{{{_POINTS_PER_PIXEL:.5f}pt}}",
        start,
        rf"\begin{{picture}}({page.width},{page.height})",
        *lines,
        r"\end{picture}",
    ]
    return "```latex\n" + "\n".join(code) + "\n```"


def _put(page: OcrPage, line: OcrLine) -> str:
    text = escape(line.text)
    if not text:
        return ""
    base = page.height - line.bottom + round(_DESCENT * line.height)
    if len(line.text) >= _SHORT or line.height not in _ORDINARY:
        text = rf"\resizebox{{{line.width}\unitlength}}{{!}}{{{text}}}"
    return rf"\put({line.left},{base}){{{text}}}"


def escape(text: str) -> str:
    """Return words as LaTeX that prints them."""
    return " ".join("".join(_escaped(one) for one in text).split())


def _escaped(character: str) -> str:
    if character in _ESCAPED:
        return _ESCAPED[character]
    if character in _MATHS:
        return rf"\ensuremath{{{_MATHS[character]}}}"
    if character.isascii():
        return character if character.isprintable() or character.isspace() else ""
    return _decomposed(character)


def _decomposed(character: str) -> str:
    """Return a character by its parts: a letter with an accent, a raised digit, a ligature."""
    kind = unicodedata.decomposition(character).partition(">")[0]
    parts = unicodedata.normalize("NFKD", character)
    if parts == character:
        return ""
    if len(parts) == 2 and parts[0].isascii() and parts[0].isalpha() and parts[1] in _ACCENTS:
        return rf"\{_ACCENTS[parts[1]]}{{{parts[0]}}}"
    plain = "".join(_escaped(part) for part in parts if part not in _ACCENTS)
    raised = {"<super": "^", "<sub": "_"}.get(kind)
    return rf"\ensuremath{{{raised}{{{plain}}}}}" if raised and plain else plain


def _answer(content: Content, question: Question) -> str:
    return f"```latex\n{(content.structure or '').strip()}\n```"


def _blank(size: Size | None) -> str:
    r"""Return a rectangle that looks white; references have 200 pixels an inch of 72.27 points."""
    width, height = (side * 72.27 / 200 for side in size or (400, 100))
    return f"```latex\n\\noindent\\textcolor[gray]{{0.996}}{{\\rule{{{width:.2f}pt}}{{{height:.2f}pt}}}}\n```"


def _structure_fault(content: Content) -> str:
    if fault := text_fault(content):
        return fault
    if r"\documentclass" in (content.structure or ""):
        return "has a preamble; ground truth of LaTeX is what stands between \\begin{document} and its end"
    return ""


LATEX = TaskSpec(
    name="latex",
    title="Image2LaTeX",
    published_table="A2",
    published=published_tables("i2s_sdk.tasks.latex"),
    main_metric="ems",
    recommended_metric="glyph_f1",
    shown_beside=("edit_normal",),
    hub_name="latex",
    subsets=("equation", "table", "plot", "algorithm"),
    wild_subsets=("wild", "wild_legacy"),
    structure_suffix=".tex",
    language="latex",
    canary=Structure(r"\[ \int_0^1 x^2 \, dx = \frac{1}{3} \]"),
    open=LatexTask,
    answer=_answer,
    structure_fault=_structure_fault,
    inputs=IMAGE_AND_ASSETS,
    target=STRUCTURE,
    mean_of_cells=True,
    blank=_blank,
    ocr_answer=of_one_page(as_latex),
    constant="```latex\n\\begin{equation}\n  f(x) = \\sum_{i=1}^{n} a_i x^i + b\n\\end{equation}\n```",
    grades=GRADES,
)
