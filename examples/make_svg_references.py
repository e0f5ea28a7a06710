"""Make the images of the SVG examples with plain resvg, and the lines of their data set.

As `make_latex_references.py` for LaTeX: the images are committed, and nothing of the project's services
takes part. The fonts are Debian's fonts-liberation; the families that the examples name are those that they
are as wide as.

    python examples/make_svg_references.py
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import resvg_py
from PIL import Image

HERE = Path(__file__).resolve().parent / "svg"
FONTS = sorted(map(str, Path("/usr/share/fonts/truetype/liberation").glob("*.ttf")))
FAMILIES = {
    "Arial": "Liberation Sans",
    "Times New Roman": "Liberation Serif",
    "Courier New": "Liberation Mono",
}


def draw(svg: str, image: Path) -> None:
    """Draw an SVG image on white and write it as PNG of 8 bit RGB."""
    for known, ours in FAMILIES.items():
        svg = svg.replace(f'"{known},', f'"{ours},')
    drawn = resvg_py.svg_to_bytes(
        svg_string=svg, background="#ffffff", dpi=96.0, skip_system_fonts=True, font_files=FONTS
    )
    Image.open(io.BytesIO(drawn)).convert("RGB").save(image)


def line(name: str) -> str:
    """Return the line of an instance."""
    return json.dumps(
        {
            "id": f"svg-{name}",
            "task": "svg",
            "subset": "svg",
            "inputs": {"image": f"images/{name}.png"},
            "target": {"structure": f"structures/{name}.svg"},
            "licence": "CC0-1.0",
            "provenance": {"source": "drawn for this project"},
        }
    )


def main() -> None:
    """Draw all images."""
    (HERE / "images").mkdir(exist_ok=True)
    names = sorted(path.stem for path in (HERE / "structures").glob("*.svg"))
    for name in names:
        draw((HERE / f"structures/{name}.svg").read_text("utf-8"), HERE / f"images/{name}.png")
    (HERE / "instances.jsonl").write_text("".join(f"{line(name)}\n" for name in names), "utf-8")


if __name__ == "__main__":
    main()
