"""The chart task: what a completion becomes, what is repaired, and what is scored."""

from __future__ import annotations

from dataclasses import replace

import pytest

from i2s_sdk.scoring.scorer import MetricValues, NotUsable, Scorable
from i2s_sdk.tasks.chart.document import MAX_REPAIRS, ChartProgram
from i2s_sdk.tasks.chart.elements import SCORES
from i2s_sdk.tasks.chart.evidence import NOTHING_UNSEEN, Unseen
from i2s_sdk.tasks.chart.scorer import ElementScorer, figure_to_text
from i2s_sdk.tasks.chart.spec import view
from i2s_sdk.tasks.chart.task import ChartTask
from i2s_sdk.tasks.repair import Repair, RepairKind
from i2s_sdk.tasks.structure import BlockChoice, NoStructure, Origin, Structure
from i2s_sdk.tasks.view import ShownSample, TextPanel
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.figure import Figure, FigureText
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.request import PythonSource
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind, SourceError, Undefined

TASK = ChartTask()
CODE = "plt.plot(np.arange(3))\nplt.show()"
FIGURE = Figure(texts=(FigureText("Rain"),))


def failed(*modules: str) -> Rendering:
    """Return a rendering of a program that uses a name which these modules define."""
    providers = tuple(Provider(ProviderKind.MODULE, name) for name in modules)
    error = SourceError(
        "name 'x' is not defined", ErrorKind.UNDEFINED_COMMAND, undefined=Undefined("x", providers)
    )
    return Rendering(Verdict.COMPILE_ERROR, error=error)


@pytest.mark.parametrize(
    ("completion", "origin"),
    [
        (CODE, Origin.BARE),
        (f"```python\n{CODE}\n```", Origin.FENCE),
        (f"Here it is:\n```py\n{CODE}\n```\nEnjoy!", Origin.FENCE),
        (f"```\n{CODE}\n```", Origin.FENCE),
        (f"```python\n{CODE}", Origin.UNCLOSED_FENCE),
    ],
)
def test_the_block_of_python_is_the_program(completion: str, origin: Origin) -> None:
    assert TASK.structure_from(completion) == Structure(CODE, origin)


PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 2])"
TITLED = f"{PLOT}\nplt.title('T')"


@pytest.mark.parametrize(
    ("blocks", "taken"),
    [
        ([PLOT, TITLED], [2]),
        (["import matplotlib.pyplot as plt\nx = [1, 2]", "plt.plot(x)"], [1, 2]),
        (["import matplotlib.pyplot as plt", "x = [1, 2]", "plt.plot(x)", "plt.title('T')"], [1, 2, 3, 4]),
        ([PLOT, "print('Done.')"], [1]),
        ([PLOT, "import numpy as np"], [1]),
        (["pip install matplotlib", PLOT], [2]),
        (["!pip install matplotlib\n%matplotlib inline", PLOT], [2]),
        (
            ["import matplotlib.pyplot as plt\ndef draw(ax):\n    ax.plot(x)", "x = 1\ndraw(plt.gca())"],
            [1, 2],
        ),
        (["x = [1, 2]", PLOT], [2]),
        (["import matplotlib.pyplot as plt\nx = 1", TITLED, "plt.plot(x)"], [1, 3]),
        (["from pylab import *", "plot([1, 2])"], [2]),
        ([PLOT, "plt.plot(  # cut"], [1]),
    ],
)
def test_blocks_that_need_the_names_of_others_are_one_program(blocks: list[str], taken: list[int]) -> None:
    completion = "\n".join(f"Then:\n```python\n{block}\n```" for block in blocks)
    structure = TASK.structure_from(completion)
    assert isinstance(structure, Structure)
    assert structure.choice == BlockChoice(len(blocks), tuple(taken))
    assert structure.code == "\n".join(blocks[number - 1] for number in taken)


def test_a_complete_block_comes_before_one_that_was_cut_off() -> None:
    structure = TASK.structure_from(f"```python\n{PLOT}\n```\nBetter:\n```python\nimport matplotlib")
    assert isinstance(structure, Structure)
    assert (structure.code, structure.origin) == (PLOT, Origin.FENCE)


@pytest.mark.parametrize(
    "completion", ["", " \n", "```python\n```", "I would draw two lines, one red and one blue."]
)
def test_nothing_is_no_program(completion: str) -> None:
    assert isinstance(TASK.structure_from(completion), NoStructure)


def test_a_program_is_run_with_its_files_and_its_objects_are_wanted() -> None:
    request = TASK.request(TASK.document(Structure(CODE), {"a.csv": b"1"}))
    assert request.source == PythonSource(CODE.encode(), {"a.csv": b"1"})
    assert request.options.python.want_objects


def test_modules_that_are_missing_are_imported_one_by_one() -> None:
    first = TASK.repair(ChartProgram(CODE), failed("matplotlib.pyplot as plt"))
    assert first is not None
    assert first.repair == Repair(
        RepairKind.ADD_IMPORT, "matplotlib.pyplot as plt", "name 'x' is not defined"
    )
    second = TASK.repair(first.document, failed("numpy as np"), (first.repair,))
    assert second is not None
    assert second.document.source == f"import matplotlib.pyplot as plt; import numpy as np\n{CODE}"


def test_an_import_that_did_not_help_is_not_made_again() -> None:
    assert TASK.repair(ChartProgram(CODE, ("numpy as np",)), failed("numpy as np")) is None


def test_repairs_have_an_end() -> None:
    past = (Repair(RepairKind.ADD_IMPORT, "m", ""),) * MAX_REPAIRS
    assert TASK.repair(ChartProgram(CODE), failed("numpy as np"), past) is None


def test_a_name_that_no_module_defines_and_a_program_with_a_figure_are_left_alone() -> None:
    assert TASK.repair(ChartProgram(CODE), failed()) is None
    drawn = replace(failed("numpy as np"), verdict=Verdict.RENDERED_WITH_ERRORS)
    assert TASK.repair(ChartProgram(CODE), drawn) is None


def test_names_that_libraries_have_removed_are_put_back_one_by_one() -> None:
    def removed(name: str) -> Rendering:
        undefined = Undefined(name, (Provider(ProviderKind.RESTORED_NAME, name),))
        error = SourceError("no such name", ErrorKind.UNDEFINED_COMMAND, undefined=undefined)
        return Rendering(Verdict.COMPILE_ERROR, error=error)

    for task in (TASK, ChartTask(Profile.HELM)):
        first = task.repair(ChartProgram(CODE), removed("numpy.float_"))
        assert first is not None
        assert first.repair == Repair(RepairKind.RESTORE_NAME, "numpy.float_", "no such name")
        assert first.document.source == CODE
        second = task.repair(first.document, removed("numpy.trapz"), (first.repair,))
        assert second is not None
        wanted = task.request(second.document).options.python.restored_names
        assert wanted == ("numpy.float_", "numpy.trapz")
        assert task.repair(second.document, removed("numpy.trapz")) is None
    assert TASK.request(ChartProgram(CODE)).options.python.restored_names == ()


def test_lines_of_notebooks_are_left_out_by_the_rules_of_the_paper_alone() -> None:
    error = SourceError("SyntaxError: invalid syntax", ErrorKind.SYNTAX, line=1)
    failed = Rendering(Verdict.COMPILE_ERROR, error=error)
    program = ChartProgram(f"%matplotlib inline\n{CODE}")
    repaired = TASK.repair(program, failed)
    assert repaired is not None
    assert repaired.document == ChartProgram(f"\n{CODE}")
    assert repaired.repair == Repair(RepairKind.LEAVE_OUT_LINE, "%matplotlib inline", error.message)
    assert ChartTask(Profile.HELM).repair(program, failed) is None
    elsewhere = replace(error, file="helper.py")
    assert TASK.repair(program, replace(failed, error=elsewhere)) is None


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_imports_from_the_future_stay_first(end: str) -> None:
    program = ChartProgram(f'"""A."""\nfrom __future__ import annotations{end}', ("math",))
    compile(program.source, "program", "exec")
    assert program.source.rstrip().endswith("import math")


def test_values_are_those_of_the_elements() -> None:
    text = figure_to_text(FIGURE, NOTHING_UNSEEN)
    values = ElementScorer().score(Scorable("a", CODE, text=text, truth=text))
    assert isinstance(values, MetricValues)
    assert values.metrics == dict.fromkeys((*SCORES, "objects_in_image"), 1.0)


def test_objects_that_were_not_compared_with_an_image_count_as_they_are() -> None:
    text = figure_to_text(FIGURE)
    values = ElementScorer().score(Scorable("a", CODE, text=text, truth=text))
    assert isinstance(values, MetricValues)
    assert values.metrics == {**dict.fromkeys(SCORES, 1.0), "objects_in_image": None}
    assert set(values.undefined) == {"objects_in_image"}


def test_objects_count_as_far_as_the_image_shows_them() -> None:
    """Neither text nor mark is shown; they still count as elements, and so lower what else there is."""
    truth = figure_to_text(FIGURE, NOTHING_UNSEEN)
    unseen = Unseen(texts=tuple(range(len(FIGURE.texts))), marks=tuple(range(len(FIGURE.marks))))
    sample = Scorable("a", CODE, text=figure_to_text(FIGURE, unseen), truth=truth)
    values = ElementScorer().score(sample)
    assert isinstance(values, MetricValues)
    assert values.metrics["objects_in_image"] == 0.0
    assert all(values.metrics[name] == 0.0 for name in SCORES)
    assert values.detail["texts not in the image"] == ["Rain"]
    (as_before,) = (scorer for scorer in ChartTask(Profile.HELM).scorers if isinstance(scorer, ElementScorer))
    known = as_before.score(sample)
    assert isinstance(known, MetricValues)
    assert known.metrics == {**dict.fromkeys(SCORES, 1.0), "objects_in_image": 0.0}


def test_what_neither_image_shows_matches() -> None:
    unseen = Unseen(texts=(0,))
    text = figure_to_text(FIGURE, unseen)
    values = ElementScorer().score(Scorable("a", CODE, text=text, truth=text))
    assert isinstance(values, MetricValues)
    assert values.metrics == dict.fromkeys((*SCORES, "objects_in_image"), 1.0)


def test_what_did_not_match_is_kept_for_the_report() -> None:
    truth, text = figure_to_text(FIGURE), figure_to_text(Figure())
    values = ElementScorer().score(Scorable("a", CODE, text=text, truth=truth))
    assert isinstance(values, MetricValues)
    assert values.metrics["text"] == 0.0
    assert values.detail["texts missing"] == ["Rain"]


def test_a_report_lists_what_has_no_match_and_nothing_else() -> None:
    detail = {"chart elements": {"texts missing": ["Rain"], "marks added": ["line (2)"]}}
    (panel,) = view(ShownSample(detail=detail))
    assert isinstance(panel, TextPanel)
    assert panel.text == "texts missing: Rain\nmarks added: line (2)"
    assert view(ShownSample()) == ()


def test_an_instance_without_a_program_has_no_scores_of_elements() -> None:
    assert not ElementScorer().applies(Scorable("a", CODE, text=figure_to_text(FIGURE)))


def test_a_sample_that_is_not_usable_counts_0() -> None:
    zeros = dict.fromkeys((*SCORES, "objects_in_image"), 0.0)
    assert ElementScorer().unusable(Scorable("a")).metrics == zeros
    found = ElementScorer().score(Scorable("a", CODE, text="", truth=figure_to_text(FIGURE)))
    assert isinstance(found, NotUsable)


def test_a_program_without_figure_objects_is_compared_as_an_empty_figure() -> None:
    text = TASK.text_for_edit(ChartProgram(CODE), Rendering(Verdict.RENDERED))
    assert text == figure_to_text(Figure(), NOTHING_UNSEEN)
