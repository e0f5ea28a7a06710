"""Make the data set examples/olmocrbench: pages with pdfLaTeX, their Markdown, tests of them, and the index.

    python examples/make_olmocrbench_items.py                  # all of it
    python examples/make_olmocrbench_items.py --out FOLDER     # elsewhere

The same version of TeX makes the same bytes.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from make_readoc_items import pdf
from olmocrbench_items.pages import PAGES, Page, latex

HERE = Path(__file__).resolve().parent


def line(page: Page) -> str:
    """Return the line of a page in the index."""
    fields = {
        "id": f"{page.name}_pg1",
        "task": "olmocrbench",
        "subset": page.subset,
        "inputs": {"document": f"pdfs/{page.subset}/{page.name}.pdf", "page": 1},
        "difficulty": page.difficulty,
        "target": {"tests": page.tests, "markdown": page.markdown},
        "licence": "CC0-1.0",
        "provenance": {"source": "examples/make_olmocrbench_items.py"},
    }
    return json.dumps(fields) + "\n"


def index() -> str:
    """Return the index."""
    return "".join(map(line, PAGES))


def main() -> int:
    """Write the data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=HERE / "olmocrbench", help="folder of the data set")
    out: Path = parser.parse_args().out
    for page in PAGES:
        document = out / "pdfs" / page.subset / f"{page.name}.pdf"
        document.parent.mkdir(parents=True, exist_ok=True)
        try:
            document.write_bytes(pdf(latex(page)))
        except ValueError as error:
            print(f"{page.name}: {error}", file=sys.stderr)
            return 1
    (out / "instances.jsonl").write_text(index(), encoding="utf-8")
    print(f"{out}: {len(PAGES)} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
