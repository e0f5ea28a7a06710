"""What data sets, commands and reports know of the LaTeX task."""

from __future__ import annotations

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.benchmark import published_tables
from i2s_sdk.tasks.latex.ocr import as_latex
from i2s_sdk.tasks.latex.task import LatexTask
from i2s_sdk.tasks.ocr_page import of_one_page
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.spec import IMAGE_AND_ASSETS, STRUCTURE, Size, TaskSpec, text_fault
from i2s_sdk.tasks.structure import Structure


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
)
