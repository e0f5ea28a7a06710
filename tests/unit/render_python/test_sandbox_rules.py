"""Errors that a rule of the sandbox causes name the rule."""

import pytest

from i2s_render_python.result import ProgramError
from i2s_render_python.sandbox_rules import rule
from i2s_render_python.source_error import source_error

LIBRARIES = ("matplotlib", "numpy")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            ProgramError(
                type="PermissionError", text="[Errno 13] Permission denied: '/w/.cache/matplotlib/tex.cache'"
            ),
            "no LaTeX in this sandbox",
        ),
        (
            ProgramError(
                type="RuntimeError", text="Failed to process string with tex because latex could not be found"
            ),
            "no LaTeX in this sandbox",
        ),
        (
            ProgramError(
                type="FileNotFoundError",
                text="[Errno 2] No such file or directory",
                module="multiprocessing.synchronize",
            ),
            "no shared memory in this sandbox",
        ),
        (ProgramError(type="URLError", text="<urlopen error …>", module="urllib.request"), "no network"),
        (ProgramError(type="OSError", text="[Errno 97] Address family …", module="socket"), "no network"),
        (
            ProgramError(type="FileNotFoundError", text="… 'ls'", module="subprocess"),
            "starts no other programs",
        ),
        (
            ProgramError(
                type="ModuleNotFoundError",
                text="No module named 'plotly'",
                name="plotly.express",
                missing=True,
            ),
            "these libraries: matplotlib, numpy",
        ),
        (
            ProgramError(type="ImportError", text="requires pygraphviz", module="networkx"),
            "these libraries: matplotlib",
        ),
        (ProgramError(type="ModuleNotFoundError", text="…", name="tkinter", missing=True), "no display"),
        (ProgramError(type="EOFError", text="EOF when reading a line"), "standard input is empty"),
        (ProgramError(type="PermissionError", text="… '/etc/x'"), "its own folder only"),
        (
            ProgramError(type="FileNotFoundError", text="… 'data.csv'"),
            "Only files that came with the program",
        ),
    ],
)
def test_the_rule_that_is_the_cause_is_named(error, words):
    assert words in rule(error, LIBRARIES)
    assert words in source_error(error, LIBRARIES).message


@pytest.mark.parametrize(
    "error",
    [
        ProgramError(type="ValueError", text="x"),
        ProgramError(type="OSError", text="x", module="numpy"),
        ProgramError(type="ImportError", text="cannot import name 'x'", name="m", module="__main__"),
        ProgramError(type="ModuleNotFoundError", text="x", name="msvcrt", missing=True),
        ProgramError(type="FileNotFoundError", text="x"),
    ],
)
def test_other_errors_are_left_in_the_words_of_python(error):
    assert rule(error, LIBRARIES) == ""
