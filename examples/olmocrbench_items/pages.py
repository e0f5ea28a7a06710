"""The pages of examples/olmocrbench: what they show in LaTeX and in Markdown, and the tests of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Test = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a document."""

    #: Name of the document.
    name: str
    #: Folder of the document.
    subset: str
    #: "easy", "medium" or "hard".
    difficulty: str
    #: Body of its LaTeX document.
    body: str
    #: What it says.
    markdown: str
    #: Its tests.
    tests: list[Test]
    #: Options of the class.
    options: str = "11pt,a4paper"
    #: What else its preamble has.
    preamble: str = ""


_DOCUMENT = r"""\documentclass[%(options)s]{article}
\pdfinfoomitdate=1 \pdfsuppressptexinfo=-1 \pdftrailerid{%(name)s} \pdfobjcompresslevel=2
\usepackage[utf8]{inputenc}
\usepackage{amsmath,amssymb,multirow,fancyhdr}
\usepackage[margin=3cm]{geometry}
\input{glyphtounicode} \pdfgentounicode=1
\setlength{\emergencystretch}{3em}
%(preamble)s
\begin{document}
%(body)s
\end{document}
"""


def latex(page: Page) -> str:
    """Return the LaTeX document of a page."""
    return _DOCUMENT % {
        "options": page.options,
        "name": page.name,
        "preamble": page.preamble,
        "body": page.body,
    }


class _Tests:
    """Makes the tests of a page, numbered."""

    def __init__(self, name: str, category: str) -> None:
        self._name, self._category = name, category
        self.made: list[Test] = []

    def add(self, kind: str, category: str = "", **fields: object) -> _Tests:
        """Add a test."""
        number = f"{self._name}-{len(self.made) + 1}"
        self.made.append({"id": number, "type": kind, "category": category or self._category, **fields})
        return self

    def with_baseline(self) -> list[Test]:
        """Return the tests, with that of ordinary text."""
        return self.add("baseline", "base").made


PENDULUM = Page(
    name="pendulum",
    subset="arxiv_math",
    difficulty="medium",
    body=r"""\section*{The period of a pendulum}
A mass $m$ hangs on a thread of length $\ell$. For small angles its period is
\[ T_0 = 2\pi \sqrt{\frac{\ell}{g}} . \]
For an amplitude $\theta_0$ the period is a complete elliptic integral,
\[ T = 4 \sqrt{\frac{\ell}{g}} \int_0^{\pi/2} \frac{d\varphi}{\sqrt{1 - k^2 \sin^2 \varphi}} , \qquad
   k = \sin \frac{\theta_0}{2} , \]
whose series begins with
\[ \frac{T}{T_0} = 1 + \frac{1}{16} \theta_0^2 + \frac{11}{3072} \theta_0^4 + \cdots \]
The energy $E = \frac{1}{2} m \ell^2 \dot{\theta}^2 + m g \ell (1 - \cos\theta)$ does not change.
""",
    markdown=r"""# The period of a pendulum

A mass $m$ hangs on a thread of length $\ell$. For small angles its period is

$$T_0 = 2\pi \sqrt{\frac{\ell}{g}} .$$

For an amplitude $\theta_0$ the period is a complete elliptic integral,

$$T = 4 \sqrt{\frac{\ell}{g}} \int_0^{\pi/2} \frac{d\varphi}{\sqrt{1 - k^2 \sin^2 \varphi}} , \qquad
k = \sin \frac{\theta_0}{2} ,$$

whose series begins with

$$\frac{T}{T_0} = 1 + \frac{1}{16} \theta_0^2 + \frac{11}{3072} \theta_0^4 + \cdots$$

The energy $E = \frac{1}{2} m \ell^2 \dot{\theta}^2 + m g \ell (1 - \cos\theta)$ does not change.
""",
    tests=_Tests("pendulum", "arxiv_math")
    .add("math", math=r"T_0 = 2\pi \sqrt{\frac{\ell}{g}}")
    .add("math", math=r"\int_0^{\pi/2} \frac{d\varphi}{\sqrt{1 - k^{2} \sin^{2} \varphi}}")
    .add("math", math=r"k = \sin \frac{\theta_0}{2}")
    .add("math", math=r"\frac{T}{T_0} = 1 + \frac{1}{16} \theta_0^2")
    .add("math", math=r"mg\ell(1-\cos \theta)")
    .with_baseline(),
)

HARVEST = Page(
    name="harvest",
    subset="tables",
    difficulty="hard",
    body=r"""\section*{Apples of the parish}
Weights are in tonnes; a dash stands for a year without harvest.

\bigskip\noindent
\begin{tabular}{|l|rr|rr|}
\hline
\multirow{2}{*}{Orchard} & \multicolumn{2}{c|}{Early} & \multicolumn{2}{c|}{Late} \\
\cline{2-5}
 & 1911 & 1912 & 1911 & 1912 \\
\hline
Mill Lane & 4.2 & 3.9 & 11.5 & 12.1 \\
Church Hill & 2.7 & -- & 8.4 & 7.9 \\
Long Acre & 6.1 & 5.8 & 14.0 & 13.2 \\
\hline
\end{tabular}

\bigskip
The prices of the year stand below.

\bigskip\noindent
\begin{tabular}{lr}
\hline
Sort & Pence a bushel \\
\hline
Codlin & 31 \\
Russet & 54 \\
Pearmain & 47 \\
\hline
\end{tabular}
""",
    markdown="""# Apples of the parish

Weights are in tonnes; a dash stands for a year without harvest.

<table>
<thead>
<tr><th rowspan="2">Orchard</th><th colspan="2">Early</th><th colspan="2">Late</th></tr>
<tr><th>1911</th><th>1912</th><th>1911</th><th>1912</th></tr>
</thead>
<tbody>
<tr><td>Mill Lane</td><td>4.2</td><td>3.9</td><td>11.5</td><td>12.1</td></tr>
<tr><td>Church Hill</td><td>2.7</td><td>–</td><td>8.4</td><td>7.9</td></tr>
<tr><td>Long Acre</td><td>6.1</td><td>5.8</td><td>14.0</td><td>13.2</td></tr>
</tbody>
</table>

The prices of the year stand below.

| Sort | Pence a bushel |
|:---|---:|
| Codlin | 31 |
| Russet | 54 |
| Pearmain | 47 |
""",
    tests=_Tests("harvest", "table_tests")
    .add("table", cell="3.9", left="4.2", right="11.5")
    .add("table", cell="8.4", up="11.5", down="14.0")
    .add("table", cell="13.2", top_heading="Late", left_heading="Long Acre")
    .add("table", cell="Late", down="1912")
    .add("table", cell="54", top_heading="Pence a bushel", left="Russet", up="31")
    .with_baseline(),
)

NOTICE = Page(
    name="notice",
    subset="headers_footers",
    difficulty="easy",
    preamble=r"""\pagestyle{fancy} \fancyhf{}
\lhead{Harbour Gazette} \rhead{Volume 12} \cfoot{-- 318 --} \setcounter{page}{318}""",
    body=r"""\section*{Notice to all boats}
The north entrance of the harbour is closed from Monday until the dredger has left. Boats with a draught of
less than two metres may use the south entrance at any tide; all others wait for the signal from the tower.

Whoever anchors in the fairway pays for the tug. The harbour master keeps a list of free moorings, which hangs
beside the door of the office and is renewed each morning at eight.
""",
    markdown="""# Notice to all boats

The north entrance of the harbour is closed from Monday until the dredger has left. Boats with a draught
of less than two metres may use the south entrance at any tide; all others wait for the signal from the
tower.

Whoever anchors in the fairway pays for the tug. The harbour master keeps a list of free moorings, which
hangs beside the door of the office and is renewed each morning at eight.
""",
    tests=_Tests("notice", "headers_footers")
    .add("absent", text="Harbour Gazette", max_diffs=1)
    .add("absent", text="Volume 12", case_sensitive=False)
    .add("absent", text="318", first_n=40, last_n=40)
    .add("present", text="all others wait for the signal from the tower", max_diffs=2)
    .with_baseline(),
)

NEWS = Page(
    name="news",
    subset="multi_column",
    difficulty="medium",
    options="10pt,a4paper,twocolumn",
    body=r"""\section*{A bridge opens}
On Saturday the new bridge over the mill stream was opened. The old one had stood since the flood of the year
before last, when its middle arch was carried away and only a plank was left for people on foot.

The mason who built it walked across first, with his two daughters, and the band played until it rained. Carts
may cross from today; the toll is a penny, as it was before.
\newpage
\section*{The library moves}
All books of the reading room are now in the former bakery. The ovens were taken out in spring, and the long
table stands where the flour was kept. Readers enter from the yard.

The catalogue is not yet in order: whoever looks for a book on birds should begin with the shelf of sermons,
and ask the librarian about everything else.
""",
    markdown="""# A bridge opens

On Saturday the new bridge over the mill stream was opened. The old one had stood since the flood of the
year before last, when its middle arch was carried away and only a plank was left for people on foot.

The mason who built it walked across first, with his two daughters, and the band played until it rained.
Carts may cross from today; the toll is a penny, as it was before.

# The library moves

All books of the reading room are now in the former bakery. The ovens were taken out in spring, and the
long table stands where the flour was kept. Readers enter from the yard.

The catalogue is not yet in order: whoever looks for a book on birds should begin with the shelf of
sermons, and ask the librarian about everything else.
""",
    tests=_Tests("news", "multi_column")
    .add(
        "order",
        before="was carried away and only a plank was left",
        after="The mason who built it walked",
        max_diffs=2,
    )
    .add("order", before="the toll is a penny", after="as it was before", max_diffs=1)
    .add("order", before="All books of the reading room", after="Readers enter from the yard", max_diffs=2)
    .add("order", before="A bridge opens", after="the band played until it rained", max_diffs=1)
    .with_baseline(),
)

_WORDS = (
    ("abaft", "behind a place, nearer to the stern"),
    ("ballast", "weight that keeps a ship upright when it carries nothing"),
    ("capstan", "a drum that is turned to haul in a cable"),
    ("davit", "a crane from which a boat hangs"),
    ("ebb", "the tide while it falls"),
    ("fathom", "six feet, by which depths are measured"),
    ("gunwale", "the upper edge of the side of a boat"),
    ("hawser", "a thick rope by which ships are moored or towed"),
    ("isobath", "a line on a chart through places of one depth"),
    ("jetsam", "what was thrown overboard and washed ashore"),
    ("keelson", "a beam that is bolted on the keel from within"),
    ("leeway", "how far the wind drives a ship from its course"),
    ("marline", "a thin line of two strands, laid to the left"),
    ("neap tide", "the tide that rises and falls least"),
    ("oakum", "fibres of old ropes with which seams are filled"),
    ("pintle", "a pin on which a rudder turns"),
    ("quay", "a wall beside which ships are loaded"),
    ("ratlines", "thin ropes across the shrouds that serve as a ladder"),
    ("scupper", "an opening through which water leaves the deck"),
    ("taffrail", "the rail around the stern"),
    ("undertow", "a current below the surface, away from the shore"),
    ("vang", "a rope that holds a spar down"),
    ("windlass", "a winch that lies across the bow"),
    ("yawl", "a boat of two masts, the second behind the rudder"),
)
_SEASONS = ("as said in spring", "as said in summer", "as said in autumn", "as said in winter")


def _glossary() -> Page:
    entries = [
        f"{word}, {meaning}, {season} of the year {1780 + 4 * number + part};"
        for number, (word, meaning) in enumerate(_WORDS)
        for part, season in enumerate(_SEASONS)
    ]
    tests = (
        _Tests("glossary", "long_tiny_text")
        .add("present", text="jetsam, what was thrown overboard and washed ashore", max_diffs=2)
        .add(
            "present",
            text="a line on a chart through places of one depth, as said in autumn of the year 1814",
            max_diffs=3,
        )
        .add("present", text="VANG, A ROPE THAT HOLDS A SPAR DOWN", case_sensitive=False)
        .add("present", text="yawl, a boat of two masts", last_n=120)
        .add("order", before="hawser, a thick rope", after="windlass, a winch", max_diffs=1)
        .with_baseline()
    )
    return Page(
        "glossary",
        "long_tiny_text",
        "medium",
        "\\tiny\\noindent\n" + "\n\n\\noindent ".join(entries),
        "\n\n".join(entries) + "\n",
        tests,
        "10pt,a4paper,twocolumn",
    )


PAGES = (PENDULUM, HARVEST, NOTICE, NEWS, _glossary())
