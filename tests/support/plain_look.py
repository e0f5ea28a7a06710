r"""Whether LaTeX looks the same behind the preambles of both profiles.

Snippets are set by two runs of plain pdflatex, one behind each preamble, every snippet on a page of its
own, and their images are compared pixel by pixel.

    python tests/support/plain_look.py testmath.tex.gz subeqn.tex.gz … [--out FOLDER]

takes every display out of TeX files, such as amsmath's own test files (Debian: texlive-latex-base-doc, in
/usr/share/doc/texlive-doc/latex/amsmath), and names those that look different.
"""

from __future__ import annotations

import argparse
import gzip
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops

from i2s_sdk.tasks.latex.document import preamble
from i2s_sdk.tasks.latex.packages import PHYSICS_NAMES
from i2s_sdk.tasks.latex.paper_document import defined_names
from i2s_sdk.tasks.latex.tex_source import without_comments
from i2s_wire.metrics.profile import Profile

DPI = 100
#: Height of a page; what lies below it is not compared.
PAGE = "14cm"

_DISPLAYS = "equation align gather flalign alignat xalignat xxalignat multline eqnarray displaymath"
_DISPLAY = re.compile(
    rf"\\begin\{{(?P<name>(?:{'|'.join(_DISPLAYS.split())})\*?)\}}.*?\\end\{{(?P=name)\}}|\\\[.*?\\\]",
    re.DOTALL,
)
_DEFINITION = re.compile(
    r"^\\(?:newcommand|DeclareMathOperator|newtheorem|providecommand)\b\*?\{[^\n]*(?:\n[^\n]+){0,3}?(?=\n\\|\n\n)"
    r"|^\\let\\[A-Za-z]+=?\\[A-Za-z]+",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Look:
    """A snippet behind both preambles.

    Attributes:
        snippet: LaTeX.
        plain: Its page behind the preamble of profile ``helm``, which the references were made with.
        shown: Its page behind that of profile ``paper``.
    """

    snippet: str
    plain: Image.Image
    shown: Image.Image

    @property
    def same(self) -> bool:
        """Whether the pages have equal pixels."""
        return ImageChops.difference(self.plain, self.shown).getbbox() is None

    @property
    def is_blank(self) -> bool:
        """Whether nothing is seen on the plain page."""
        return ImageChops.invert(self.plain).getbbox() is None


def looks(snippets: Sequence[str], definitions: str = "", *, halt: bool = True) -> list[Look]:
    """Set snippets behind both preambles.

    Args:
        snippets: Each fits on a page.
        definitions: What follows both preambles.
        halt: Whether an error of TeX is one here too; else TeX goes on behind it.

    Raises:
        ValueError: TeX found an error, or a snippet does not fit on one page.
    """
    plain, shown = (_pages(profile, snippets, definitions, halt) for profile in (Profile.HELM, Profile.PAPER))
    return [Look(*one) for one in zip(snippets, plain, shown, strict=True)]


def displays(source: str) -> tuple[str, list[str]]:
    """Return the definitions and the displayed formulas of a document."""
    text = without_comments(source)
    found = (match[0] for match in _DEFINITION.finditer(text))
    definitions = dict.fromkeys(one for one in found if one.count("{") == one.count("}"))
    formulas = dict.fromkeys(match[0] for match in _DISPLAY.finditer(text))
    # A message of TeX that a manual quotes can begin a display, and another place end it.
    return "\n".join(definitions), [formula for formula in formulas if r"\end{verbatim}" not in formula]


def _pages(profile: Profile, snippets: Sequence[str], definitions: str, halt: bool) -> list[Image.Image]:
    pages = "\n".join(
        rf"\setcounter{{equation}}{{0}}\begingroup {snippet}" + "\n\\endgroup\\clearpage"
        for snippet in snippets
    )
    begin = rf"\begin{{document}}\pagestyle{{empty}}\pdfpageheight={PAGE}"
    # Definitions may take names that the package physics has, as in a document of the task.
    freed = sorted(defined_names(definitions) & PHYSICS_NAMES) if profile is Profile.PAPER else []
    free = "\n".join(rf"\expandafter\let\csname {name}\endcsname\relax" for name in freed)
    source = "\n".join([preamble(profile), free, definitions, begin, pages, r"\end{document}"])
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "page.tex").write_text(source, encoding="utf-8")
        how = ["-interaction=batchmode", "-halt-on-error"] if halt else ["-interaction=nonstopmode"]
        for _ in range(2):
            ended = subprocess.run(["pdflatex", *how, "page.tex"], cwd=work, capture_output=True, check=False)
            if halt and ended.returncode:
                log = (work / "page.log").read_text(errors="replace")
                raise ValueError(f"{profile}: {log[log.find(chr(10) + '!') :][:600]}")
        raster = ["pdftoppm", "-r", str(DPI), "-gray", "page.pdf", "page"]
        subprocess.run(raster, cwd=work, check=True)
        found = []
        for file in sorted(work.glob("page-*.pgm")):
            with Image.open(file) as picture:
                found.append(picture.convert("L"))
    if len(found) != len(snippets):
        raise ValueError(f"{profile}: {len(snippets)} snippets are on {len(found)} pages")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 where all displays of the files look the same, else 1."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="TeX, maybe gzipped")
    parser.add_argument("--out", type=Path, help="folder for both pages of what differs")
    options = parser.parse_args(arguments)
    different = 0
    for file in options.files:
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        definitions, snippets = displays(data.decode("utf-8", "replace"))
        found = looks(snippets, definitions, halt=False)
        unlike = [one for one in found if not one.same]
        different += len(unlike)
        print(f"{file.name}: {len(found)} displays, {len(unlike)} differ")
        for at, one in enumerate(unlike):
            print(f"--- {file.name} {at}\n{one.snippet}")
            if options.out:
                options.out.mkdir(parents=True, exist_ok=True)
                one.plain.save(options.out / f"{file.name}-{at}-plain.png")
                one.shown.save(options.out / f"{file.name}-{at}-shown.png")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
