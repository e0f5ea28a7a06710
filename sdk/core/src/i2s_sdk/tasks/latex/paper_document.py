r"""The document of profile ``paper``: the fixed preamble, then what the model brought, then its body.

Source: Image2Struct, appendix on post-processing; beyond it, the model's own packages are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from i2s_sdk.tasks.latex.characters import declarations
from i2s_sdk.tasks.latex.document import LatexDocument
from i2s_sdk.tasks.latex.loading import loading_lines
from i2s_sdk.tasks.latex.numbering import without_numbers
from i2s_sdk.tasks.latex.own_preamble import OwnDocument, defined_names, take_apart
from i2s_sdk.tasks.latex.packages import (
    EXCLUDES_SECTION,
    INSTEAD_OF,
    NEEDLESS_PACKAGES,
    ON_DEMAND,
    PAGE_PACKAGES,
    PHYSICS_NAMES,
    SECTION_PACKAGES,
    Package,
)
from i2s_sdk.tasks.latex.preamble import fixed_packages, preamble, preamble_without
from i2s_sdk.tasks.latex.tex_source import code_only, find_code, without_comments
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.source_error import Provider, ProviderKind

_LIBRARY_LINES = {
    ProviderKind.TIKZ_LIBRARY: r"\usetikzlibrary{%s}",
    ProviderKind.PGFPLOTS_LIBRARY: r"\usepgfplotslibrary{%s}",
}


@dataclass(frozen=True)
class PaperDocument(LatexDocument):
    """A document of profile ``paper`` in parts, so that a repair changes one of them.

    Attributes:
        body: What is shown, numbers off.
        packages: Packages that are asked for beside the fixed ones, in the order they are loaded.
        definitions: The model's own, verbatim, numbers off.
        libraries: Libraries of TikZ and pgfplots, added by repairs.
        freed: Names that lose their meaning before the definitions, which give them another.
        characters: Characters that are declared, because LaTeX has no meaning for one of them.
        in_equation: Whether the body is the content of an equation.
    """

    body: str
    packages: tuple[Package, ...] = ()
    definitions: str = ""
    libraries: tuple[Provider, ...] = ()
    freed: tuple[str, ...] = ()
    characters: str = ""
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
        """What the model wrote and the engine will read."""
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
