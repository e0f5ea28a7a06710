"""Functions of the user in a Python file, named on a command line as ``FILE.py:NAME``.

They are the user's own code and may do anything, so ``i2s.toml`` of the working folder may not name one
(``i2s_sdk.settings_sources``).
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Self

from i2s_sdk.errors import UsageError

_FORM = re.compile(r"(?P<path>.+\.py):(?P<name>[A-Za-z_]\w*)")

#: Characters of a digest by which versions of a file are told apart.
_DIGEST_CHARACTERS = 16


def is_own_code(text: str) -> bool:
    """Return whether a text names something in a Python file."""
    return _FORM.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class OwnFunction:
    """A function in a Python file. It can be pickled; whoever calls it runs the file."""

    #: The file.
    path: Path
    #: Name of the function in it.
    name: str
    #: Beginning of the SHA-256 of the file.
    digest: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the function that a text such as "my.py:score" names, and run its file.

        Raises:
            UsageError: The text is of another form, or the file cannot be run or has no such function.
        """
        form = _FORM.fullmatch(text)
        if form is None:
            raise UsageError(f"{text!r} is not of the form FILE.py:NAME, such as my.py:score")
        path = Path(form["path"]).absolute()
        try:
            digest = _digest(path.read_bytes())
        except OSError as error:
            raise UsageError(f"{text}: the file cannot be read: {error.strerror}") from None
        function = cls(path, form["name"], digest)
        function.load()
        return function

    def __str__(self) -> str:
        return f"{self.path.name}:{self.name}"

    def load(self) -> Callable[..., Any]:
        """Return the function itself.

        Raises:
            UsageError: The file cannot be run, has no such function, or was changed.
        """
        function = getattr(self.module(), self.name, None)
        if not callable(function):
            raise UsageError(f"{self}: {self.path} has no function {self.name!r}")
        return function  # type: ignore[no-any-return]

    def module(self) -> ModuleType:
        """Return the file as a module; it is run once in a process.

        Raises:
            UsageError: See ``load``.
        """
        return _module(self.path, self.digest)


@cache
def _module(path: Path, digest: str) -> ModuleType:
    content = path.read_bytes()
    if _digest(content) != digest:
        raise UsageError(f"{path} was changed since the command began; give the command again")
    module = ModuleType(f"i2s_own_{digest}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses look their module up
    try:
        exec(compile(content, path, "exec"), module.__dict__)  # noqa: S102 - the user named the file
    except (Exception, SystemExit) as error:  # the code of a user may raise anything
        line = error.lineno if isinstance(error, SyntaxError) else _line_in(path, error)
        where = f", line {line}" if line else ""
        raise UsageError(f"{path}{where}: {' '.join(f'{type(error).__name__}: {error}'.split())}") from error
    return module


def _line_in(path: Path, error: BaseException) -> int | None:
    """Return the line of a file at which an error came out of it; None if none did."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def fault_of(function: OwnFunction, error: BaseException) -> str:
    """Return what went wrong in a function of a user, with the line, as one sentence."""
    line = _line_in(function.path, error)
    where = f", line {line}" if line else ""
    return f"{function}{where}: {' '.join(f'{type(error).__name__}: {error}'.split())}"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_DIGEST_CHARACTERS]
