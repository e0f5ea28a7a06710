"""Names the rule of the sandbox that is the cause of an error of a program."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

from i2s_render_python.result import ProgramError

_LATEX = re.compile(
    r"tex\.cache|because (?:latex|xelatex|lualatex|pdflatex|dvipng) could not be found|"
    r"(?:xelatex|lualatex|pdflatex) not found"
)
_OF_NETWORK = frozenset(
    {"URLError", "HTTPError", "gaierror", "ConnectionError", "ConnectionRefusedError", "NewConnectionError"}
)
_MODULES_OF_NETWORK = frozenset({"socket", "_socket", "urllib.request", "http.client", "ssl", "asyncio"})
_SHARED_MEMORY = ("multiprocessing.synchronize", "multiprocessing.shared_memory", "multiprocessing.heap")
_OF_DISPLAYS = frozenset({"tkinter", "_tkinter", "PyQt5", "PyQt6", "PySide2", "PySide6", "wx", "gi"})
_ABSOLUTE = re.compile(r"'(/[^']*)'")


def rule(error: ProgramError, libraries: Sequence[str]) -> str:
    """Return a sentence that names the rule, empty if no rule is known to be the cause.

    Args:
        error: The exception that ended the program.
        libraries: What programs may import.
    """
    if error.missing and error.name:
        return _of_module(error.name.partition(".")[0], libraries)
    if error.type == "ImportError" and error.module != "__main__":  # a library lacks another one
        return _of_module("", libraries)
    if _LATEX.search(error.text):
        return "There is no LaTeX in this sandbox, so text.usetex and pgf cannot be used."
    if error.module.startswith(_SHARED_MEMORY):
        return (
            "There is no shared memory in this sandbox, and so no semaphores: "
            "pools and queues of multiprocessing cannot be used."
        )
    if error.type in _OF_NETWORK or (_is_of_system(error) and error.module in _MODULES_OF_NETWORK):
        return "There is no network in this sandbox."
    if _is_of_system(error) and error.module == "subprocess":
        return "A program starts no other programs in this sandbox."
    if error.type == "EOFError" and "reading a line" in error.text:
        return "There is nobody to answer in this sandbox: standard input is empty."
    return _of_files(error)


def _of_module(name: str, libraries: Sequence[str]) -> str:
    if name in _OF_DISPLAYS:
        return "There is no display in this sandbox, and no library of windows."
    if name in sys.stdlib_module_names:
        return ""
    return f"Programs may import the modules of Python and these libraries: {', '.join(libraries)}."


def _is_of_system(error: ProgramError) -> bool:
    return error.type in ("OSError", "PermissionError", "FileNotFoundError", "BlockingIOError")


def _of_files(error: ProgramError) -> str:
    if error.type not in ("FileNotFoundError", "PermissionError"):
        return ""
    if _ABSOLUTE.search(error.text):
        return "A program reads and writes in its own folder only."
    return "Only files that came with the program lie beside it." if "'" in error.text else ""
