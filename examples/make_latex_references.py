"""Make the reference images of this data set with plain pdflatex, pdftoppm and Pillow.

The images are committed; run this only after a structure was added or changed, and look at
every image afterwards. It deliberately calls nothing of the project's services, so that an
evaluation of the bundled examples compares two independent ways to the same image.

    python examples/make_latex_references.py                       # all of them
    python examples/make_latex_references.py table-retrieval …     # some
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageChops

HERE = Path(__file__).resolve().parent
PREAMBLE = HERE.parent / "sdk/core/src/i2s_sdk/tasks/latex/preambles/paper.tex"
DPI = 200
CUT_BOTTOM = 0.2


def document(preamble: str, structure: str) -> str:
    """A complete document that holds the structure and nothing else."""
    return f"{preamble.rstrip()}\n\\begin{{document}}\n{structure.rstrip()}\n\\end{{document}}\n"


def first_page(source: str) -> Image.Image:
    """Typeset ``source`` and return its first page, RGB at DPI.

    Raises:
        ValueError: TeX refused it; the message is TeX's first complaint.
        subprocess.CalledProcessError: poppler refused it.
    """
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "page.tex").write_text(source, encoding="utf-8")
        latex = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "-no-shell-escape", "page.tex"]
        for _ in range(2):  # the second run knows the references of the first
            ended = subprocess.run(latex, cwd=work, capture_output=True, check=False)
            if ended.returncode != 0:
                log = (work / "page.log").read_text(encoding="utf-8", errors="replace")
                raise ValueError(log[log.find("\n!") :].strip()[:400])
        raster = ["pdftoppm", "-r", str(DPI), "-f", "1", "-l", "1", "-singlefile", "-png", "page.pdf", "page"]
        subprocess.run(raster, cwd=work, check=True)
        with Image.open(work / "page.png") as page:
            return page.convert("RGB")


def cropped(page: Image.Image) -> Image.Image:
    """Cut off the foot of the page, then keep the smallest rectangle that holds all ink.

    Raises:
        ValueError: nothing but white is left.
    """
    width, height = page.size
    body = page.crop((0, 0, width, height - int(height * CUT_BOTTOM)))
    white = Image.new("RGB", body.size, "white")
    ink = ImageChops.difference(body, white).getbbox()
    if ink is None:
        raise ValueError("the page is blank above the cut")
    return body.crop(ink)


def main() -> int:
    """Write the wanted references; the exit code says whether every one was made."""
    parser = argparse.ArgumentParser(description="Make the reference pictures of the examples.")
    parser.add_argument("ids", nargs="*", metavar="ID", help="instances to make (default: all)")
    parser.add_argument(
        "--preamble", type=Path, default=PREAMBLE, help="preamble file (default: of profile paper)"
    )
    parser.add_argument("--out", type=Path, default=HERE, help="data set folder to write to (default: this)")
    options = parser.parse_args()

    rows = [json.loads(line) for line in (HERE / "instances.jsonl").read_text(encoding="utf-8").splitlines()]
    instances = {row["id"]: row for row in rows if row["task"] == "latex"}
    unknown = sorted(set(options.ids) - set(instances))
    if unknown:
        parser.error(f"no such instance in instances.jsonl: {', '.join(unknown)}")

    preamble = options.preamble.read_text(encoding="utf-8")
    failed = 0
    for name in options.ids or instances:
        row = instances[name]
        try:
            structure = (HERE / row["structure"]).read_text(encoding="utf-8")
            picture = cropped(first_page(document(preamble, structure)))
        except (subprocess.CalledProcessError, ValueError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed += 1
            continue
        path = options.out / row["image"]
        path.parent.mkdir(parents=True, exist_ok=True)
        picture.save(path, optimize=True)
        print(f"{name}: {picture.width} x {picture.height}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
