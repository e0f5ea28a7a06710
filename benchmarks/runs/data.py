"""Synthetic samples: tiny images, and answers as long as those of models."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

#: Length of an answer and of what a record holds beside it: the median for images of tables.
ANSWER_CHARACTERS = 1500


def write_data(folder: Path, samples: int) -> tuple[Path, Path]:
    """Write a data set and a file of answers, and return both paths."""
    images = folder / "data"
    images.mkdir(parents=True)
    (images / "truth.tex").write_text("$x$")
    index, answers = images / "instances.jsonl", folder / "answers.jsonl"
    with index.open("w") as instances, answers.open("w") as completions:
        for number in range(samples):
            name = f"{number:06}.png"
            (images / name).write_bytes(_png(number))
            identity = f"s{number:06}"
            row = {"id": identity, "task": "latex", "subset": "equation", "image": name}
            instances.write(json.dumps({**row, "structure": "truth.tex"}) + "\n")
            code = f"$x_{{{number}}}$ " + "y " * ((ANSWER_CHARACTERS - 30) // 2)
            completions.write(json.dumps({"id": identity, "completion": f"```latex\n{code}\n```"}) + "\n")
    return images, answers


def _png(number: int) -> bytes:
    """Return a grey image of 8 x 2 pixels that no other number has."""
    row = number.to_bytes(8)
    pixels = zlib.compress(b"\0" + row + b"\0" + row)
    parts = ((b"IHDR", struct.pack(">IIBBBBB", 8, 2, 8, 0, 0, 0, 0)), (b"IDAT", pixels), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
