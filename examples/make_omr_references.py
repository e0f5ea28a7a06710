"""Make the images of the OMR examples with plain LilyPond, and the lines of their data set.

The scores are written in ``**kern``; LilyPond is given what they say, note by note. As
`make_score_references.py` for scores in LilyPond: the images are committed, and nothing of the project's
services takes part.

    python examples/make_omr_references.py
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from make_score_references import cropped, first_page

HERE = Path(__file__).resolve().parent / "omr"
KEYS = {"*k[b-]": "f", "*k[]": "c", "*k[f#]": "g", "*k[f#c#]": "d"}
CLEFS = {"*clefG2": "treble", "*clefF4": "bass"}
ALTERATIONS = {"": "", "#": "is", "-": "es"}
NOTE = re.compile(r"(\[?)(\d+\.*)(?:r|(([A-Ga-g])\4*)([#-]?))([LJ]?)(\]?)")


def lilypond_note(said: str) -> str:
    """Return a note or rest of ``**kern`` in LilyPond.

    Raises:
        ValueError: It has marks that are not known here.
    """
    match = NOTE.fullmatch(said)
    if match is None:
        raise ValueError(f"{said!r} is not a note that this script knows")
    tie, duration, letters, step, alteration, beam, _ = match.groups()
    if not letters:
        return f"r{duration}"
    octave = "'" * len(letters) if step.islower() else "," * (len(letters) - 1)
    name = f"{step.lower()}{ALTERATIONS[alteration]}{octave}"
    return f"{name}{duration}{'~' if tie else ''}{beam.translate({76: '[', 74: ']'})}"


def staff(spine: tuple[str, ...]) -> str:
    """Return the spine of a staff in LilyPond."""
    parts = []
    for said in spine:
        if said in KEYS:
            parts.append(f"\\key {KEYS[said]} \\major")
        elif said in CLEFS:
            parts.append(f"\\clef {CLEFS[said]}")
        elif said.startswith("*M"):
            parts.append(f"\\time {said[2:]}")
        elif said.startswith("="):
            parts.append({"=1": "", "==": '\\bar "|."'}.get(said, "|"))
        elif said[0] not in "*.":
            parts.append(lilypond_note(said))
    return f"\\new Staff {{ \\autoBeamOff {' '.join(parts)} }}"


def lilypond_score(kern: str) -> str:
    """Return a score in LilyPond; the first spine is the lowest staff."""
    spines = zip(*(line.split("\t") for line in kern.splitlines()), strict=True)
    staves = [staff(spine) for spine in spines]
    return f'\\version "2.24.0"\n\\new PianoStaff << {" ".join(reversed(staves))} >>\n'


def line(name: str) -> str:
    """Return the line of an instance."""
    return json.dumps(
        {
            "id": f"omr-{name}",
            "task": "omr",
            "subset": "omr",
            "inputs": {"image": f"images/{name}.png"},
            "target": {"structure": f"structures/{name}.krn"},
            "licence": "CC0-1.0",
            "provenance": {"source": "written for this project"},
        }
    )


def main() -> None:
    """Draw all scores."""
    names = sorted(path.stem for path in (HERE / "structures").glob("*.krn"))
    for name in names:
        score = lilypond_score((HERE / f"structures/{name}.krn").read_text("utf-8"))
        cropped(first_page(score)).save(HERE / f"images/{name}.png", optimize=True)
    (HERE / "instances.jsonl").write_text("".join(f"{line(name)}\n" for name in names), "utf-8")


if __name__ == "__main__":
    main()
