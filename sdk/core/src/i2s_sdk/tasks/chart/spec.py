"""The specification of the chart task, and its view in the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from i2s_sdk.instances.instance import Content
from i2s_sdk.scoring.scorer import Average
from i2s_sdk.tasks.chart.elements import SCORES
from i2s_sdk.tasks.chart.grades import GRADES
from i2s_sdk.tasks.chart.published import CHARTMIMIC
from i2s_sdk.tasks.chart.scorer import IN_IMAGE, NAME
from i2s_sdk.tasks.chart.task import ChartTask
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.spec import ASSETS, FILE, STRUCTURE, Size, TaskSpec, fields, text_fault
from i2s_sdk.tasks.structure import Structure
from i2s_sdk.tasks.view import Panel, ShownSample, TextPanel


def view(shown: ShownSample) -> tuple[Panel, ...]:
    """Return the texts and marks that are missing or added, a line each; nothing if there are none."""
    detail: Mapping[str, Sequence[str]] = shown.detail.get(NAME, {})
    lines = [f"{title}: {name}" for title, names in detail.items() for name in names]
    return (TextPanel("Elements without a match", "\n".join(lines)),) if lines else ()


#: Inputs of an instance. ``image`` is compared with, and shown unless there is ``style``: an image whose
#: style the chart takes. ``figure_size`` is width and height in inches.
_INPUTS = fields(
    {"image": FILE},
    {
        "assets": ASSETS,
        "instruction": {"type": "string", "minLength": 1},
        "style": FILE,
        "figure_size": {
            "type": "array",
            "items": {"type": "number", "exclusiveMinimum": 0},
            "minItems": 2,
            "maxItems": 2,
        },
    },
)


def _answer(content: Content, question: Question) -> str:
    code = (content.structure or "").strip()
    return f"```python\n{code}\n```" if code else ""


def _blank(size: Size | None) -> str:
    """Return a figure that looks white."""
    width, height = (side / 100 for side in size or (640, 480))
    figure = f"plt.figure(figsize=({width:.4f}, {height:.4f}), dpi=100)"
    mark = 'plt.figtext(0.5, 0.5, ".", color="#fefefe")'  # a figure of one color is not usable
    return f"```python\nimport matplotlib.pyplot as plt\n\n{figure}\n{mark}\nplt.show()\n```"


CHART = TaskSpec(
    name="chart",
    title="Chart to code",
    main_metric="elements",
    subsets=("chart",),
    structure_suffix=".py",
    language="python",
    blank=_blank,
    constant="```python\nimport matplotlib.pyplot as plt\n\nplt.bar(['A', 'B'], [1, 2])\nplt.show()\n```",
    canary=Structure("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"),
    open=ChartTask,
    answer=_answer,
    structure_fault=text_fault,
    inputs=_INPUTS,
    target=STRUCTURE,
    view=view,
    support_metric=IN_IMAGE,
    averages=(Average("elements", tuple(SCORES)), Average("chartmimic_low_level", CHARTMIMIC)),
    grades=GRADES,
)
