"""What ScImage asks, how answers are read, and what is scored."""

import io
import json

import pytest
from PIL import Image, ImageColor

from i2s_client.service_table import renderer_of
from i2s_sdk.scoring.scorer import NotUsable, Scorable
from i2s_sdk.tasks.chart.document import ChartProgram
from i2s_sdk.tasks.chart.scorer import figure_to_text
from i2s_sdk.tasks.registry import task_spec
from i2s_sdk.tasks.scimage.document import output_of
from i2s_sdk.tasks.scimage.scorer import RenderedFigure, ScimageScorer, colors, labels, objects
from i2s_sdk.tasks.scimage.task import PROMPTS, ScimageTask
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_wire.render.figure import Figure, FigureText, Mark, MarkKind
from i2s_wire.render.rendering import Picture, Rendering, Verdict
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind, SourceError, Undefined

PYTHON = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
TIKZ = "\\begin{tikzpicture}\\draw (0,0) circle (1);\\end{tikzpicture}"


class Given:
    """An instance, as far as a question needs it."""

    def __init__(self, **inputs):
        self.inputs = inputs


@pytest.mark.parametrize("language", ["en", "de", "zh", "fa"])
@pytest.mark.parametrize("output", ["python", "tikz"])
def test_the_question_is_a_text_around_the_prompt(language, output):
    given = Given(prompt="A red circle.", language=language, output=output)
    (question,) = ScimageTask().questions(given)
    (part,) = question.parts
    assert part.text == PROMPTS[language][output].replace("{query}", "A red circle.")
    assert "{query}" in PROMPTS[language][output]
    assert PROMPTS[language][output] in ScimageTask().prompt_texts()


def test_english_is_the_language_if_none_is_named():
    (question,) = ScimageTask().questions(Given(prompt="A circle.", output="tikz"))
    assert question.parts[0].text.startswith("Please generate a scientific figure")
    assert "A circle. Your output should be in Tikz code." in question.parts[0].text


@pytest.mark.parametrize(
    ("completion", "service"),
    [
        (PYTHON, "render-python"),
        (f"Here it is:\n```python\n{PYTHON}\n```\nDone.", "render-python"),
        (f"```latex\n{TIKZ}\n```", "render-latex"),
        (f"```tikz\n{TIKZ}\n```", "render-latex"),
        (f"\\documentclass{{standalone}}\\begin{{document}}{TIKZ}\\end{{document}}", "render-latex"),
    ],
)
def test_the_code_decides_who_draws_it(completion, service):
    task = ScimageTask()
    structure = task.structure_from(completion)
    assert isinstance(structure, Structure)
    request = task.request(task.document(structure))
    assert renderer_of(request.source) == service
    assert service in task.services


@pytest.mark.parametrize("completion", ["", " \n", "```python\n```"])
def test_nothing_is_no_structure(completion):
    assert isinstance(ScimageTask().structure_from(completion), NoStructure)


def test_a_missing_import_is_added():
    task = ScimageTask()
    error = SourceError(
        "NameError: name 'np' is not defined",
        ErrorKind.UNDEFINED_COMMAND,
        undefined=Undefined("np", (Provider(ProviderKind.MODULE, "numpy as np"),)),
    )
    repaired = task.repair(ChartProgram("np.zeros(3)"), Rendering(Verdict.COMPILE_ERROR, error=error), ())
    assert repaired.document.source == "import numpy as np\nnp.zeros(3)"
    assert (repaired.repair.kind, repaired.repair.detail) == ("add_import", "numpy as np")


def scored(code, figure=None, output="python", prompt="A figure.", page_text="", one_color=False):
    text = RenderedFigure(one_color, figure, page_text).to_text()
    inputs = {"prompt": prompt, "output": output}
    return ScimageScorer().score(Scorable("a", structure=code, inputs=inputs, text=text, truth=""))


def test_a_figure_is_compiled_and_indicators_are_beside_it():
    found = scored(PYTHON, Figure(), prompt='A box with the label "Start".')
    assert found.metrics == {"compiled": 1.0, "labels": 0.0, "colors": None, "objects": None}
    assert found.undefined == {"colors": "the prompt names none", "objects": "the prompt names none"}


def test_of_tikz_the_texts_are_known_and_the_objects_are_not():
    found = scored(TIKZ, output="tikz", prompt='A red box "Start" and a "Stop".', page_text="Sta\u200crt\n1")
    assert found.metrics == {"compiled": 1.0, "labels": 0.5, "colors": None, "objects": None}
    assert found.undefined == dict.fromkeys(
        ("colors", "objects"), "the objects of TikZ figures are not known"
    )


def test_a_figure_of_one_color_is_not_usable():
    assert scored(PYTHON, Figure(), one_color=True) == NotUsable("the figure is blank: it has one color")


def test_what_earlier_versions_have_kept_is_read():
    figure = Figure(texts=(FigureText("Start"),))
    assert RenderedFigure.from_text(figure_to_text(figure)) == RenderedFigure(figure=figure)
    assert RenderedFigure.from_text("") == RenderedFigure()
    assert RenderedFigure.from_text(RenderedFigure(True, figure).to_text()) == RenderedFigure(True, figure)


def rendering_of(png, text=""):
    return Rendering(Verdict.RENDERED, pictures=(Picture(png, 9, 9, text=text),), figures=(Figure(),))


def png_of(*colors):
    canvas = Image.new("RGB", (9, 9), colors[0])
    canvas.putpixel((4, 4), ImageColor.getrgb(colors[-1]))
    content = io.BytesIO()
    canvas.save(content, "PNG")
    return content.getvalue()


@pytest.mark.parametrize(("colors", "blank"), [(["white"], True), (["red"], True), (["white", "red"], False)])
def test_a_figure_of_a_program_is_blank_if_it_has_one_color(colors, blank):
    text = ScimageTask().text_for_edit(ChartProgram(PYTHON), rendering_of(png_of(*colors)))
    assert RenderedFigure.from_text(text) == RenderedFigure(blank, Figure())


def test_a_page_of_tikz_that_is_a_black_square_is_not_blank():
    task = ScimageTask()
    document = task.document(task.structure_from(TIKZ))
    text = task.text_for_edit(document, rendering_of(png_of("black"), "A"))
    assert RenderedFigure.from_text(text) == RenderedFigure(page_text="A")


def test_the_last_page_of_tikz_counts_and_its_text_is_asked_for():
    task = ScimageTask()
    options = task.request(task.document(task.structure_from(TIKZ))).options
    assert (options.latex.last_page, options.latex.want_text) == (True, True)
    assert options.page.cut_bottom == 0.0


@pytest.mark.parametrize(("code", "output"), [(PYTHON, "tikz"), (TIKZ, "python")])
def test_code_of_the_other_kind_is_not_usable(code, output):
    assert isinstance(scored(code, Figure(), output=output), NotUsable)


def test_what_is_not_usable_has_not_compiled():
    found = ScimageScorer().unusable(Scorable("a"))
    assert found.metrics["compiled"] == 0.0
    assert set(found.undefined) == {"labels", "colors", "objects"}


def figure(*marks, texts=()):
    return Figure(marks=marks, texts=tuple(map(FigureText, texts)))


@pytest.mark.parametrize(
    ("prompt", "texts", "value"),
    [
        ("A box.", ("x",), None),
        ('A box with "Start" and "End".', ("start", "The end"), 1.0),
        ('A box with "Start" and "End".', ("start",), 0.5),
        ("Ein Kasten mit „Anfang“.", ("Anfang",), 1.0),
        ("一个标有“开始”的方框。", ("开始",), 1.0),
        ("It's a box, isn't it?", (), None),
        ("A point 'P'.", ("$P$",), 1.0),
        ("یک جعبه «شروع».", ("\ufffd\u0634\u0631\u0648\u0639\ufffd",), 1.0),
        ("یک جعبه «شروع».", ("\ufeb7\ufeae\ufeed\ufec9",), 1.0),
        ('"final"', ("\ufb01nal",), 1.0),
    ],
)
def test_labels_in_quotes_are_looked_for_in_texts(prompt, texts, value):
    assert labels(prompt, RenderedFigure(figure=figure(texts=texts)).texts) == value


@pytest.mark.parametrize(
    ("prompt", "shown", "value"),
    [
        ("A circle.", "#ff0000ff", None),
        ("A red circle.", "#e00010ff", 1.0),
        ("A red circle.", "#0000ffff", 0.0),
        ("A red and a blue circle.", "#ff0000ff", 0.5),
        ("Ein roter Kreis.", "#ff0000ff", 1.0),
        ("Ein rotierender Kreis.", "#ff0000ff", None),
        ("一个红色的圆。", "#ff0000ff", 1.0),
        ("یک دایره قرمز.", "#ff0000ff", 1.0),
        ("A bored reader.", "#ff0000ff", None),
        ("A redox reaction at a rotor.", "#ff0000ff", None),
        ("一个粉红色的圆。", "#ffc0cbff", 1.0),
        ("یک دایره قهوه\u200cای.", "#a52a2aff", 1.0),
    ],
)
def test_named_colours_are_looked_for_in_marks(prompt, shown, value):
    assert colors(prompt, figure(Mark(MarkKind.SHAPE, colors=(shown,)))) == value


def shape(name, *corners):
    x, y = zip(*corners, strict=True)
    return Mark(MarkKind.SHAPE, shape=name, x=x, y=y, total=1)


SQUARE = shape("Rectangle", (0, 0), (1, 0), (1, 1), (0, 1), (0, 0))
WIDE = shape("Rectangle", (0, 0), (2, 0), (2, 1), (0, 1), (0, 0))
CIRCLE = shape("Circle", (1, 0), (0, 1), (-1, 0), (0, -1))
TRIANGLE = shape("Polygon", (0, 0), (1, 0), (0, 1), (0, 0))


@pytest.mark.parametrize(
    ("prompt", "marks", "value"),
    [
        ("Some circles.", (CIRCLE,), None),
        ("There are two squares and 1 circle.", (SQUARE, SQUARE, CIRCLE), 1.0),
        ("There are two squares and 1 circle.", (SQUARE, CIRCLE), 0.5),
        ("Three large red triangles.", (TRIANGLE,) * 3, 1.0),
        ("A square and a rectangle.", (SQUARE, WIDE), 1.0),
        ("A row of two squares.", (SQUARE, SQUARE), 1.0),
        ("A row of two squares.", (SQUARE,), 0.0),
        ("A plot of a circle and two squares.", (CIRCLE, SQUARE, SQUARE), 1.0),
        ("Five circles.", (Mark(MarkKind.POINTS, marker="o", total=5),), 1.0),
    ],
)
def test_shapes_that_are_counted_are_counted(prompt, marks, value):
    assert objects(prompt, figure(*marks)) == value


@pytest.mark.parametrize(
    ("code", "output"),
    [
        (PYTHON, "python"),
        (f"# instead of \\begin{{tikzpicture}}\n{PYTHON}", "python"),
        (f"text = r'\\tikz'\n{PYTHON}", "python"),
        ("plt.title(r'$\\alpha$')", "python"),
        (TIKZ, "tikz"),
        ("\\draw (0,0) circle (1);", "tikz"),
        (f"% a circle\n\n  {TIKZ}", "tikz"),
        (f"Here it is:\n{TIKZ}", "tikz"),
        ("", "python"),
    ],
)
def test_the_kind_of_code_is_told_by_commands_of_tex_and_imports(code, output):
    assert output_of(code) == output


def test_the_oracle_answers_with_the_code_of_the_target():
    spec = task_spec("scimage")
    content = type("Content", (), {"target": {"code": PYTHON}})()
    assert spec.answer(content, None) == PYTHON
    assert json.dumps(spec.inputs)
