"""Profile ``helm`` of LaTeX, bug for bug: the document of an answer, its text, and its repairs.

Everything here is plain replacement in the text of the answer, comments and verbatim text included. The
blank lines that it leaves behind are kept: they cannot be seen, but sources are compared byte for byte. Rules
work line by line, as they do in the reference implementation; commands whose arguments end on their line are
found in linear time over a whole text whatever it holds. Repairs look for phrases in the engine's message.

Source: fidelity vectors of HELM v1.0.x, kinds "latex" and "strip_latex".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from i2s_sdk.tasks.latex.document import DOCUMENT_CLASS, NUMBERED, LatexDocument, preamble
from i2s_sdk.tasks.repair import Repair, Repaired, RepairKind
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.source_error import SourceError


class NextFound:
    r"""Where something is next found in a text, for positions that never go back.

    Patterns such as ``\{[^\n]*?\}`` look through the rest of the line anew at each place where they
    nearly match, so a text of nothing but openings costs the square of its length. What was looked
    through here is remembered.

    Args:
        text: Text that is looked through.
        wanted: What is looked for.
    """

    def __init__(self, text: str, wanted: str) -> None:
        self._text, self._wanted = text, wanted
        self._from, self._found = 0, -1

    def at(self, position: int) -> int:
        """Return the first place at or after ``position``; the length of the text if there is none."""
        if self._found < position or position < self._from:
            place = self._text.find(self._wanted, position)
            self._from, self._found = position, len(self._text) if place < 0 else place
        return self._found


class LineArguments:
    """The arguments of commands of one text, read in the order in which they stand.

    Every method takes the position where arguments may begin and returns where they end, or None if
    they are not there.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._line_end = NextFound(source, "\n")
        self._brace = NextFound(source, "}")
        self._bracket = NextFound(source, "]")
        self._option_end = NextFound(source, "]{")

    def name(self, position: int) -> int | None:
        r"""Stand for ``\{[^\n]*?\}``."""
        return self._closed(position, "{", self._brace, self._line_end.at(position))

    def option(self, position: int) -> int | None:
        r"""Stand for ``\[[^\n]*?\]``."""
        return self._closed(position, "[", self._bracket, self._line_end.at(position))

    def option_and_name(self, position: int) -> int | None:
        r"""Stand for ``(?:\[[^\n]*?\])?\{[^\n]*?\}``."""
        line_end = self._line_end.at(position)
        end = self._closed(position, "[", self._option_end, line_end)
        return self._closed(end or position, "{", self._brace, line_end)

    def option_and_rest(self, position: int) -> int | None:
        r"""Stand for ``(?:\[[^\n]*?\])?\{[^\n]*\}``, which goes on to the last brace of the line."""
        end = self.option_and_name(position)
        return None if end is None else self._source.rfind("}", position, self._line_end.at(position)) + 1

    def after(self, blank: re.Pattern[str], position: int) -> int:
        """Return the end of ``blank``, which may match nothing."""
        match = blank.match(self._source, position)
        return match.end() if match else position

    def _closed(self, position: int, opening: str, closing: NextFound, line_end: int) -> int | None:
        if not self._source.startswith(opening, position):
            return None
        closed = closing.at(position + 1)
        return closed + 1 if closed < line_end else None


def without(
    command: re.Pattern[str], arguments: Callable[[LineArguments, int], int | None], source: str
) -> str:
    """Return ``source`` without every ``command`` that has its arguments."""
    read = LineArguments(source)
    kept: list[str] = []
    position = 0
    for match in command.finditer(source):
        end = arguments(read, match.end()) if match.start() >= position else None
        if end is not None:
            kept.append(source[position : match.start()])
            position = end
    return "".join([*kept, source[position:]])


def first(command: re.Pattern[str], source: str) -> str | None:
    """Return the first ``command`` with an option, if any, and its name; None if there is none."""
    read = LineArguments(source)
    for match in command.finditer(source):
        end = read.option_and_name(match.end())
        if end is not None:
            return source[match.start() : end]
    return None


_HEADER = re.compile(r"\\(?:documentclass|documentstyle|usepackage)(?=[\[{])")
_BEGIN_DOCUMENT = re.compile(r"\\begin\{document\}\n*")
_END_DOCUMENT = r"\end{document}"
_BEGIN = re.compile(r"\\begin(?=\{)")
_END = re.compile(r"\\end(?=\{)")
_SPACES = re.compile(" +")
_BLANK_LINES = re.compile(r"\n\s*\n")


def strip_latex(source: str) -> str:
    r"""Return ``source`` without preamble, one line feed after every ``\begin{…}`` and ``\end{…}``.

    An option stays with its ``\begin``; but if a line feed follows the option, the one that is added stands
    before it. Runs of blanks become one, each tab becomes one blank, blank lines go.
    """
    body = _BEGIN_DOCUMENT.sub("", without(_HEADER, LineArguments.option_and_name, source))
    body = body.partition(_END_DOCUMENT)[0]
    body = _break_after_ends(_break_after_begins(body))
    body = _SPACES.sub(" ", body).replace("\t", " ")
    lines = "\n".join(line.strip(" \t") for line in body.split("\n"))
    return _BLANK_LINES.sub("\n", lines).strip()


def _break_after_begins(body: str) -> str:
    read = LineArguments(body)
    parts: list[str] = []
    position = 0
    for match in _BEGIN.finditer(body):
        name_end = read.name(match.end()) if match.start() >= position else None
        if name_end is None:
            continue
        end = read.option(name_end) or name_end
        broken = body.startswith("\n", end)
        cut = name_end if broken else end
        line_feed = "" if broken and end == name_end else "\n"
        parts += [body[position:cut], line_feed, body[cut:end]]
        position = end
    return "".join([*parts, body[position:]])


def _break_after_ends(body: str) -> str:
    read = LineArguments(body)
    parts: list[str] = []
    position = 0
    for match in _END.finditer(body):
        end = read.name(match.end()) if match.start() >= position else None
        if end is not None and not body.startswith("\n", end):
            parts += [body[position:end], "\n"]
            position = end
    return "".join([*parts, body[position:]])


BEGIN, END = r"\begin{document}", r"\end{document}"

_LABEL = re.compile(r"\\label(?=\{)")
_AFTER_LABEL = re.compile(r"[\t ]*\n?")
_CLASS = re.compile(r"\\documentclass(?=[\[{])")
_STYLE = re.compile(r"\\documentstyle(?=[\[{])")
_PACKAGE = re.compile(r"\\usepackage(?=[\[{])")


@dataclass(frozen=True)
class HelmDocument(LatexDocument):
    """A document of profile ``helm``; its text is its only state, repairs rewrite all of it."""

    document: str

    @property
    def source(self) -> str:
        """The text that the engine reads."""
        return self.document

    @property
    def text(self) -> str:
        """The document without preamble, comments kept."""
        return strip_latex(self.document)


def helm_document(code: str) -> HelmDocument:
    """Return the document of some LaTeX code, be it a fragment, a document, or one made here before."""
    return HelmDocument(_with_preamble(_with_delimiters(_without_numbers(code))))


def _without_numbers(code: str) -> str:
    for name in NUMBERED:
        code = code.replace(f"{{{name}}}", f"{{{name}*}}")
    return without(_LABEL, _label, code)


def _label(read: LineArguments, position: int) -> int | None:
    """Return the end of the name of a label and of the line, if nothing else follows on it."""
    end = read.name(position)
    return None if end is None else read.after(_AFTER_LABEL, end)


def _with_delimiters(code: str) -> str:
    # A document of class article counts as begun even where it is not.
    if BEGIN not in code and DOCUMENT_CLASS not in code:
        code = BEGIN + code
    return code if END in code else code + END


def _with_preamble(code: str) -> str:
    own_class = first(_CLASS, code) or first(_STYLE, code)
    code = code.replace(own_class, DOCUMENT_CLASS) if own_class else f"{DOCUMENT_CLASS}\n\n{code}"
    # What follows a package on its line goes with it, up to the last brace.
    bare = without(_PACKAGE, LineArguments.option_and_rest, code)
    return bare.replace(DOCUMENT_CLASS, preamble(Profile.HELM) + "\n")


#: The most repairs of one document.
MAX_REPAIRS = 3

#: Errors that are held to be the fault of the model and end the attempts.
HOPELESS = (
    "Undefined control sequence",
    r"LaTeX Error: Lonely \item--perhaps a missing list environment.",
    "Missing } inserted",
    "Missing { inserted",
    "Double subscript.",
    "LaTeX Error: Not in outer par mode.",
    r"Extra alignment tab has been changed to \cr.",
    "Missing \\",
    r"LaTeX Error: \begin{",
    r"Misplaced \noalign",
    " already defined.",
)

_NO_MATH = ("Missing $ inserted", " allowed only in math mode")
_NO_ENVIRONMENT = re.compile(r"LaTeX Error: Environment (.*) undefined")


def repair(document: HelmDocument, error: SourceError) -> Repaired[HelmDocument] | None:
    r"""Return the document after the repairs that an error calls for, or None if there are none.

    Maths outside of math mode wraps all that stands between the delimiters of the document in ``$$``, as
    often as it is reported. An undefined environment loads the package of its name, which making the
    document removes again, unless the fixed preamble has a package of that name: then it ends the attempts.
    """
    message = error.message.replace("\n", "")
    if any(phrase in message for phrase in HOPELESS):
        return None
    code, done = document.source, None
    if any(phrase in message for phrase in _NO_MATH):
        code, done = _in_dollars(code), Repair(RepairKind.WRAP_MATH, "$$", error.message)
    undefined = _NO_ENVIRONMENT.search(message)
    if undefined:
        line = rf"\usepackage{{{undefined[1]}}}"
        if line in code:
            return None
        code = code.replace(DOCUMENT_CLASS, f"{DOCUMENT_CLASS}\n{line}\n")
        done = Repair(RepairKind.ADD_NAMESAKE, undefined[1], error.message)
    if done is None or code == document.source:
        return None
    return Repaired(helm_document(code), done)


def _in_dollars(code: str) -> str:
    parts: list[str] = []
    position = 0
    while (begin := code.find(BEGIN, position)) >= 0:
        body = begin + len(BEGIN)
        end = code.find(END, body)
        if end < 0:
            break
        parts += [code[position:body], "$$", code[body:end], "$$", END]
        position = end + len(END)
    return "".join([*parts, code[position:]])
