"""The contract of renderers over CPython, and what is its own: figures, objects, errors, fixed clocks."""

import io

import pytest
from PIL import Image

from i2s.render.v1 import figure_pb2
from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract import contract_of
from renderers import PYTHON

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

running, TestContract = contract_of(PYTHON)

PLT = "import matplotlib.pyplot as plt\n"
COLD = pb.RenderOptions(python=pb.PythonOptions(cold=True))
OBJECTS = pb.RenderOptions(python=pb.PythonOptions(want_objects=True))


@pytest.fixture
def service(running):
    return running.stub


def request(program, *, files=None, **given):
    files = [pb.File(path=path, content=content) for path, content in (files or {}).items()]
    return pb.RenderRequest(python=pb.PythonSource(program=program.encode(), files=files), **given)


async def picture(service, program, **given):
    answer = await service.Render(request(program, **given))
    assert answer.verdict == pb.VERDICT_RENDERED, answer.message
    return answer.pictures[0]


def middle(shown):
    image = Image.open(io.BytesIO(shown.png))
    return image.getpixel((image.width // 2, image.height // 2))


def page_of(color):
    return f"plt.figure(facecolor={color!r}).text(0, 0, 'x')\n"


async def test_it_describes_libraries_and_warm_processes(service):
    told = await service.Describe(pb.DescribeRequest())
    assert told.engine.version == told.versions["python"]
    assert {"matplotlib", "numpy", "pandas", "scipy", "seaborn", "networkx", "shapely"} <= set(told.versions)
    assert "grpcio" not in told.versions
    assert [one.kind for one in told.warm] == ["zygote"]
    assert not told.defaults.page.HasField("dpi")


@pytest.mark.parametrize(
    "ending",
    [
        "plt.show()",
        "plt.savefig('x.png')",
        "plt.gcf().savefig('x.pdf')",
        "",
        "plt.savefig('x.png')\nplt.close()",
    ],
)
async def test_a_figure_counts_if_it_is_shown_saved_or_left_open(service, ending):
    shown = await picture(service, PLT + page_of("#ff0000") + ending)
    assert (shown.width, shown.height, shown.page) == (640, 480, 1)
    assert middle(shown) == (255, 0, 0)


async def test_a_figure_that_is_closed_does_not_count(service):
    answer = await service.Render(request(PLT + page_of("red") + "plt.close()"))
    assert answer.verdict == pb.VERDICT_NO_OUTPUT


async def test_the_last_open_figure_counts_and_the_others_can_be_had(service):
    program = (
        PLT
        + page_of("#ff0000")
        + "plt.savefig('x.png'); plt.close()\n"
        + page_of("#00ff00")
        + page_of("#0000ff")
    )
    answer = await service.Render(request(program))
    assert (answer.total_pages, answer.pictures[0].page) == (3, 3)
    assert middle(answer.pictures[0]) == (0, 0, 255)
    page = pb.PageOptions(first_page=1, page_count=9)
    answer = await service.Render(request(program, options=pb.RenderOptions(page=page)))
    assert [middle(one) for one in answer.pictures] == [(255, 0, 0), (0, 255, 0), (0, 0, 255)]
    page = pb.PageOptions(first_page=4)
    answer = await service.Render(request(program, options=pb.RenderOptions(page=page)))
    assert answer.verdict == pb.VERDICT_NO_OUTPUT
    assert "no figure 4 among the 3" in answer.message


async def test_a_figure_is_drawn_as_the_program_saves_it(service):
    shown = await picture(
        service, PLT + "plt.figure(figsize=(3, 2)).text(0, 0, 'x')\nplt.savefig('x.png', dpi=50)"
    )
    assert (shown.width, shown.height) == (150, 100)
    wide = pb.RenderOptions(page=pb.PageOptions(dpi=200))
    shown = await picture(service, PLT + "plt.figure(figsize=(3, 2)).text(0, 0, 'x')", options=wide)
    assert (shown.width, shown.height) == (600, 400)


async def test_what_was_saved_stays_as_it_was(service):
    program = PLT + page_of("#ff0000") + "plt.savefig('x.png')\nplt.clf()\nplt.gcf().set_facecolor('blue')\n"
    assert middle(await picture(service, program)) == (255, 0, 0)


async def test_an_empty_figure_after_show_does_not_count(service):
    program = PLT + page_of("#ff0000") + "plt.show()\nplt.savefig('x.png')\n"
    assert middle(await picture(service, program)) == (255, 0, 0)


async def test_a_picture_of_pillow_counts(service):
    program = "from PIL import Image\nImage.new('RGBA', (4, 3), (0, 0, 255, 0)).save('x.png')\n"
    shown = await picture(
        service, program, options=pb.RenderOptions(page=pb.PageOptions(blank_page=pb.BLANK_PAGE_KEEP))
    )
    assert (shown.width, shown.height, middle(shown)) == (4, 3, (255, 255, 255))


async def test_after_an_exception_only_what_was_shown_counts(service):
    answer = await service.Render(request(PLT + page_of("red") + "plt.show()\n1 / 0\n"))
    assert answer.verdict == pb.VERDICT_RENDERED_WITH_ERRORS
    assert (answer.error.message, answer.error.line) == ("ZeroDivisionError: division by zero", 4)
    answer = await service.Render(request(PLT + page_of("red") + "1 / 0\n"))
    assert answer.verdict == pb.VERDICT_COMPILE_ERROR


@pytest.mark.parametrize(
    ("program", "kind", "line", "name", "provider"),
    [
        ("x = (\n", pb.ERROR_KIND_SYNTAX, 1, "", ""),
        ("\nnp.zeros(3)\n", pb.ERROR_KIND_UNDEFINED_COMMAND, 2, "np", "numpy as np"),
        ("math.pi\n", pb.ERROR_KIND_UNDEFINED_COMMAND, 1, "math", "math"),
        ("nothing_such\n", pb.ERROR_KIND_UNDEFINED_COMMAND, 1, "nothing_such", ""),
        ("import torch\n", pb.ERROR_KIND_UNDEFINED_FILE, 1, "torch", ""),
        ("import plotly.express\n", pb.ERROR_KIND_UNDEFINED_FILE, 1, "plotly", ""),
        ("open('data.csv')\n", pb.ERROR_KIND_INPUT_OUTPUT, 1, "", ""),
        ("raise SystemExit('no data')\n", pb.ERROR_KIND_OTHER, 1, "", ""),
    ],
)
async def test_errors_say_what_and_where(service, program, kind, line, name, provider):
    for options in (None, COLD):
        answer = await service.Render(request(program, options=options))
        assert answer.verdict == pb.VERDICT_COMPILE_ERROR
        assert (answer.error.kind, answer.error.line, answer.error.file) == (kind, line, "")
        assert answer.error.undefined.name == name
        assert [one.name for one in answer.error.undefined.providers] == ([provider] if provider else [])


async def test_files_beside_the_program_are_read_and_imported(service):
    files = {"data/x.csv": b"a,b\n1,5\n2,6\n", "helper.py": b"COLOR = '#00ff00'\n", "numpy.py": b"1 / 0\n"}
    program = PLT + (
        "import numpy, pandas\nfrom helper import COLOR\n"
        "frame = pandas.read_csv('data/x.csv')\nassert frame['b'].sum() == 11\n"
        "plt.figure(facecolor=COLOR).text(0, 0, 'x')\n"
    )
    for options in (None, COLD):
        assert middle(await picture(service, program, files=files, options=options)) == (0, 255, 0)


@pytest.mark.parametrize("path", ["program.py", ".i2s/result.json", ".I2S/x", "../x", "/etc/x"])
async def test_names_of_files_that_cannot_be_are_refused(service, path):
    answer = await service.Render(request("1\n", files={path: b"x"}))
    assert answer.verdict == pb.VERDICT_INVALID_INPUT
    assert "python.files" in answer.message


@pytest.mark.parametrize("backend", ["matplotlib.use('TkAgg')", "plt.switch_backend('QtAgg')", "plt.ion()"])
async def test_a_program_may_choose_any_backend(service, backend):
    program = f"import matplotlib\n{PLT}{backend}\n{page_of('#ff0000')}plt.show()\n"
    assert middle(await picture(service, program)) == (255, 0, 0)


async def test_two_runs_are_the_same_in_every_byte_warm_and_cold(service):
    program = PLT + (
        "import numpy as np, random, time, datetime, uuid\n"
        "plt.scatter(np.random.rand(9), np.random.default_rng().random(9))\n"
        "plt.title(f'{random.random()} {hash(str(plt))} {time.time()} {datetime.datetime.now()}')\n"
        "plt.xlabel(f'{uuid.uuid4()} {random.Random().random()} {sorted(set(map(str, range(9))))}')\n"
        "plt.ylabel(str(list({'a', 'b', 'c', 'd'})))\n"
    )
    first, again = await picture(service, program), await picture(service, program)
    assert first.png == again.png == (await picture(service, program, options=COLD)).png


async def test_chinese_and_persian_are_drawn(service):
    blank = await picture(service, PLT + "plt.figure().text(.1, .5, chr(0xE000) * 4, fontsize=40)\n")
    for words in ("中文标题", "سلام دنیا"):
        shown = await picture(service, PLT + f"plt.figure().text(.1, .5, {words!r}, fontsize=40)\n")
        assert shown.png != blank.png
        answer = await service.Render(request(PLT + f"plt.figure().text(.1, .5, {words!r})\n"))
        assert "Glyph" not in answer.log.head


async def test_objects_come_with_the_picture(service):
    program = PLT + "plt.bar(['a', 'b'], [1, 2], label='n')\nplt.title('Bars')\nplt.legend()\nplt.show()\n"
    answer = await service.Render(request(program, options=OBJECTS))
    (figure,) = answer.figures
    assert figure.page == answer.pictures[0].page
    (bars,) = figure.marks
    assert (bars.kind, list(bars.y), bars.label) == (figure_pb2.MARK_KIND_BARS, [1, 2], "n")
    roles = {text.text: text.role for text in figure.texts}
    assert roles["Bars"] == figure_pb2.TEXT_ROLE_TITLE
    assert roles["a"] == figure_pb2.TEXT_ROLE_X_TICK
    assert roles["n"] == figure_pb2.TEXT_ROLE_LEGEND_ENTRY
    assert figure.axes[0].x.scale == "category"
    assert not (await service.Render(request(program))).figures


@pytest.mark.parametrize("cold", [False, True])
async def test_calls_of_plotting_functions_are_counted_and_change_no_pixel(service, cold):
    program = (
        "import networkx, seaborn\nimport matplotlib.pyplot as plt\n"
        "figure, (left, right) = plt.subplots(1, 2)\nleft.hist([1, 2, 2])\nleft.plot([1, 2])\n"
        "seaborn.scatterplot(x=[1, 2], y=[1, 2], ax=left)\n"
        "networkx.draw_networkx(networkx.path_graph(3), ax=right)\nplt.show()\n"
    )
    wanted = pb.RenderOptions(python=pb.PythonOptions(want_objects=True, cold=cold))
    answer = await service.Render(request(program, options=wanted))
    (figure,) = answer.figures
    assert {function.function: function.count for function in figure.calls.functions} == {
        "Axes.hist": 1,
        "Axes.plot": 1,
        "Axes.scatter": 2,  # seaborn draws an empty one to learn the next colour
        "networkx.draw_networkx_edges": 1,
        "networkx.draw_networkx_labels": 1,
        "networkx.draw_networkx_nodes": 1,
    }
    plain = pb.RenderOptions(python=pb.PythonOptions(cold=cold))
    assert answer.pictures[0].png == (await picture(service, program, options=plain)).png


async def test_the_log_is_what_the_program_prints(service):
    answer = await service.Render(request(PLT + page_of("red") + "print('words')\n"))
    assert answer.log.head == "words\n"
    answer = await service.Render(request("print('words')\n1 / 0\n"))
    assert answer.log.head.startswith(
        'words\nTraceback (most recent call last):\n  File "program.py", line 2'
    )


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("raise NameError('n', name='a\\ud800b')", "NameError: n"),
        ("raise SyntaxError('a\\udfffb')", "SyntaxError: a\ufffdb"),
        ("import sys\nsys.stderr.buffer.write(b'a\\xed\\xa0\\x80b')\nraise ValueError('x')", "ValueError: x"),
        ("import sys\nsys.exit('a\\ud800b')", "SystemExit: a\ufffdb"),
    ],
)
@pytest.mark.parametrize("options", [None, COLD], ids=["warm", "cold"])
async def test_half_of_a_surrogate_pair_is_no_other_verdict(service, program, message, options):
    answer = await service.Render(request(program, options=options))
    assert (answer.verdict, answer.error.message) == (pb.VERDICT_COMPILE_ERROR, message), answer.message
