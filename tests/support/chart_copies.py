"""Charts for tests of imports: images, and copies of benchmarks in the layouts of their releases."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image

CODE = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig('{name}.pdf')\n"


def png(colour: str) -> bytes:
    """Return an image of one colour."""
    content = io.BytesIO()
    Image.new("RGB", (80, 60), colour).save(content, "PNG")
    return content.getvalue()


def write_chart(folder: Path, name: str, colour: str, code: str = CODE) -> None:
    """Write a program, its image and its document, as ChartMimic has them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(code.replace("{name}", name))
    (folder / f"{name}.png").write_bytes(png(colour))
    (folder / f"{name}.pdf").write_bytes(b"%PDF-1.4")


def write_lines(file: Path, *rows: Mapping[str, Any]) -> Path:
    """Write one JSON object a line."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file
