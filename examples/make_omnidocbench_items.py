r"""Make the data set examples/omnidocbench: pages with XeLaTeX, and annotations in the released layout.

    python examples/make_omnidocbench_items.py                       # all of it
    python examples/make_omnidocbench_items.py --out FOLDER          # elsewhere
    python examples/make_omnidocbench_items.py --released FOLDER     # OmniDocBench.json, images/ and pdfs/

A page is data (``omnidocbench_items.pages``), from which its LaTeX and its annotation are both written. TeX
says where each element stands. Needs XeLaTeX, the font AR PL KaitiM GB for the Chinese page, and pdftoppm.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from omnidocbench_items.pages import PAGES, Element, Page

HERE = Path(__file__).resolve().parent
DPI = 110
_POINTS = 72.27  # of TeX, in an inch
_WIDTH, _HEIGHT = 420, 460  # of a page, in points

_PREAMBLE = r"""\documentclass[10pt]{article}
\usepackage{amsmath,amssymb,multirow,fontspec}
\usepackage[paperwidth=%(width)spt,paperheight=%(height)spt,margin=0pt]{geometry}
%(font)s
\pagestyle{empty}\parindent=0pt\parskip=0pt\topskip=0pt\raggedbottom\frenchspacing\tolerance=9999\emergencystretch=2em
\newbox\element\newwrite\places\immediate\openout\places=\jobname.places
\newcommand{\place}[4]{%% number, left, width in points, content
  \setbox\element=\vbox{\hsize=#3pt\relax #4}%%
  \edef\size{\the\wd\element\space\the\ht\element\space\the\dp\element}%%
  \hbox to 0pt{\kern #2pt\relax\pdfsavepos
    \edef\now{\noexpand\write\places{#1 \noexpand\the\noexpand\pdflastxpos\space
      \noexpand\the\noexpand\pdflastypos\space \size}}\now \box\element\hss}}
\begin{document}
"""


def latex(page: Page) -> str:
    """Return the LaTeX document of a page: columns as boxes, and in them elements one below the other."""
    chinese = '\\XeTeXlinebreaklocale "zh"\\XeTeXlinebreakskip=0pt plus 1pt'
    font = f"\\setmainfont{{{page.font}}}{chinese}" if page.font else ""
    parts = [_PREAMBLE % {"width": _WIDTH, "height": _HEIGHT, "font": font}]
    for column in page.columns:
        rows = "\n".join(
            f"\\place{{{element.number}}}{{0}}{{{column.width}}}{{{element.latex}}}\\vskip {element.gap}pt"
            for element in column.elements
        )
        box = f"\\vbox to 0pt{{\\hsize={column.width}pt {rows}\\vss}}"
        parts.append(f"\\setbox0\\hbox{{\\kern {column.left}pt\\lower {column.top}pt{box}}}")
        parts.append(r"\ht0=0pt\dp0=0pt\wd0=0pt\nointerlineskip\box0")
    return "\n".join((*parts, r"\vskip 1pt\null\end{document}"))


def pdf(source: str) -> tuple[bytes, dict[int, tuple[float, float, float, float]]]:
    """Return the PDF document of a page, and the boxes of its elements in points from the top left corner.

    Raises:
        ValueError: TeX refused it.
    """
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "page.tex").write_text(source, encoding="utf-8")
        command = ["xelatex", "-interaction=batchmode", "-halt-on-error", "-no-shell-escape", "page.tex"]
        always = os.environ | {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1"}
        ended = subprocess.run(command, cwd=work, capture_output=True, check=False, env=always)
        if ended.returncode != 0:
            log = (work / "page.log").read_text(encoding="utf-8", errors="replace")
            raise ValueError(log[log.find("\n!") :].strip()[:600])
        places = (work / "page.places").read_text(encoding="utf-8")
        return (work / "page.pdf").read_bytes(), _boxes(places)


def _boxes(places: str) -> dict[int, tuple[float, float, float, float]]:
    boxes = {}
    for line in places.splitlines():
        number, left, base, *sizes = line.split()
        x, y = int(left) / 65536, _HEIGHT - int(base) / 65536
        width, height, depth = (float(size.removesuffix("pt")) for size in sizes)
        boxes[int(number)] = (x, y - height, x + width, y + depth)
    return boxes


def png(document: bytes) -> bytes:
    """Return the image of the first page of a PDF document."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "page.pdf").write_bytes(document)
        command = ["pdftoppm", "-r", str(DPI), "-png", "-gray", "-singlefile", "page.pdf", "page"]
        subprocess.run(command, cwd=work, check=True)
        return (work / "page.png").read_bytes()


def annotation(page: Page, boxes: dict[int, tuple[float, float, float, float]]) -> dict[str, Any]:
    """Return the annotation of a page in the released layout."""
    elements = [element for column in page.columns for element in column.elements]
    return {
        "layout_dets": [_annotated(element, boxes[element.number]) for element in elements],
        "page_info": {
            "page_no": 0,
            "height": round(_HEIGHT / _POINTS * DPI),
            "width": round(_WIDTH / _POINTS * DPI),
            "image_path": f"{page.id}.png",
            "page_attribute": {**page.attributes, "watermark": False, "fuzzy_scan": False},
        },
        "extra": {
            "relation": [
                {"source_anno_id": first, "target_anno_id": second, "relation_type": "truncated"}
                for first, second in page.truncated
            ]
        },
    }


def _annotated(element: Element, box: tuple[float, float, float, float]) -> dict[str, Any]:
    left, top, right, bottom = (round(side / _POINTS * DPI, 1) for side in box)
    return {
        "category_type": element.category,
        "poly": [left, top, right, top, right, bottom, left, bottom],
        "ignore": False,
        "order": element.order,
        "anno_id": element.number,
        **element.contents,
        **({"attribute": element.attributes} if element.attributes else {}),
    }


def line(page: Page, annotated: dict[str, Any]) -> str:
    """Return the line of the index of a page."""
    inputs = {"document": f"pdfs/{page.id}.pdf"} if page.as_pdf else {"image": f"images/{page.id}.png"}
    fields = {
        "id": page.id, "task": "omnidocbench", "subset": page.attributes["data_source"], "inputs": inputs,
        "target": annotated, "licence": "CC0-1.0",
    }  # fmt: skip
    return json.dumps(fields, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the data set, or the files of a release."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=HERE / "omnidocbench")
    parser.add_argument("--released", type=Path)
    asked = parser.parse_args()
    made = [(page, *pdf(latex(page))) for page in PAGES]
    annotated = [(page, annotation(page, boxes), document) for page, document, boxes in made]
    if asked.released is not None:
        for folder in ("images", "pdfs"):
            (asked.released / folder).mkdir(parents=True, exist_ok=True)
        for page, _, document in annotated:
            (asked.released / "images" / f"{page.id}.png").write_bytes(png(document))
            (asked.released / "pdfs" / f"{page.id}.pdf").write_bytes(document)
        pages = [one for _, one, _ in annotated]
        (asked.released / "OmniDocBench.json").write_text(json.dumps(pages, ensure_ascii=False, indent=1))
        return
    for page, _, document in annotated:
        folder = asked.out / ("pdfs" if page.as_pdf else "images")
        folder.mkdir(parents=True, exist_ok=True)
        content = document if page.as_pdf else png(document)
        (folder / f"{page.id}{'.pdf' if page.as_pdf else '.png'}").write_bytes(content)
    index = "".join(line(page, one) for page, one, _ in annotated)
    (asked.out / "instances.jsonl").write_text(index, encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main()
