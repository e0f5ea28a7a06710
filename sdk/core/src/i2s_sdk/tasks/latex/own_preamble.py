r"""The code that a model wrote, taken apart: its packages, its definitions, and what it shows."""

from __future__ import annotations

import re
from dataclasses import dataclass

from i2s_sdk.tasks.latex.packages import Package
from i2s_sdk.tasks.latex.tex_source import code_only, commands, cut, find_code

_BEGIN, _END = r"\begin{document}", r"\end{document}"
_CLASS = {"documentclass": 1, "documentstyle": 1}
_LOAD = {"usepackage": 1, "RequirePackage": 1}
# What LaTeX permits in a preamble alone, by number of arguments.
_PREAMBLE_ONLY = {"DeclareMathOperator": 2, "DeclareUnicodeCharacter": 2, "DeclarePairedDelimiter": 3}

_NEW_COMMAND = re.compile(
    r"\\(?:newcommand|NewDocumentCommand|DeclareMathOperator|DeclarePairedDelimiter|newlength)(?![A-Za-z@])\*?"
    r"\s*(?:\{\s*)?\\(?P<name>[A-Za-z]+)"
)
_NEW_ENVIRONMENT = re.compile(
    r"\\(?:newenvironment|NewDocumentEnvironment|newtheorem)(?![A-Za-z@])\*?\s*\{\s*(?P<name>[A-Za-z]+\*?)\s*\}"
)


@dataclass(frozen=True, slots=True)
class OwnDocument:
    """The parts of the code that a model wrote.

    Attributes:
        packages: Packages that it loads, in its order.
        definitions: What else it says before the body: macros, styles, lengths.
        body: What it shows.
    """

    packages: tuple[Package, ...]
    definitions: str
    body: str


def take_apart(code: str) -> OwnDocument:
    r"""Return the parts of ``code``, which may be a document, a fragment, or a document cut off.

    Without ``\begin{document}`` everything is body but the class, the packages and what LaTeX permits in a
    preamble alone. Without ``\end{document}`` the body goes on to the end.
    """
    begin = find_code(_BEGIN, code)
    before, body = ("", code) if begin < 0 else (code[:begin], code[begin + len(_BEGIN) :])
    end = find_code(_END, body)
    body = body if end < 0 else body[:end]
    if begin < 0:
        early = list(commands(body, _PREAMBLE_ONLY))
        before = "\n".join(body[command.start : command.end] for command in early)
        packages, body = _without_header(cut(body, early))
    else:
        packages, before = _without_header(before)
    return OwnDocument(packages, before.strip(), body.strip())


def _without_header(code: str) -> tuple[tuple[Package, ...], str]:
    header = list(commands(code, _CLASS | _LOAD))
    packages = [
        Package(name.strip(), " ".join(code_only(command.option).split()))
        for command in header
        if command.name in _LOAD
        for name in code_only(command.arguments[0]).split(",")
        if name.strip()
    ]
    return tuple(packages), cut(code, header)


def defined_names(code: str) -> frozenset[str]:
    r"""Return the names that ``code`` defines as new, as ``\newcommand`` does; an environment has two."""
    text = code_only(code)
    environments = {match["name"] for match in _NEW_ENVIRONMENT.finditer(text)}
    new_commands = {match["name"] for match in _NEW_COMMAND.finditer(text)}
    return frozenset(new_commands | environments | {f"end{name}" for name in environments})
