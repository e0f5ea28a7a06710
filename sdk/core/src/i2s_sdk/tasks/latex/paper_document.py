"""The document of profile ``paper``: the fixed preamble, then what the model brought, then its body.

Source: Image2Struct, appendix on post-processing; beyond it, the model's own packages are kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from pylatexenc.latexencode import get_builtin_uni2latex_dict

from i2s_sdk.tasks.latex.document import (
    LatexDocument,
    fixed_packages,
    preamble,
    preamble_without,
    without_numbers,
)
from i2s_sdk.tasks.latex.packages import (
    EXCLUDES_SECTION,
    INSTEAD_OF,
    LATE_OPTIONS,
    LATE_SETUP,
    NEEDLESS_PACKAGES,
    ON_DEMAND,
    PAGE_PACKAGES,
    PHYSICS_NAMES,
    SECTION_PACKAGES,
    STAND_INS,
    Package,
)
from i2s_sdk.tasks.latex.tex_source import code_only, commands, cut, find_code, without_comments
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.source_error import Provider, ProviderKind

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
    """The parts of the code that a model wrote."""

    #: Packages that it loads, in its order.
    packages: tuple[Package, ...]
    #: What else it says before the body: macros, styles, lengths.
    definitions: str
    #: What it shows.
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


def loading_lines(packages: Sequence[Package], fixed: str) -> Iterator[str]:
    """Yield what makes ``packages`` available after the preamble ``fixed``, in their order.

    A package that the preamble has is not loaded again, since its options would clash: those that can
    still be given are given. One that would change the page, or has nothing left to do, is replaced by
    silent commands.
    """
    loaded = fixed_packages(fixed)
    names = {package.name for package in packages}
    for package in packages:
        if package.name in PAGE_PACKAGES | NEEDLESS_PACKAGES:
            yield from STAND_INS.get(package.name, ())
        elif package.name in loaded:
            yield from _late(package, names)
        else:
            yield package.line


def _late(package: Package, names: set[str]) -> Iterator[str]:
    if package.name == "physics":
        yield r"\physicsnames"
    if package.name == "siunitx" and "physics" not in names:
        # Both packages of the fixed preamble want this name; it goes to the one that was asked for.
        yield r"\RenewCommandCopy\qty\SI"
    if package.options and package.name in LATE_SETUP:
        yield LATE_SETUP[package.name] % package.options
    for option in package.options.split(","):
        late = LATE_OPTIONS.get((package.name, option.strip()))
        if late:
            yield late


#: What pylatexenc does not know or draws by commands that the fixed preamble lacks.
_OWN = {
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""),
    **dict.fromkeys("\u2005\u2006\u2008\u2009\u200a\u202f\u205f", r"\,"),
    "✓": r"\ensuremath{\checkmark}",
    "✔": r"\ensuremath{\checkmark}",
    "✗": r"\ding{55}",
    "✘": r"\ding{55}",
    "★": r"\ensuremath{\bigstar}",
    "⟂": r"\ensuremath{\perp}",
}

# Characters that LaTeX knows in text alone: in mathematics it draws another character, or none.
_IN_MATHS = {
    "±": r"\pm", "×": r"\times", "÷": r"\div", "·": r"\cdot", "¬": r"\neg", "°": r"^{\circ}", "µ": r"\mu",
    "¹": "{}^{1}", "²": "{}^{2}", "³": "{}^{3}", "←": r"\leftarrow", "→": r"\to", "↑": r"\uparrow",
    "↓": r"\downarrow",
}  # fmt: skip


@cache
def command_of(character: str) -> str | None:
    r"""Return the LaTeX that draws one character in text and in mathematics, or None if none is known.

    Letters count only if they are letters of mathematics: of other scripts pdfLaTeX has no fonts here.
    """
    if character in _OWN:
        return _OWN[character]
    kind, _, base = unicodedata.decomposition(character).partition(" ")
    if kind in ("<sub>", "<super>"):
        raised = "_" if kind == "<sub>" else "^"
        letter = command_of(chr(int(base, 16))) or chr(int(base, 16))
        # A base of its own, since several of them may follow one another.
        return rf"\ensuremath{{{{}}{raised}{{{letter}}}}}"
    known: str | None = get_builtin_uni2latex_dict().get(ord(character))
    if known is None or character.isascii():
        return None
    is_letter = unicodedata.category(character)[0] in "LM"
    return None if is_letter and not known.startswith(r"\ensuremath") else known


def declarations(characters: str) -> Iterator[str]:
    """Yield the lines that declare characters for which LaTeX has no meaning, be it in maths alone."""
    for character in characters:
        command, code = command_of(character), f"{ord(character):04X}"
        if character in _IN_MATHS:
            in_text = rf"\csname text {code}\endcsname"
            name = rf"u8:\detokenize{{{character}}}"
            yield rf"\expandafter\let\csname text {code}\expandafter\endcsname\csname {name}\endcsname"
            yield rf"\DeclareUnicodeCharacter{{{code}}}{{\TextOrMath{{{in_text}}}{{{_IN_MATHS[character]}}}}}"
        elif command is not None:
            declared = rf"\DeclareUnicodeCharacter{{{code}}}{{{command}}}"
            yield rf"\ifcsname u8:\detokenize{{{character}}}\endcsname\else{declared}\fi"


_LIBRARY_LINES = {
    ProviderKind.TIKZ_LIBRARY: r"\usetikzlibrary{%s}",
    ProviderKind.PGFPLOTS_LIBRARY: r"\usepgfplotslibrary{%s}",
}


@dataclass(frozen=True)
class PaperDocument(LatexDocument):
    """A document of profile ``paper`` in parts, so that a repair changes one of them."""

    #: What is shown, numbers off.
    body: str
    #: Packages that are asked for beside the fixed ones, in the order they are loaded.
    packages: tuple[Package, ...] = ()
    #: The model's own, verbatim, numbers off.
    definitions: str = ""
    #: Libraries of TikZ and pgfplots, added by repairs.
    libraries: tuple[Provider, ...] = ()
    #: Names that lose their meaning before the definitions, which give them another.
    freed: tuple[str, ...] = ()
    #: Characters that are declared, because LaTeX has no meaning for one of them.
    characters: str = ""
    #: Whether the body is the content of an equation.
    in_equation: bool = False

    @property
    def source(self) -> str:
        """The text that the engine reads."""
        parts = [
            self.fixed.rstrip("\n"),
            *loading_lines(self.packages, self.fixed),
            *(_LIBRARY_LINES[library.kind] % library.name for library in self.libraries),
            *(rf"\expandafter\let\csname {name}\endcsname\relax" for name in self.freed),
            *declarations(self.characters),
            self.definitions,
            r"\begin{document}",
            self.shown,
            r"\end{document}",
        ]
        return "\n".join(part for part in parts if part) + "\n"

    @property
    def text(self) -> str:
        """The body without comments, blank lines and runs of blanks."""
        lines = (" ".join(line.split()) for line in without_comments(self.shown).splitlines())
        return "\n".join(line for line in lines if line)

    @property
    def fixed(self) -> str:
        """The fixed preamble, less the section that one of the packages cannot live with."""
        excluded = (
            EXCLUDES_SECTION[package.name] for package in self.packages if package.name in EXCLUDES_SECTION
        )
        section = next(excluded, None)
        return preamble(Profile.PAPER) if section is None else preamble_without(Profile.PAPER, section)

    @property
    def shown(self) -> str:
        """The body as it stands in the document."""
        if not self.in_equation:
            return self.body
        # A blank line would end the equation.
        lines = [line for line in self.body.splitlines() if line.strip()]
        return "\n".join([r"\begin{equation*}", *lines, r"\end{equation*}"])

    @property
    def own_code(self) -> str:
        """The code of the model that the engine will read."""
        return f"{self.definitions}\n{self.body}"

    def with_package(self, package: Package) -> PaperDocument | None:
        """Return the document with ``package``, or None if that would not add anything."""
        known = fixed_packages(self.fixed).keys() | PAGE_PACKAGES | NEEDLESS_PACKAGES
        if package.name in known or any(package.name == other.name for other in self.packages):
            return None
        packages = _compatible((*self.packages, package), self.body)
        return None if packages == self.packages else replace(self, packages=packages)

    def without_package(self, name: str) -> PaperDocument | None:
        """Return the document without the package of that name, or None if it has none such."""
        kept = tuple(package for package in self.packages if package.name != name)
        return None if len(kept) == len(self.packages) else replace(self, packages=kept)


def paper_document(code: str) -> PaperDocument:
    """Return the document of some LaTeX code, be it a fragment, a document, or one cut off."""
    own = take_apart(code)
    names = {package.name for package in own.packages}
    freed = () if "physics" in names else defined_names(f"{own.definitions}\n{own.body}") & PHYSICS_NAMES
    return PaperDocument(
        body=without_numbers(own.body),
        packages=_compatible((*_on_demand(own), *own.packages), own.body),
        definitions=without_numbers(own.definitions),
        freed=tuple(sorted(freed)),
    )


def _on_demand(own: OwnDocument) -> list[Package]:
    names = {package.name for package in own.packages}
    code = code_only(f"{own.definitions}\n{own.body}")
    return [
        Package(name)
        for name, speaks in ON_DEMAND.items()
        if speaks.search(code) and not names & {name, *INSTEAD_OF[name]}
    ]


def _compatible(packages: tuple[Package, ...], body: str) -> tuple[Package, ...]:
    r"""Leave out what excludes a section that the body needs, or else the packages of that section.

    Of the ways to write algorithms, ``\begin{algorithmic}`` shows which one is meant.
    """
    means_section = find_code(r"\begin{algorithmic}", body) >= 0
    excluding = {package.name for package in packages} & EXCLUDES_SECTION.keys()
    if not excluding:
        return packages
    unwanted = excluding if means_section else SECTION_PACKAGES
    return tuple(package for package in packages if package.name not in unwanted)
