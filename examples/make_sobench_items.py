"""Make the data set examples/sobench: draw the images with Pillow and write the index.

    python examples/make_sobench_items.py                       # all of it
    python examples/make_sobench_items.py --out FOLDER          # elsewhere

Each item is drawn from its gold answer, so that the two agree. The same versions of Pillow and FreeType make
the same bytes.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from sobench_items import charts, forms, receipts, screens, tables
from sobench_items.item import Item

HERE = Path(__file__).resolve().parent
ITEMS: tuple[Item, ...] = (*receipts.ITEMS, *tables.ITEMS, *charts.ITEMS, *forms.ITEMS, *screens.ITEMS)


def line(item: Item) -> str:
    """Return the line of an item in the index."""
    fields = {
        "id": item.id,
        "task": "sobench",
        "subset": item.subset,
        "inputs": {"image": f"images/{item.id}.png", "schema": item.schema, "intent": item.intent},
        "difficulty": item.difficulty,
        "target": {"answer": item.answer, "labels": item.labels},
        "licence": "CC0-1.0",
        "provenance": {"source": "examples/make_sobench_items.py"},
    }
    return json.dumps(fields) + "\n"


def main() -> int:
    """Write the data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=HERE / "sobench", help="folder of the data set")
    out: Path = parser.parse_args().out
    (out / "images").mkdir(parents=True, exist_ok=True)
    for item in ITEMS:
        item.draw().save(out / "images" / f"{item.id}.png", optimize=True)
    (out / "instances.jsonl").write_text("".join(map(line, ITEMS)), encoding="utf-8")
    print(f"{out}: {len(ITEMS)} items")
    return 0


if __name__ == "__main__":
    sys.exit(main())
