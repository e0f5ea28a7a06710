"""Programs of former years against the real engine: their error names what is put back; then they draw."""

import io

import numpy as np
import pytest
from PIL import Image

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract import contract_of
from i2s_render_python.inside.restored_names.table import CHANGES
from renderers import PYTHON

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

running, _ = contract_of(PYTHON)

IMPORTS = (
    "import matplotlib\nimport matplotlib.pyplot as plt\nimport numpy as np\nimport pandas as pd\n"
    "import seaborn as sns\nimport networkx as nx\nimport scipy.integrate\n"
    "frame = pd.DataFrame({'x': list('aabb'), 'y': [1, 2, 3, 4]})\n"
    "days = pd.DataFrame({'y': range(90)}, index=pd.date_range('2024-01-01', periods=90))\n"
)
#: Programs of former years with programs of today that draw the same.
PAIRS = {
    "labels of boxes": (
        "plt.boxplot([[1, 2, 3]], labels=['a'])",
        "plt.boxplot([[1, 2, 3]], tick_labels=['a'])",
    ),
    "labels of boxes of axes": (
        "plt.subplots()[1].boxplot([[1, 2, 3]], labels=['a'])",
        "plt.subplots()[1].boxplot([[1, 2, 3]], tick_labels=['a'])",
    ),
    "color maps": (
        "plt.scatter([1, 2], [1, 2], color=[plt.cm.get_cmap('viridis')(0.2)])",
        "plt.scatter([1, 2], [1, 2], color=[plt.get_cmap('viridis')(0.2)])",
    ),
    "styles": (
        "plt.style.use('seaborn-whitegrid'); plt.plot([1, 2])",
        "plt.style.use('seaborn-v0_8-whitegrid'); plt.plot([1, 2])",
    ),
    "numbers": (
        "plt.plot([np.float_(1), np.trapz([1, 2, 3]), np.product([2, 3])])",
        "plt.plot([1.0, 4.0, 6.0])",
    ),
    "stems": ("plt.stem([1, 2, 3], use_line_collection=True)", "plt.stem([1, 2, 3])"),
    "grids": ("plt.plot([1, 2]); plt.grid(b=True)", "plt.plot([1, 2]); plt.grid(visible=True)"),
    "axes of 3D": (
        "plt.gcf().gca(projection='3d').plot([1, 2], [1, 2], [1, 2])",
        "plt.gcf().add_subplot(projection='3d').plot([1, 2], [1, 2], [1, 2])",
    ),
    "histograms": ("plt.hist([1, 2, 2], normed=True)", "plt.hist([1, 2, 2], density=True)"),
    "logarithmic axes": (
        "plt.yscale('log', basey=2); plt.plot([1, 4])",
        "plt.yscale('log', base=2); plt.plot([1, 4])",
    ),
    "handles of legends": (
        "plt.plot([1, 2], label='a'); plt.legend().legendHandles[0].set_color('red')",
        "plt.plot([1, 2], label='a'); plt.legend().legend_handles[0].set_color('red')",
    ),
    "lines of contours": (
        "plt.contour([[1, 2], [3, 4]], levels=[2, 3]).collections[1].set_linewidth(5)",
        "plt.contour([[1, 2], [3, 4]], levels=[2, 3]).set_linewidth([1.5, 5])",
    ),
    "patches": (
        "plt.gca().add_patch(plt.Polygon([[0, 0], [1, 0], [0, 1]], False, fill=False))",
        "plt.gca().add_patch(plt.Polygon([[0, 0], [1, 0], [0, 1]], closed=False, fill=False))",
    ),
    "color bars": (
        "plt.colorbar(plt.cm.ScalarMappable())",
        "plt.colorbar(plt.cm.ScalarMappable(), ax=plt.gca())",
    ),
    "titles of windows": ("plt.plot([1]); plt.gcf().canvas.set_window_title('a')", "plt.plot([1])"),
    "ends of months": ("plt.plot(days.resample('M').sum())", "plt.plot(days.resample('ME').sum())"),
    "hours": (
        "plt.plot(pd.date_range('2024', periods=3, freq='6H'), [1, 2, 3])",
        "plt.plot(pd.date_range('2024', periods=3, freq='6h'), [1, 2, 3])",
    ),
    "rows": (
        "frame.append({'x': 'c', 'y': 9}, ignore_index=True).y.plot()",
        "pd.concat([frame, pd.DataFrame({'x': ['c'], 'y': [9]})], ignore_index=True).y.plot()",
    ),
    "items": ("for _, one in frame[['y']].iteritems(): plt.plot(one)", "plt.plot(frame.y)"),
    "missing values": (
        "plt.plot(pd.Series([1, None, 3]).fillna(method='ffill'))",
        "plt.plot(pd.Series([1, None, 3]).ffill())",
    ),
    "places of arguments": ("sns.barplot('x', 'y', data=frame)", "sns.barplot(x='x', y='y', data=frame)"),
    "graphs": (
        "nx.draw_circular(nx.from_numpy_matrix(np.ones((3, 3))))",
        "nx.draw_circular(nx.from_numpy_array(np.ones((3, 3))))",
    ),
    "integrals": ("plt.plot([0, scipy.integrate.simps([1, 2, 3])])", "plt.plot([0, 4.0])"),
}


async def rendered(running, program, names=(), page=None):
    options = pb.RenderOptions(python=pb.PythonOptions(restored_names=names), page=page)
    source = pb.PythonSource(program=(IMPORTS + program).encode())
    return await running.stub.Render(pb.RenderRequest(python=source, options=options))


def pixels(answer):
    assert answer.verdict == pb.VERDICT_RENDERED, answer.message
    with Image.open(io.BytesIO(answer.pictures[0].png)) as image:
        return np.asarray(image)


async def repaired(running, program):
    """Return the rendering of a program of former years once all is put back that its errors name."""
    names = []
    answer = await rendered(running, program)
    while answer.verdict == pb.VERDICT_COMPILE_ERROR and len(names) < 4:
        (provider,) = answer.error.undefined.providers
        assert provider.kind == pb.PROVIDER_KIND_RESTORED_NAME
        names.append(provider.name)
        answer = await rendered(running, program, names)
    assert names
    return answer


@pytest.mark.parametrize("what", PAIRS)
async def test_an_old_program_draws_what_one_of_today_draws(running, what):
    old, new = PAIRS[what]
    assert np.array_equal(pixels(await repaired(running, old)), pixels(await rendered(running, new)))


async def test_levels_of_contours_look_alike_as_collections_of_their_own(running):
    old = await repaired(running, "for one in plt.contourf([[1, 2], [3, 4]]).collections: one.set_alpha(0.5)")
    new = await rendered(running, "plt.contourf([[1, 2], [3, 4]]).set_alpha(0.5)")
    # Edges of single paths are rounded to whole pixels.
    assert np.mean(np.abs(pixels(old).astype(int) - pixels(new))) < 0.5


async def test_all_names_together_change_nothing_that_a_program_of_today_draws(running):
    program = "\n".join(f"plt.figure()\n{new}" for _, new in PAIRS.values())
    page = pb.PageOptions(first_page=1, page_count=99)
    plain, restored = [await rendered(running, program, names, page) for names in ((), list(CHANGES))]
    assert len(plain.pictures) >= len(PAIRS)
    assert [picture.png for picture in restored.pictures] == [picture.png for picture in plain.pictures]


async def test_diagrams_of_sets_are_drawn(running):
    shown = pixels(await rendered(running, "from matplotlib_venn import venn2\nvenn2((3, 2, 1))\n"))
    assert len(np.unique(shown.reshape(-1, 3), axis=0)) > 3


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("plt.rcParams['text.usetex'] = True\nplt.title('a')\nplt.show()", "no LaTeX in this sandbox"),
        ("import multiprocessing\nmultiprocessing.Pool(2)", "no shared memory in this sandbox"),
        (
            "from multiprocessing.shared_memory import SharedMemory\nSharedMemory('a', True, 9)",
            "no shared memory",
        ),
        ("import urllib.request\nurllib.request.urlopen('http://a.example')", "no network in this sandbox"),
        ("sns.load_dataset('tips')", "no network in this sandbox"),
        ("import socket\nsocket.create_connection(('127.0.0.1', 9))", "no network in this sandbox"),
        ("import plotly", "these libraries: matplotlib, matplotlib-venn, networkx, numpy"),
        ("import subprocess\nsubprocess.run(['ls'])", "starts no other programs"),
        ("input()", "standard input is empty"),
    ],
)
async def test_errors_that_the_sandbox_causes_say_so(running, program, words):
    answer = await rendered(running, program)
    assert answer.verdict == pb.VERDICT_COMPILE_ERROR
    assert words in answer.error.message
    assert words in answer.message
