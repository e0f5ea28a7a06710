"""Make the reference images of the scores with plain convert-ly, lilypond and Pillow.

As `make_latex_references.py` for LaTeX: the images are committed, and nothing of the project's services
takes part. Without tagline and footers, 101 dpi, page 1, cropped to everything that is not white.

    python examples/make_score_references.py                       # all of them
    python examples/make_score_references.py music-melody …        # some
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import lilypond
from PIL import Image, ImageChops

HERE = Path(__file__).resolve().parent
TASK = "music"
NO_FOOTERS = "\\header { tagline = ##f }\n\\paper { oddFooterMarkup = ##f evenFooterMarkup = ##f }\n"


def first_page(score: str) -> Image.Image:
    """Typeset a score and return its first page, RGB at LilyPond's own 101 dpi.

    Raises:
        ValueError: LilyPond complained; the message is what it wrote.
    """
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "score.ly").write_text(score, encoding="utf-8")
        (work / "settings.ly").write_text(NO_FOOTERS, encoding="utf-8")
        _run(["convert-ly", "-e", "score.ly"], work)
        _run(["lilypond", "--png", f"-dinclude-settings={work / 'settings.ly'}", "score.ly"], work)
        page = work / "score.png"
        with Image.open(page if page.exists() else work / "score-page1.png") as picture:
            return picture.convert("RGB")


def _run(command: list[str], work: Path) -> None:
    program = [lilypond.executable(command[0]), *command[1:]]
    ended = subprocess.run(program, cwd=work, capture_output=True, text=True, check=False)
    if ended.returncode or "error:" in ended.stderr or "warning:" in ended.stderr:
        raise ValueError(ended.stderr.strip())


def cropped(page: Image.Image) -> Image.Image:
    """Keep the smallest rectangle that holds all ink.

    Raises:
        ValueError: nothing but white is left.
    """
    ink = ImageChops.difference(page, Image.new("RGB", page.size, "white")).getbbox()
    if ink is None:
        raise ValueError("the page is blank")
    return page.crop(ink)


def main() -> int:
    """Write the wanted references; the exit code says whether every one was made."""
    parser = argparse.ArgumentParser(description="Make the reference pictures of the scores.")
    parser.add_argument("ids", nargs="*", metavar="ID", help="instances to make (default: all scores)")
    parser.add_argument("--out", type=Path, default=HERE, help="data set folder to write to (default: this)")
    options = parser.parse_args()

    rows = [json.loads(line) for line in (HERE / "instances.jsonl").read_text(encoding="utf-8").splitlines()]
    scores = {row["id"]: row for row in rows if row["task"] == TASK}
    unknown = sorted(set(options.ids) - set(scores))
    if unknown:
        parser.error(f"no such score in instances.jsonl: {', '.join(unknown)}")

    failed = 0
    for name in options.ids or scores:
        row = scores[name]
        try:
            picture = cropped(first_page((HERE / row["structure"]).read_text(encoding="utf-8")))
        except ValueError as error:
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
