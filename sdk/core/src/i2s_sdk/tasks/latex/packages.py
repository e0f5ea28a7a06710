r"""Facts about packages beside the fixed list: which replaces, excludes or needs which.

Whether a package is installed is not known here: it is kept, and the repair loop drops it when the engine
cannot find it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Package:
    r"""One ``\usepackage``: a name and its options as written."""

    name: str
    options: str = ""

    @property
    def line(self) -> str:
        """The line that loads it."""
        options = f"[{self.options}]" if self.options else ""
        return f"\\usepackage{options}{{{self.name}}}"


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


#: Packages that set the page or the text block. Both are fixed, as they were for the references. Their
#: commands become silent.
PAGE_PACKAGES = _names(
    """
    a4 a4wide anysize fullpage geometry landscape layaureo pagegrid preview savetrees typearea vmargin
    """
)

#: Packages of other engines than pdfLaTeX, and those whose work the fixed preamble or the kernel does:
#: input is always UTF-8, enumitem has the short labels of enumerate, algpseudocode has capital commands.
NEEDLESS_PACKAGES = _names(
    """
    fontspec unicode-math polyglossia xeCJK luatexja inputenc enumerate algorithmic algcompatible
    """
)

#: What stands for the commands of the packages above, so that using them is not an error.
STAND_INS = {
    "geometry": (
        r"\providecommand\geometry[1]{}",
        r"\providecommand\newgeometry[1]{}",
        r"\providecommand\restoregeometry{}",
    ),
    "preview": (r"\providecommand\PreviewEnvironment[1]{}",),
    "fontspec": (
        r"\providecommand\setmainfont[2][]{}",
        r"\providecommand\setsansfont[2][]{}",
        r"\providecommand\setmonofont[2][]{}",
    ),
    "unicode-math": (r"\providecommand\setmathfont[2][]{}",),
}

#: The section of the fixed preamble that a package cannot live with.
EXCLUDES_SECTION = {
    "algorithm2e": "algorithms",
    "clrscode": "algorithms",
    "clrscode3e": "algorithms",
}

#: What stands in that section, or is another form of it.
SECTION_PACKAGES = frozenset({"algorithm", "algorithms", "algorithmicx", "algpseudocode", "algorithmic"})

#: What an option means to a package of the fixed preamble, which is loaded already. An option that is
#: absent here changes nothing: the package keeps what the fixed preamble gave it.
LATE_OPTIONS = {
    ("algpseudocode", "noend"): "".join(
        rf"\algtext*{{End{block}}}" for block in ("While", "For", "Loop", "If", "Procedure", "Function")
    ),
    ("xcolor", "dvipsnames"): r"\input{dvipsnam.def}",
    ("xcolor", "svgnames"): r"\input{svgnam.def}",
    ("xcolor", "x11names"): r"\input{x11nam.def}",
}

#: How all options together reach a package of the fixed preamble.
LATE_SETUP = {"siunitx": r"\sisetup{%s}"}

#: Packages that restyle what they find, such as theorems, captions and tables, so a document gets them
#: only where it speaks their language.
ON_DEMAND = {
    "amsthm": re.compile(r"\\(?:theoremstyle|newtheorem\*|newtheoremstyle|qedhere|qed\b|begin\{proof\})"),
    "subcaption": re.compile(
        r"\\(?:begin\{sub(?:figure|table)\}|subcaptionbox|subcaption\b|subfloat\b|subref)"
    ),
    "arydshln": re.compile(r"\\(?:hdashline|cdashline|begin\{(?:tabular|array)\}(?:\[\w\])?\{[^{}]*:)"),
    "caption": re.compile(r"\\(?:captionsetup|captionof|caption\*|ContinuedFloat|DeclareCaption)"),
}

#: Packages that do the work of one that would be added on demand.
INSTEAD_OF: dict[str, frozenset[str]] = {
    "arydshln": frozenset(),
    "amsthm": frozenset({"ntheorem"}),
    "subcaption": frozenset({"subfig", "subfigure"}),
    "caption": frozenset({"subcaption", "subfig"}),
}

#: How algorithm2e is loaded when a repair brings it: the float looks as package algorithm draws it.
ALGORITHM2E = Package("algorithm2e", "ruled")

#: Commands and environments that only algorithm2e has, and some that algpseudocode has inside of the
#: environment ``algorithmic`` only.
ALGORITHM2E_NAMES = _names(
    """
    KwData KwResult KwIn KwOut KwTo KwRet KwSty KwInput KwOutput SetKw SetKwInput SetKwInOut SetKwData
    SetKwFunction SetKwProg SetKwBlock SetKwIF SetKwFor SetKwSwitch SetKwRepeat SetKwComment
    SetAlgoLined SetAlgoNoLine SetAlgoVlined SetAlgoNoEnd SetAlFnt SetAlCapFnt SetArgSty SetCommentSty
    SetNlSty SetNoFillComment LinesNumbered LinesNumberedHidden RestyleAlgo DontPrintSemicolon
    PrintSemicolon IncMargin DecMargin uIf uElseIf uElse lIf lElse eIf ElseIf lElseIf lFor lForEach
    ForEach lForAll lWhile lRepeat Repeat While For ForAll If Else Switch Case uCase lCase Other Begin
    tcc tcp BlankLine nl Indp Indm Return procedure function algorithm2e
    """
)

#: Names that the package physics of the fixed preamble takes and that documents like to define themselves.
PHYSICS_NAMES = _names(
    """
    PV Res Residue Tr Trace tr trace abs absolutevalue acomm acommutator admat anticommutator bra braket
    comm commutator cp cross crossproduct curl dd derivative differential divergence dotproduct dv dyad
    erf ev eval evaluated expectationvalue expval fdv flatfrac functionalderivative grad gradient
    identitymatrix imaginary imat innerproduct ip ket ketbra laplacian matrixel matrixelement mdet mel
    mqty norm op order outerproduct partialderivative pb pdv pmat poissonbracket pqty principalvalue pv
    qand qas qc qcc qif qq qqtext qty quantity rank real smdet smqty va var variation vb vdot vectorbold
    vectorunit vev vmqty vqty vu xmat zmat Pmqty Bqty bqty bmqty
    """
)
