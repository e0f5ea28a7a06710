"""The environments that are cut out of papers, each for its subset, and the reasons to refuse a cut."""

from __future__ import annotations

import re
from collections.abc import Mapping

from i2s_collect.candidates import Dropped, Reason
from i2s_collect.tex.scanner import Scanner, TokenKind, words

EQUATION, TABLE, ALGORITHM, PLOT = "equation", "table", "algorithm", "plot"
#: The subsets, in the order of tables.
SUBSETS = (EQUATION, TABLE, ALGORITHM, PLOT)

_STARRED = {
    EQUATION: (
        "equation align multline gather flalign alignat xalignat aligneq eqnarray subequations subeqnarray"
    ),
    TABLE: "table longtable",
    ALGORITHM: "algorithm algorithmic",
    PLOT: "tikzpicture tikzcd",
}
_PLAIN = {EQUATION: "math displaymath", TABLE: "tabbing", ALGORITHM: "", PLOT: ""}

#: The subset of each environment. Displays without an environment, as between \[ and \], are equations.
SUBSET_OF: Mapping[str, str] = {
    name + star: subset
    for subset in SUBSETS
    for names, stars in ((_STARRED[subset], ("", "*")), (_PLAIN[subset], ("",)))
    for name in names.split()
    for star in stars
}


#: The most characters of a piece.
MAX_CHARACTERS = 4_000
#: The most characters of a cut before its macros are expanded and its comments are removed.
MAX_RAW_CHARACTERS = 20_000

_REFERENCES = words(
    "ref eqref pageref autoref nameref cref Cref crefrange Crefrange cpageref vref Vref fref Fref "
    "subref hyperref labelcref namecref zcref thmref secref figref tabref footref cite "
    "citep citet citealt citealp citeauthor citeyear citeyearpar citenum Citet Citep onlinecite "
    "parencite textcite footcite autocite supercite fullcite nocite footcitetext smartcite shortcite "
    "citeasnoun"
)
_PICTURES = words(
    "includegraphics includesvg includepdf epsfig psfig epsfbox epsffile pgfimage pgfuseimage "
    "includestandalone animategraphics"
)
_FILES = words(
    "input include subfile import subimport includefrom inputfrom lstinputlisting verbatiminput "
    "VerbatimInput inputminted csvreader csvautotabular csvautobooktabular pgfplotstabletypesetfile "
    "DTLloaddb pgfplotstableread InputIfFileExists"
)
_SPECIAL_CODES = frozenset(
    {"catcode", "lccode", "uccode", "mathcode", "write", "openout", "directlua", "special"}
)

_READ_FILE = re.compile(
    r"(?<![A-Za-z])(?:table|file|gnuplot\s*\[[^\]]{0,500}\]|graphics)\s*(?:\[[^\[\]]{0,500}\]\s*)?\{\s*[^\s{}\\&;]{1,200}\s*\}"
)
_PGF_TABLE = re.compile(r"\\pgfplotstabletypeset\s*(?:\[[^\[\]]{0,2000}\]\s*)?\{\s*[^\s{}\\&]{1,200}\s*\}")
_DELIMITERS = re.compile(
    r"\\(?:begin|end)\s*\{[^{}]{1,80}\}|\\\[|\\\]|\$\$|\\(?:nonumber|notag|centering|par|noindent|\\)(?![A-Za-z])"
)


_OF_PAGE = re.compile(r"\bremember picture\b")


def refusal(subset: str, text: str) -> Dropped | None:
    """Return why a cut cannot stand alone, or None.

    Args:
        subset: Subset of the cut.
        text: Its source; comments, labels and the paper's own macros are gone.
    """
    scanner = Scanner(text)
    while token := scanner.next():
        if token.kind is TokenKind.BEGIN and token.name == "overpic":
            return Dropped(Reason.PICTURE_FILE, rf"\begin{{{token.name}}}", subset=subset)
        if token.kind is not TokenKind.WORD:
            continue
        if reason := _reason_of(token.name):
            return Dropped(reason, f"\\{token.name}", subset=subset)
    if subset == PLOT and _OF_PAGE.search(text):
        return Dropped(Reason.REFERENCE, "remember picture", subset=subset)
    if subset == PLOT and (found := _READ_FILE.search(text) or _PGF_TABLE.search(text)):
        reason = Reason.PICTURE_FILE if found[0].startswith("graphics") else Reason.INPUT_FILE
        return Dropped(reason, " ".join(found[0].split())[:100], subset=subset)
    if not any(character.isalnum() for character in _DELIMITERS.sub("", text)):
        return Dropped(Reason.EMPTY, "", subset=subset)
    if len(text) > MAX_CHARACTERS:
        return Dropped(Reason.TOO_LONG, f"{len(text)} characters, more than {MAX_CHARACTERS}", subset=subset)
    return None


def _reason_of(name: str) -> Reason | None:
    if name in _REFERENCES:
        return Reason.REFERENCE
    if name in _PICTURES:
        return Reason.PICTURE_FILE
    if name in _FILES:
        return Reason.INPUT_FILE
    if name in _SPECIAL_CODES:
        return Reason.CATEGORY_CODES
    return None
