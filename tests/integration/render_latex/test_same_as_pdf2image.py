"""The drawing of a page is that of pdf2image, with which the reference implementation draws."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from pdf2image import convert_from_bytes

from i2s_render_latex.document import PDF
from i2s_render_latex.raster import OUTPUT, drawing_command, read_drawing

pytestmark = pytest.mark.integration

DPI = 200.0
DOCUMENT = r"""\documentclass{article}
\usepackage{amsmath,tikz}
\begin{document}
Text with \emph{accents} \'e \"o and rules: \rule{3cm}{0.3pt}.
\[ \int_0^1 \frac{x^2}{\sqrt{1+x}} \, dx = \sum_{k=0}^{\infty} \binom{n}{k} \]
\begin{tikzpicture} \shade[ball color=teal] (0,0) circle (1);
\draw[red,dashed] (0,0) -- (4,1); \end{tikzpicture}
\newpage second page
\end{document}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the PDF of the document, where the renderer has it."""
    folder = tmp_path_factory.mktemp("page")
    source = folder / Path(PDF).with_suffix(".tex")
    source.write_text(DOCUMENT)
    subprocess.run(
        ["pdflatex", "-interaction=batchmode", source.name], cwd=folder, check=True, capture_output=True
    )
    return folder


@pytest.mark.parametrize("page", [1, 2])
def test_a_page_has_the_pixels_of_pdf2image(folder: Path, page: int) -> None:
    (theirs,) = convert_from_bytes((folder / PDF).read_bytes(), dpi=DPI, first_page=page, last_page=page)
    subprocess.run(drawing_command(page, DPI, theirs.size), cwd=folder, check=True)
    ours = read_drawing((folder / OUTPUT).read_bytes(), theirs.size)
    assert (ours.width, ours.height) == theirs.size
    assert ours.picture(0, ours.height).tobytes() == theirs.tobytes()
