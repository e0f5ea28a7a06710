"""Verdicts of programs, and what is said of their errors."""

import pytest

from i2s_chassis.limits import Limits
from i2s_render_python.result import DrawnFigure, ProgramError, Result
from i2s_render_python.source_error import source_error
from i2s_render_python.verdict import of_result, with_pictures, without_pictures
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind, SourceError

LIMITS = Limits(pages=3, pixels=100)
ONE = (DrawnFigure(page=1, objects=False),)
ERROR = SourceError("NameError: name 'x' is not defined", ErrorKind.UNDEFINED_COMMAND, line=4)


@pytest.mark.parametrize(
    ("result", "error", "first", "verdict", "words"),
    [
        (Result(total=1, figures=ONE), None, None, None, ""),
        (Result(total=1, figures=ONE), ERROR, None, None, ""),
        (Result(total=0, figures=()), None, None, Verdict.NO_OUTPUT, "without a figure"),
        (Result(total=0, figures=()), ERROR, None, Verdict.COMPILE_ERROR, "stopped on line 4: NameError"),
        (Result(total=2, figures=()), None, 3, Verdict.NO_OUTPUT, "no figure 3 among the 2"),
        (Result(total=4, figures=ONE), None, None, Verdict.PAGE_LIMIT, "4 figures, more than 3"),
        (Result(total=0, figures=(), pixels=(20.0, 6.0)), None, None, Verdict.PIXEL_LIMIT, "20 x 6 pixels"),
        (Result(total=0, figures=(), pixels=(1.0, 1.0)), None, None, Verdict.PIXEL_LIMIT, "more than"),
        (Result(total=0, figures=(), pixels=(-1e300, 1e300)), None, None, Verdict.PIXEL_LIMIT, "pixels"),
    ],
)
def test_a_result_has_its_verdict(result, error, first, verdict, words):
    judgement = of_result(result, error, first, LIMITS)
    assert (judgement.verdict if judgement else None) is verdict
    assert words in (judgement.message if judgement else "")


def test_pictures_and_errors_go_together():
    assert with_pictures(None).verdict is Verdict.RENDERED
    noted = with_pictures(ERROR)
    assert (noted.verdict, "on line 4" in noted.message) == (Verdict.RENDERED_WITH_ERRORS, True)
    elsewhere = SourceError("x", line=2, file="helper.py")
    message = without_pictures(Result(total=0, figures=()), elsewhere, None).message
    assert "on line 2 of helper.py" in message


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("np", "numpy as np"),
        ("plt", "matplotlib.pyplot as plt"),
        ("numpy", "numpy"),
        ("math", "math"),
        ("x", ""),
    ],
)
def test_a_name_of_a_module_has_a_provider(name, module):
    error = source_error(ProgramError(type="NameError", text="…", name=name, file="program.py", line=1))
    assert (error.kind, error.file) == (ErrorKind.UNDEFINED_COMMAND, "")
    assert error.undefined.name == name
    wanted = (Provider(ProviderKind.MODULE, module),) if module else ()
    assert error.undefined.providers == wanted


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ProgramError(type="SyntaxError", text="x", syntax=True), ErrorKind.SYNTAX),
        (
            ProgramError(type="ImportError", text="x", name="m", missing=True),
            ErrorKind.UNDEFINED_FILE,
        ),
        (ProgramError(type="ImportError", text="x", name="m"), ErrorKind.OTHER),
        (ProgramError(type="FileNotFoundError", text="x"), ErrorKind.INPUT_OUTPUT),
        (ProgramError(type="ValueError", text=""), ErrorKind.OTHER),
    ],
)
def test_an_exception_has_its_kind(error, kind):
    assert source_error(error).kind is kind


def test_an_exception_without_words_is_its_name():
    assert source_error(ProgramError(type="ValueError", text="")).message == "ValueError"
