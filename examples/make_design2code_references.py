"""Make the images of the pages of Design2Code with plain Chromium, their placeholder, and their data set.

The pages, their images and the placeholder lie in one folder, as the benchmark was released. As
`make_site_references.py` for sites: the images are committed, and nothing of the project's services takes
part.

    python examples/make_design2code_references.py
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from PIL import Image

from i2s_sdk.data.imports.design2code import import_design2code, page_texts
from i2s_sdk.data.imports.items import ImportRequest
from i2s_sdk.models.baselines import image_reader
from make_site_references import BROWSERS, picture, served

HERE = Path(__file__).resolve().parent / "design2code"
PAGES = HERE / "pages"
WIDTH, HEIGHT = 1280, 720
PLACEHOLDER = "rick.jpg"
ALONE = "4.png"
OWN = {"licence": "CC0-1.0", "provenance": {"source": "written for this project"}}


def line(page: Path) -> str:
    """Return the line of an instance."""
    place = page.relative_to(HERE).parent.as_posix()
    return json.dumps(
        {
            "id": f"design2code-{page.stem}",
            "task": "design2code",
            "subset": "design2code",
            "inputs": {
                "image": f"{place}/{page.stem}.png",
                "assets": [{"name": PLACEHOLDER, "path": f"{place}/{PLACEHOLDER}"}],
                "texts": page_texts(page.read_text("utf-8")),
            },
            "target": {"structure": f"{place}/{page.name}"},
            **OWN,
        }
    )


def line_of_image(image: Path) -> str:
    """Return the line of an image without its page, as the import makes it."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "source"), Path(folder, "out")
        source.mkdir()
        shutil.copy(image, source)
        import_design2code(ImportRequest((str(source),), out, ocr=image_reader()))
        row = json.loads((out / "instances.jsonl").read_text("utf-8"))
    inputs = {**row["inputs"], "image": image.relative_to(HERE).as_posix()}
    return json.dumps({**row, "id": f"design2code-ocr-{image.stem}", "inputs": inputs, **OWN})


def main() -> None:
    """Draw all pages."""
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        raise SystemExit("no Chromium is on PATH; install the package chromium-headless-shell")
    Image.new("RGB", (64, 48), "#4a7fd0").save(PAGES / PLACEHOLDER, quality=90)
    pages = sorted(PAGES.glob("*.html"))
    with served(PAGES) as address:
        for page in pages:
            shown = picture(f"{address}{page.name}", chromium, WIDTH, HEIGHT, full_page=True)
            shown.save(PAGES / f"{page.stem}.png", optimize=True)
            print(f"{page.stem}: {shown.size[0]} x {shown.size[1]}")
    lines = [*map(line, pages), line_of_image(PAGES / ALONE)]
    (HERE / "instances.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
