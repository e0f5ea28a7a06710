"""The specification of the task: its data, what knows nothing, and its view in the report."""

from __future__ import annotations

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.spec import FILE, STRUCTURE, Size, TaskSpec, fields, text_fault
from i2s_sdk.tasks.structure import Structure
from i2s_sdk.tasks.svg.grades import GRADES
from i2s_sdk.tasks.svg.rasters import without_rasters
from i2s_sdk.tasks.svg.task import SvgTask
from i2s_sdk.tasks.view import Panel, ShownSample, TextPanel

_OPEN = '<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}">'


def view(shown: ShownSample) -> tuple[Panel, ...]:
    """Return what is drawn if that is not all of the answer: the SVG without the images that it embeds."""
    drawn = without_rasters(shown.structure or "")
    changed = shown.structure is not None and drawn != shown.structure
    return (TextPanel("Drawn without its embedded images", drawn, "svg"),) if changed else ()


def _answer(content: Content, question: Question) -> str:
    code = (content.structure or "").strip()
    return f"```svg\n{code}\n```" if code else ""


def _blank(size: Size | None) -> str:
    """Return an image that looks white."""
    width, height = size or (200, 200)
    mark = '<rect width="1" height="1" fill="#fefefe"/>'  # an image of one colour is not usable
    return f"```svg\n{_OPEN.format(width, height)}{mark}</svg>\n```"


SVG = TaskSpec(
    name="svg",
    title="Image to SVG",
    main_metric="ems",
    subsets=("svg",),
    structure_suffix=".svg",
    language="svg",
    open=SvgTask,
    answer=_answer,
    structure_fault=text_fault,
    inputs=fields({"image": FILE}),
    target=STRUCTURE,
    canary=Structure(f'{_OPEN.format(20, 20)}<circle cx="10" cy="10" r="8"/></svg>'),
    view=view,
    blank=_blank,
    constant=f'```svg\n{_OPEN.format(200, 200)}<circle cx="100" cy="100" r="80" fill="#4477aa"/></svg>\n```',
    grades=GRADES,
)
