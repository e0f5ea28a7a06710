"""Which environments are cut out of papers, and for which subset."""

from __future__ import annotations

from collections.abc import Mapping

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
