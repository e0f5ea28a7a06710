"""A data set of tiny images and formulas that any renderer of LaTeX makes in no time."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

#: Answers that differ in how they end: good, good, repaired, refused by the engine, no code at all.
ANSWERS = (r"$x$", r"$a+b$", r"x^2", r"\undefinedcommandofnobody", "")


@dataclass(frozen=True)
class TinyFormulas:
    """A data set on disk.

    Attributes:
        folder: Where it lies.
        ids: Ids of its instances.
        questions: Ids by SHA-256 of the image; every image is another.
    """

    folder: Path
    ids: tuple[str, ...]
    questions: dict[str, str]

    def answers(self) -> dict[str, str]:
        """Return an answer to each question, all of ANSWERS in turn."""
        return {name: ANSWERS[number % len(ANSWERS)] for number, name in enumerate(self.ids)}


def write_tiny_formulas(folder: Path, count: int) -> TinyFormulas:
    """Write a data set of ``count`` instances and return it."""
    folder.mkdir(parents=True)
    (folder / "truth.tex").write_text("$x$")
    ids, questions, lines = [], {}, []
    for number in range(count):
        picture = Image.new("RGB", (24, 16), "white")
        for bit in range(16):
            picture.putpixel((bit, 8), (0, 0, 0) if number >> bit & 1 else (200, 200, 200))
        name = f"{number:05}.png"
        picture.save(folder / name)
        ids.append(f"tiny-{number}")
        questions[hashlib.sha256((folder / name).read_bytes()).hexdigest()] = ids[-1]
        row = {"id": ids[-1], "task": "latex", "subset": f"s{number % 3}", "image": name}
        lines.append(json.dumps({**row, "structure": "truth.tex"}) + "\n")
    (folder / "instances.jsonl").write_text("".join(lines))
    return TinyFormulas(folder, tuple(ids), questions)
