"""Papers that do not exist, sound and hostile, as arXiv sends them."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from fake_sources.archives import archive, bomb

CC_BY = "http://creativecommons.org/licenses/by/4.0/"
CC_BY_SA = "http://creativecommons.org/licenses/by-sa/4.0/"
CC_BY_NC_ND = "http://creativecommons.org/licenses/by-nc-nd/4.0/"
CC0 = "http://creativecommons.org/publicdomain/zero/1.0/"
ARXIV = "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"
ASSUMED = "http://arxiv.org/licenses/assumed-1991-2003/"


@dataclass(frozen=True)
class FakeVersion:
    """A version of a paper.

    Attributes:
        day: Day of its submission; None has a date that cannot be read.
        content: Content of its source; None is gone.
        source_type: Letters of arXiv.
    """

    day: date | None
    content: bytes | None
    source_type: str = "D"


@dataclass(frozen=True)
class FakePaper:
    """A paper.

    Attributes:
        id: Identifier without version.
        changed: Day of the last change of its record.
        versions: Versions in their order; a deleted record has none.
        licence: URI of the licence; empty for none.
        title: Title of the paper.
        authors: Authors as arXiv writes them.
        categories: Categories of the paper.
    """

    id: str
    changed: date
    versions: Sequence[FakeVersion] = ()
    licence: str = CC_BY
    title: str = "On nothing"
    authors: str = "Ann Nobody, Ben Noone (Nowhere (Institute)) and Cid Néant"
    categories: Sequence[str] = field(default_factory=lambda: ["cs.LG", "stat.ML"])


def source(body: str, preamble: str = "") -> str:
    """Return a document."""
    return f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"


def packed(files: Mapping[str, str | bytes]) -> bytes:
    """Return a .tar.gz of files without a folder around them."""
    return archive("", {name: raw.encode() if isinstance(raw, str) else raw for name, raw in files.items()})


def single(text: str | bytes) -> bytes:
    """Return one compressed file."""
    return gzip.compress(text.encode() if isinstance(text, str) else text, mtime=0)


def equation(number: int) -> str:
    """Return an equation that differs from those of other numbers."""
    letters = "abcdefghkmnpqrstuvwxyz"
    a, b, c = (letters[(number * step) % len(letters)] for step in (1, 3, 5))
    functions = ("\\sin", "\\log", "\\exp", "\\arctan", "\\cosh")
    f, g = functions[number % 5], functions[(number + 2) % 5]
    return (
        "\\begin{align}\n"
        f"  {a}({c}) &= \\sum_{{k={number}}}^{{{number + 7}}} "
        f"\\frac{{{f} {b}_k}}{{k^{number % 9 + 2} + {c}}} \\\\\n"
        f"      &\\le \\int_0^{{{a}}} \\sqrt{{{number} + {g} {b}^2}} \\, d{b} % by inspection\n"
        f"  \\label{{eq:{number}}}\n"
        "\\end{align}"
    )


def table(number: int) -> str:
    """Return a table that differs from those of other numbers."""
    names = ("Baseline", f"Model {number}", "Model with memory", "Both")
    rows = "\n".join(
        f"    {name} & {(number * 37 + row * 11) % 90 + 10} & {(number * 53 + row * 29) % 800 + 100} \\\\"
        for row, name in enumerate(names[: 3 + number % 2])
    )
    return (
        "\\begin{table}[t]\n  \\centering\n"
        f"  \\caption{{Results of experiment {number}.}}\n  \\label{{tab:{number}}}\n"
        f"  \\begin{{tabular}}{{lrr}}\n    \\hline\n    Name & Runs & "
        f"Score {number} \\\\\n    \\hline\n{rows}\n"
        "    \\hline\n  \\end{tabular}\n\\end{table}"
    )


def algorithm(number: int) -> str:
    """Return an algorithm that differs from those of other numbers."""
    return (
        "\\begin{algorithm}\n"
        f"\\caption{{Search number {number}}}\n\\begin{{algorithmic}}[1]\n"
        f"\\Require a list $L$ of {number} numbers\n"
        f"\\For{{$i = {number}, \\dots, {number + 9}$}}\n"
        f"  \\If{{$L_i > {number % 7}$}}\n    \\State $s \\gets s + L_i^{number % 5 + 2}$\n  \\EndIf\n"
        "\\EndFor\n"
        + "".join(f"\\State swap $L_{row}$ and $L_{{{row + number}}}$\n" for row in range(number % 4 + 1))
        + "\\State \\Return $s$\n\\end{algorithmic}\n\\end{algorithm}"
    )


def plot(number: int) -> str:
    """Return a plot that differs from those of other numbers."""
    points = " ".join(f"({x},{(x * x * number + 3 * x) % 17})" for x in range(8))
    return (
        "\\begin{tikzpicture}\n"
        f"  \\draw[->] (0,0) -- ({number % 4 + 3},0) node[right] {{$x_{{{number}}}$}};\n"
        f"  \\draw[->] (0,0) -- (0,{number % 3 + 2}) node[above] {{value}};\n"
        f"  \\draw[thick,blue] plot[smooth,scale=0.3] coordinates {{{points}}};\n"
        f"  \\node[draw,circle] at ({number % 5},1) {{{number}}};\n"
        "\\end{tikzpicture}"
    )


def papers() -> list[FakePaper]:
    """Return the papers of October 2026 and some that are not of it."""
    return [*_ordinary(), *_special(), *_without_source(), *_hostile()]


def _october(day: int) -> date:
    return date(2026, 10, day)


def _ordinary() -> list[FakePaper]:
    """Return papers with pieces of all subsets, on several days and under all licences."""
    licences = (CC_BY, CC0, ARXIV, CC_BY_SA, CC_BY_NC_ND, ARXIV)
    found = []
    for number in range(1, 13):
        body = "\n\n".join(
            (equation(number), table(number), algorithm(number), plot(number), equation(number + 40))
        )
        day = _october(1 + number % 5)
        content = single(source(body)) if number % 3 == 0 else packed({"main.tex": source(body)})
        found.append(
            FakePaper(
                f"2610.000{number:02}",
                day,
                [FakeVersion(day, content)],
                licences[number % len(licences)],
                f"On nothing,\n  part {number}",
            )
        )
    return found


def _special() -> list[FakePaper]:
    """Return papers that are read in a special way."""
    day = _october(6)
    files = {
        "ms.tex": source("\\input{sections/one}\n\\include{sections/two}\n", "\\usepackage{macros}"),
        "sections/one.tex": "\\begin{equation} \\norm{x} + \\frac{1}{2} \\in \\R \\quad "
        "\\half{y} \\end{equation}",
        "sections/two.tex": f"{table(60)}\n% {plot(60)}\n",
        "draft.tex": equation(61),
        "macros.sty": "\\newcommand{\\R}{\\mathbb{R}^{n \\times n}}\n"
        "\\def\\norm#1{\\left\\lVert #1 \\right\\rVert}\n"
        "\\newcommand{\\half}[1]{\\frac{#1}{2}}\n",
        "figure.png": b"\x89PNG\r\n",
    }
    latin = source(
        "Grüße. \\begin{table} \\begin{tabular}{ll} für & größer \\\\ über & Maß \\end{tabular} \\end{table}"
    )
    refused = (
        "\\begin{equation} \\eqref{eq:1} \\end{equation} \\begin{table} \\cite{a} \\end{table}"
        "\\begin{tikzpicture} \\node {\\includegraphics{a}}; \\end{tikzpicture} \\[ \\label{eq:2} \\]"
    )
    wide = (
        "\\begin{equation} "
        + " + ".join(f"x_{{{n}}} y_{{{n}}}" for n in range(40))
        + " = \\frac12 \\end{equation}"
    )
    long = "\\begin{longtable}{l}" + "".join(f"{n} \\\\[15cm] " for n in range(5)) + "end \\end{longtable}"
    return [
        FakePaper("2610.00101", day, [FakeVersion(day, packed(files))]),
        FakePaper("2610.00102", day, [FakeVersion(day, single(latin.encode("latin-1")))]),
        FakePaper(
            "2610.00103",
            date(2026, 11, 9),
            [
                FakeVersion(day, packed({"main.tex": source(equation(70))})),
                FakeVersion(_october(9), packed({"main.tex": source(equation(71))})),
                FakeVersion(date(2026, 11, 9), packed({"main.tex": source(equation(72))})),
            ],
        ),
        FakePaper(
            "2610.00104", day, [FakeVersion(day, packed({"main.tex": source(equation(1))}))], title="The same"
        ),
        FakePaper("2610.00105", day, [FakeVersion(day, single(source(refused)))]),
        FakePaper("2610.00106", day, [FakeVersion(day, single(source("\\[ \\frac{a}{\\notdefined} \\]")))]),
        FakePaper("2610.00107", day, [FakeVersion(day, single(source(f"{wide}\n{long}")))]),
        FakePaper("2610.00108", day, [FakeVersion(day, single(source("Nothing but text.")))], licence=""),
        FakePaper(
            "math/0309136", day, [FakeVersion(date(2003, 9, 8), single(source(equation(80))))], ASSUMED
        ),
        FakePaper("2609.00001", _october(2), [FakeVersion(date(2026, 9, 30), single(source(equation(81))))]),
    ]


def _without_source() -> list[FakePaper]:
    """Return papers without a source that could be cut."""
    day = _october(7)
    pdf = b"%PDF-1.7\nnothing"
    return [
        FakePaper("2610.00201", day, [FakeVersion(day, pdf, "")]),
        FakePaper(
            "2610.00202", day, [FakeVersion(day, single(source(equation(90)))), FakeVersion(day, None, "I")]
        ),
        FakePaper("2610.00203", day),
        FakePaper("2610.00204", day, [FakeVersion(day, pdf, "X")]),
        FakePaper("2610.00205", day, [FakeVersion(day, pdf, "DS")]),
        FakePaper("2610.00206", day, [FakeVersion(day, None)]),
        FakePaper("2610.00207", day, [FakeVersion(None, single(source(equation(91))))]),
        FakePaper("2610.00208", day, [FakeVersion(day, packed({"notes.tex": "\\[ a \\]"}))]),
    ]


def _hostile() -> list[FakePaper]:
    """Return papers that try to do harm."""
    day = _october(8)
    macros = (
        "\\def\\a{\\a\\a}\\[ \\a \\] \\def\\b#1{#1#1}\\[ " + "\\b{" * 30 + "x" + "}" * 30 + "\\] "
        "\\catcode`\\%=12 \\[ never \\]"
    )
    nested = "\\begin{equation}" * 20_000 + "x" + "{" * 50_000
    links = archive("", {"main.tex": source(equation(95)).encode()}, {"secret.tex": "/etc/passwd"})
    return [
        FakePaper("2610.00301", day, [FakeVersion(day, links)]),
        FakePaper("2610.00302", day, [FakeVersion(day, packed({"../../main.tex": source(equation(96))}))]),
        FakePaper("2610.00303", day, [FakeVersion(day, bomb())]),
        FakePaper("2610.00304", day, [FakeVersion(day, packed({"main.tex": source(equation(97))})[:200])]),
        FakePaper("2610.00305", day, [FakeVersion(day, single(source(macros)))]),
        FakePaper("2610.00306", day, [FakeVersion(day, single(source(nested)))]),
    ]
