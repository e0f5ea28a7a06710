"""Programs that claim the objects of the right chart and draw something else earn no more than they draw.

Each claims all objects of the reference, in its own process or by drawing them so that nobody sees them. What
the objects alone would earn is 1.0 in every score.
"""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
import pytest_asyncio

from i2s_sdk.scoring.scorer import MetricValues, Scorable
from i2s_sdk.tasks.chart.document import ChartProgram
from i2s_sdk.tasks.chart.elements import SCORES
from i2s_sdk.tasks.chart.scorer import ElementScorer
from i2s_sdk.tasks.chart.task import ChartTask
from i2s_wire.render.rendering import Rendering, Verdict
from python_attacked import attacked

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

RIGHT = """
import matplotlib.pyplot as plt
figure, axes = plt.subplots(figsize=(6, 4))
axes.bar(["North", "East", "South", "West"], [12, 31, 22, 7], color="#2a9d8f", label="Stations")
axes.plot([0, 1, 2, 3], [30, 12, 8, 25], color="#e76f51", marker="o", label="Trend")
axes.set_title("Measuring stations by region")
axes.set_xlabel("Region")
axes.set_ylabel("Number of stations")
axes.legend(loc="upper right")
"""
#: An honest answer that is wrong.
WRONG = """
import matplotlib.pyplot as plt
figure, axes = plt.subplots(figsize=(6, 4))
axes.barh(["Oak", "Birch", "Pine"], [3, 9, 5], color="#777777")
axes.set_title("Trees")
axes.set_ylabel("Kind")
"""
#: Replaces what describes figures, which code finds by walking through frames.
CLAIMS = """
import json, sys
frame = sys._getframe()
while "capture" not in frame.f_locals:
    frame = frame.f_back
claimed = json.loads(CLAIMED)
frame.f_locals["capture"]._describe = lambda *_: claimed
"""
GREY = """
import matplotlib.pyplot as plt
plt.figure(figsize=(6, 4), facecolor="#808080").text(0.5, 0.5, ".", color="#818181")
"""
#: The colours of the reference in random pixels, and in random squares.
NOISE = """
import matplotlib.pyplot as plt, numpy as np
colors = np.array([[255, 255, 255], [0, 0, 0], [42, 157, 143], [231, 111, 81]], dtype=np.uint8)
chosen = np.random.default_rng(1).choice(4, (400 // SIDE, 600 // SIDE), p=SHARES)
plt.figure(figsize=(6, 4)).figimage(np.kron(colors[chosen], np.ones((SIDE, SIDE, 1), np.uint8)))
"""
SPARSE, EVEN = "[0.7, 0.1, 0.1, 0.1]", "[0.25, 0.25, 0.25, 0.25]"
#: What others than the figure itself are made of.
ARTISTS = "[one for one in figure.findobj() if one is not figure and one is not figure.patch]"
FORGED = {
    "a grey image": CLAIMS + GREY,
    "another chart": CLAIMS + WRONG,
    "noise": CLAIMS + NOISE.replace("SIDE", "1").replace("SHARES", EVEN),
    "sparse noise": CLAIMS + NOISE.replace("SIDE", "1").replace("SHARES", SPARSE),
    "coarse noise": CLAIMS + NOISE.replace("SIDE", "8").replace("SHARES", EVEN),
    "stripes": CLAIMS
    + NOISE.replace("SIDE", "1")
    .replace("SHARES", EVEN)
    .replace("chosen = ", "chosen = np.arange(600)[None] // 3 % 4 + 0 * "),
    "transparent artists": f"{RIGHT}\nfor one in {ARTISTS}: one.set_alpha(0.008)\n",
    "texts and marks in the colour of the background": (
        f"{RIGHT}\nfrom matplotlib import text, lines, patches\nfor one in {ARTISTS}:\n"
        "    if isinstance(one, (text.Text, lines.Line2D, patches.Patch)): one.set_color('#ffffff')\n"
        "figure.text(0.5, 0.5, '.', color='#fefefe')\n"
    ),
    "a cover over all": (
        f"{RIGHT}\nfigure.add_artist("
        "plt.Rectangle((0, 0), 1, 1, transform=figure.transFigure, color='#eeeeee', zorder=1e9))\n"
        "figure.text(0.5, 0.5, 'x', zorder=2e9)\n"
    ),
    "a chart beside the canvas": (
        f"{RIGHT}\naxes.set_position((2, 2, 0.8, 0.8))\nfigure.text(0.5, 0.5, 'x')\n"
    ),
    "a tiny chart": (
        f"{RIGHT}\nfrom matplotlib import text\naxes.set_position((0.5, 0.5, 0.01, 0.01))\n"
        "for one in figure.findobj(text.Text): one.set_fontsize(0.5)\n"
    ),
    "texts that lie about their words": (
        WRONG + "from matplotlib.text import Text\n"
        "words = iter(['Measuring stations by region', 'Region', 'Number of stations'] * 99)\n"
        "def get_text(self): return self.__dict__.get('_lie') or self._text\n"
        "Text.get_text = get_text\n"
        "figure.canvas.draw()\n"
        "for one in figure.findobj(Text): one._lie, one._text = next(words), ' '\n"
    ),
    "places that lie": (
        WRONG + "from matplotlib.text import Text\nfrom matplotlib.transforms import Bbox\n"
        "Text.get_window_extent = lambda self, *_: Bbox([[100, 100], [500, 120]])\n"
        "axes.title.set_text('Measuring stations by region')\naxes.title.set_alpha(0.005)\n"
    ),
    "texts on one place": WRONG
    + "".join(
        f"figure.text(0.4, 0.9, {words!r})\n"
        for words in (
            "Region",
            "Number of stations",
            "Stations",
            "Trend",
            "North",
            "East",
            "South",
            "West",
            "0",
            "5",
        )
    ),
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def under_attack():
    async with attacked("namespace") as found:
        yield found


async def drawn(under_attack, program):
    """Return the objects of the figure of a program as scorers get them, and as the program claims them."""
    result = await under_attack.run(program, objects=True)
    assert result.verdict is Verdict.RENDERED, result.message
    rendering = Rendering(result.verdict, pictures=result.pictures, figures=result.figures)
    return ChartTask().text_for_edit(ChartProgram(program), rendering), result.figures[0]


def scored(text, truth, *, by_image=True):
    values = ElementScorer(by_image=by_image).score(Scorable("a", "", text=text, truth=truth))
    assert isinstance(values, MetricValues)
    return values.metrics


def elements(metrics):
    return sum(metrics[name] for name in SCORES) / len(SCORES)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def right(under_attack):
    return await drawn(under_attack, RIGHT)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def honest(under_attack, right):
    """Return what the honest wrong answer has."""
    text, _ = await drawn(under_attack, WRONG)
    assert scored(text, right[0])["objects_in_image"] == 1.0
    return elements(scored(text, right[0]))


async def test_the_right_chart_has_all(right):
    assert scored(right[0], right[0]) == dict.fromkeys((*SCORES, "objects_in_image"), 1.0)


@pytest.mark.parametrize("forgery", FORGED)
async def test_forged_objects_earn_no_more_than_an_honest_wrong_chart(under_attack, right, honest, forgery):
    truth, figure = right
    claimed = json.dumps(asdict(figure))
    text, _ = await drawn(under_attack, FORGED[forgery].replace("CLAIMED", repr(claimed)))
    metrics = scored(text, truth)
    assert elements(metrics) <= max(honest, 0.25), metrics
    assert all(metrics[name] <= metrics["objects_in_image"] for name in SCORES)
    if FORGED[forgery].startswith(CLAIMS):
        assert elements(scored(text, truth, by_image=False)) == 1.0
