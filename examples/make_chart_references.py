"""Make the images of the charts with plain matplotlib, and the lines of their data set.

As `make_latex_references.py` for LaTeX: the images are committed, and nothing of the project's services
takes part. Each program runs in a fresh interpreter, and what it shows is saved as it is shown.

    python examples/make_chart_references.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent / "charts"
#: Runs a program and saves what it shows, with the fonts that matplotlib brings and no others.
RUN = (
    "import runpy, sys, matplotlib.pyplot as plt\n"
    "plt.show = lambda: plt.savefig(sys.argv[2], format='png')\n"
    "runpy.run_path(sys.argv[1])\n"
)


def draw(program: Path, image: Path) -> None:
    """Run a program and write its figure as PNG of 8 bit RGB.

    Raises:
        subprocess.CalledProcessError: The program failed.
    """
    environment = {**os.environ, "MPLBACKEND": "Agg", "MPL_IGNORE_SYSTEM_FONTS": "1", "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", RUN, program, image], check=True, env=environment)
    with Image.open(image) as drawn:
        drawn.convert("RGB").save(image)


def line(name: str) -> str:
    """Return the line of an instance."""
    return json.dumps(
        {
            "id": f"chart-{name}",
            "task": "chart",
            "subset": "chart",
            "inputs": {"image": f"images/{name}.png"},
            "target": {"structure": f"programs/{name}.py"},
            "licence": "Apache-2.0",
            "provenance": {"source": "drawn for this project"},
        }
    )


def main() -> None:
    """Draw all charts."""
    (HERE / "images").mkdir(exist_ok=True)
    programs = sorted((HERE / "programs").glob("*.py"))
    for program in programs:
        draw(program, HERE / "images" / f"{program.stem}.png")
        print(program.stem)
    (HERE / "instances.jsonl").write_text("".join(f"{line(one.stem)}\n" for one in programs))


if __name__ == "__main__":
    main()
