"""Lines of notebooks and interpreters, at which Python cannot read a program."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.chart.reading import without_notebook_line

REST = "\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "%config InlineBackend.figure_format = 'svg'",
        "%%time",
        "%%capture",
        "!pip install seaborn",
        "!ls",
        "?plt.plot",
        "plt.plot?",
        "plt.plot??",
    ],
)
def test_a_line_of_a_notebook_is_left_out_and_the_others_keep_their_numbers(line: str) -> None:
    assert without_notebook_line(line + REST, 1) == (REST, line)


@pytest.mark.parametrize(
    ("code", "number", "changed"),
    [
        ("x = 1\n%matplotlib inline\ny = 2", 2, "x = 1\n\ny = 2"),
        ("if x:\n    %matplotlib inline\ny = 2", 2, "if x:\n    pass\ny = 2"),
        ("!pip install \\\n    seaborn\nx = 1", 1, "\n\nx = 1"),
        ("%time plt.plot([1])", 1, "plt.plot([1])"),
    ],
)
def test_a_program_can_be_read_without_its_line(code: str, number: int, changed: str) -> None:
    found = without_notebook_line(code, number)
    assert found is not None
    assert found[0] == changed
    compile(found[0], "program", "exec")


@pytest.mark.parametrize(
    ("session", "program", "note"),
    [
        (
            ">>> x = [1,\n...      2]\n>>> x\n[1, 2]\n>>> for y in x:\n...     print(y)\n...\n1\n2",
            "x = [1,\n     2]\nx\n\nfor y in x:\n    print(y)\n\n\n",
            "6 prompts and 3 lines of output of an interpreter",
        ),
        (
            "In [1]: x = [1,\n   ...:      2]\nIn [2]: x\nOut[2]: [1, 2]",
            "x = [1,\n     2]\nx\n",
            "3 prompts and 1 lines of output of an interpreter",
        ),
    ],
)
def test_prompts_are_left_out_with_the_output_between_them(session: str, program: str, note: str) -> None:
    found = without_notebook_line(session, 1)
    assert found is not None
    assert (found[0].rstrip(), found[1]) == (program.rstrip(), note)
    compile(found[0], "program", "exec")


@pytest.mark.parametrize(
    ("code", "number"),
    [
        ("x = (1\n% 2", 2),
        ("x = 5 +", 1),
        ("plt.plot(", 1),
        ("Here is the program:", 1),
        (">>> x = 1\nplt.plot([x])", 1),
        ("x = 1\n>>> plt.plot([x])", 2),
        ("%time x = 1", 9),
        ("", 0),
    ],
)
def test_other_lines_stay(code: str, number: int) -> None:
    assert without_notebook_line(code, number) is None


@given(st.text(alphabet="%!?>. \nIn[1]:=ax\\", max_size=60), st.integers(0, 8))
def test_a_program_keeps_the_number_of_its_lines(code: str, number: int) -> None:
    found = without_notebook_line(code, number)
    assert found is None or found[0].count("\n") == code.count("\n")
