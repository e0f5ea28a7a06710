"""What data sets, commands and reports know of the chart task."""

from __future__ import annotations

from i2s_sdk.instances.content import Content
from i2s_sdk.scoring.scorer import Average
from i2s_sdk.tasks.chart.elements import SCORES
from i2s_sdk.tasks.chart.published import CHARTMIMIC
from i2s_sdk.tasks.chart.task import ChartTask
from i2s_sdk.tasks.chart.view import view
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.schemas import ASSETS, FILE, STRUCTURE, fields
from i2s_sdk.tasks.spec import Size, TaskSpec, text_fault
from i2s_sdk.tasks.structure import Structure

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
    averages=(Average("elements", tuple(SCORES)), Average("chartmimic_low_level", CHARTMIMIC)),
)
