"""The documents for renderers: a Python program, or TikZ code in a LaTeX document and its repairs.

A document is compiled as it is given, other code in a ``standalone`` document. What fails is compiled with
pdfLaTeX, LuaLaTeX and XeLaTeX in this order; if all fail, the one whose first error stands latest counts.
That is the rule of AutomaTikZ and DeTikZify, the nearest that is public.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from i2s_sdk.tasks.chart.document import ChartProgram
from i2s_sdk.tasks.latex.paper_repair import is_of_externalization, without_externalization
from i2s_sdk.tasks.latex.tex_source import code_spans, find_code
from i2s_sdk.tasks.repair import Repair, Repaired, RepairKind
from i2s_wire.render.options import LatexEngine
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.source_error import ErrorKind, ProviderKind, SourceError

#: The most repairs of a document with one engine, besides the change of the engine.
MAX_REPAIRS = 5
#: Engines in the order in which they are tried.
ENGINES = (LatexEngine.PDFLATEX, LatexEngine.LUALATEX, LatexEngine.XELATEX)

_BEGIN = r"\begin{document}"
_CLASS = re.compile(r"\\document(?:class|style)\s*(?:\[[^\]]*\])?\s*\{[^}]*\}")
#: Commands of preambles that code without a document may begin with.
_OF_PREAMBLE = re.compile(
    r"\\(?:usepackage|use(?:tikz|pgf|pgfplots)library|RequirePackage|PassOptionsTo\w+)\b"
)
_ARGUMENTS = re.compile(r"\s*(?:\[[^\]]*\])?\s*\{[^}]*\}")
_PREAMBLE = r"""\documentclass[varwidth=\maxdimen]{standalone}
\usepackage{amsmath,amssymb}
\usepackage{tikz}
\usepackage{pgfplots}
\pgfplotsset{compat=newest}
\usetikzlibrary{arrows,arrows.meta,backgrounds,calc,decorations.pathmorphing,decorations.pathreplacing,fit}
\usetikzlibrary{intersections,matrix,patterns,positioning,quotes,angles,shapes,shapes.geometric,through,3d}
"""
# Letters for which the fonts of LaTeX have no glyphs, and what a document needs for them. A document that a
# model has written as a whole brings its own.
_FONTS = (
    (re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"), "\\usepackage{xeCJK}\n"),
    (
        re.compile("[\u0600-\u06ff]"),
        "\\usepackage[english,bidi=basic]{babel}\n\\babelprovide[import,onchar=ids fonts]{persian}\n"
        "\\babelfont[persian]{rm}{DejaVu Sans}\n",
    ),
)
_NO_PAGE_NUMBER = "\\AtBeginDocument{\\pagestyle{empty}\\renewcommand*\\thispagestyle[1]{}}%\n"
_NOT_FOUND = re.compile(r"File [`'](?P<file>[^']+)\.(?:sty|cls)' not found")
_NEEDS_ANOTHER = re.compile(r"Unicode character|not set up for use with LaTeX|inputenc Error")


@dataclass(frozen=True, slots=True)
class TikzDocument:
    """A document with TikZ code."""

    #: Code as the model wrote it, or as it was wrapped.
    given: str
    #: Packages that are added.
    packages: tuple[str, ...] = ()
    #: Libraries of TikZ and pgfplots that are added, each with the command that loads it.
    libraries: tuple[tuple[str, str], ...] = ()
    #: What compiles it.
    engine: LatexEngine = LatexEngine.PDFLATEX
    #: The engines before, and the line of the first error of each.
    tried: tuple[tuple[LatexEngine, int], ...] = ()

    @property
    def source(self) -> str:
        """The document that is compiled."""
        added = _NO_PAGE_NUMBER + "".join(f"\\usepackage{{{name}}}%\n" for name in self.packages)
        before = "".join(f"\\{command}{{{name}}}%\n" for command, name in self.libraries)
        document_class = _class_of(self.given)
        at = document_class.end() if document_class else 0
        begin = find_code(_BEGIN, self.given)
        end = begin if begin >= at else at
        return f"{self.given[:at]}%\n{added}{self.given[at:end].lstrip(' ')}{before}{self.given[end:]}"


def tikz_document(code: str) -> TikzDocument:
    """Return the document that shows TikZ code."""
    if _class_of(code):
        return TikzDocument(code)
    start = find_code(_BEGIN, code)
    if start >= 0:
        return TikzDocument(_PREAMBLE + code)
    preamble, body = _parted(code)
    fonts = "".join(lines for letters, lines in _FONTS if letters.search(body))
    return TikzDocument(f"{_PREAMBLE}{fonts}{preamble}{_BEGIN}\n{body}\n\\end{{document}}\n")


def _class_of(code: str) -> re.Match[str] | None:
    """Return the first command outside of comments that begins a document."""
    return next(
        (match for start, end in code_spans(code) if (match := _CLASS.search(code, start, end))), None
    )


def _parted(code: str) -> tuple[str, str]:
    """Return the commands of a preamble in some code, a line each, and the code without them."""
    preamble: list[str] = []
    body: list[str] = []
    position = 0
    for start, end in code_spans(code):
        for command in _OF_PREAMBLE.finditer(code, start, end):
            arguments = _ARGUMENTS.match(code, command.end())
            if arguments is None or command.start() < position:
                continue
            preamble.append(f"{command[0]}{arguments[0].strip()}\n")
            body.append(code[position : command.start()])
            position = arguments.end()
    return "".join(preamble), "".join([*body, code[position:]])


def repair(
    document: TikzDocument, rendering: Rendering, past: Sequence[Repair] = ()
) -> Repaired[TikzDocument] | None:
    """Return the document after one more repair, or None if nothing helps.

    What another engine needs changes the engine; else packages and libraries are added or left out before
    that, externalization with them.

    Args:
        document: Document as it was compiled.
        rendering: What became of it; only COMPILE_ERROR is repaired.
        past: Repairs that led to ``document``.
    """
    error = rendering.error
    if rendering.verdict is not Verdict.COMPILE_ERROR or error is None or len(document.tried) == len(ENGINES):
        return None
    since = [number for number, one in enumerate(past, 1) if one.kind is RepairKind.USE_ENGINE]
    with_engine = past[since[-1] if since else 0 :]
    if not _needs_another(error) and len(with_engine) < MAX_REPAIRS:
        repaired = _drawn_here(document, error) or _added(document, error) or _left_out(document, error)
        if repaired is not None:
            return repaired
    return _with_next_engine(document, error)


def _needs_another(error: SourceError) -> bool:
    """Return whether an error says that the engine is the wrong one."""
    of_engine = error.kind is ErrorKind.CONFLICT and re.search(r"(?i)(?:xe|lua)(?:la)?tex", error.message)
    required = error.context.rstrip().endswith((r"\RequireXeTeX", r"\RequireLuaTeX", r"\RequireTUTeX"))
    return bool(of_engine) or required or _NEEDS_ANOTHER.search(error.message) is not None


def _drawn_here(document: TikzDocument, error: SourceError) -> Repaired[TikzDocument] | None:
    """Return the document whose figures are not left to other programs, which no shell starts here."""
    given = without_externalization(document.given) if is_of_externalization(error) else document.given
    if given == document.given:
        return None
    return Repaired(
        replace(document, given=given), Repair(RepairKind.DROP_LIBRARY, "external", error.message)
    )


def _added(document: TikzDocument, error: SourceError) -> Repaired[TikzDocument] | None:
    """Return the document with what defines an undefined name."""
    for provider in error.undefined.providers if error.undefined else ():
        name = provider.name
        if provider.kind is ProviderKind.PACKAGE and name not in document.packages:
            after = replace(document, packages=(*document.packages, name))
            return Repaired(after, Repair(RepairKind.ADD_PACKAGE, name, error.message))
        command = {
            ProviderKind.TIKZ_LIBRARY: "usetikzlibrary",
            ProviderKind.PGFPLOTS_LIBRARY: "usepgfplotslibrary",
        }.get(provider.kind)
        if command and (command, name) not in document.libraries:
            needed = "pgfplots" if command == "usepgfplotslibrary" else "tikz"
            packages = document.packages if needed in document.packages else (*document.packages, needed)
            after = replace(document, packages=packages, libraries=(*document.libraries, (command, name)))
            return Repaired(after, Repair(RepairKind.ADD_LIBRARY, name, error.message))
    return None


def _left_out(document: TikzDocument, error: SourceError) -> Repaired[TikzDocument] | None:
    """Return the document without a package that is not installed."""
    missing = _NOT_FOUND.search(error.message)
    if missing is None:
        return None
    name = PurePosixPath(missing["file"]).name
    loading = re.compile(r"(\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\])?\s*\{)([^}]*)(\})")

    def less(match: re.Match[str]) -> str:
        kept = [one for one in match[2].split(",") if one.strip() != name]
        return f"{match[1]}{','.join(kept)}{match[3]}" if kept else ""

    given = loading.sub(less, document.given)
    if given == document.given:
        return None
    after = replace(document, given=given)
    return Repaired(after, Repair(RepairKind.DROP_PACKAGE, name, error.message))


def _with_next_engine(document: TikzDocument, error: SourceError) -> Repaired[TikzDocument] | None:
    """Return the document for the next engine; after the last, for the one whose first error stood latest."""
    line = 0 if error.file else error.line
    tried = (*document.tried, (document.engine, line))
    if len(tried) < len(ENGINES):
        engine = ENGINES[len(tried)]
    else:
        engine, latest = max(tried, key=lambda one: one[1])
        if latest == line:
            return None
    after = replace(document, engine=engine, tried=tried)
    return Repaired(after, Repair(RepairKind.USE_ENGINE, engine.name.lower(), error.message))


#: A program for render-python, or a document for render-latex.
ScimageDocument = ChartProgram | TikzDocument

PYTHON, TIKZ = "python", "tikz"
OUTPUTS = (PYTHON, TIKZ)
_TEX = re.compile(r"\\(?:documentclass|begin\s*\{(?:document|tikzpicture)\}|tikz\b|usetikzlibrary)")
#: Nothing but comments of TeX before a command: no program in Python begins like that.
_COMMAND_FIRST = re.compile(r"(?:\s|%[^\n]*\n)*\\[a-zA-Z]")
_IMPORT = re.compile(r"^[ \t]*(?:import[ \t]+\w+|from[ \t]+[\w.]+[ \t]+import\b)", re.MULTILINE)


def output_of(code: str) -> str:
    """Return what code is: TIKZ if it begins with a command of TeX, or imports nothing and has one of TikZ.

    A program in Python may have commands of TikZ in its texts and comments.
    """
    if _COMMAND_FIRST.match(code):
        return TIKZ
    return TIKZ if _TEX.search(code) and not _IMPORT.search(code) else PYTHON
