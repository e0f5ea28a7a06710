"""Draws images for benchmarks.sheet_music: pages of music, and pages with ruled and other tables.

Notes and words are random, from a fixed seed for each document, which is drawn at 72 to 200 dots an inch.

    python -m benchmarks.sheet_music.drawn --lilypond COMMAND --into FOLDER

writes FOLDER/music/score<number>-page<page>.png and FOLDER/tables/table<number>-page<page>.png. It needs
LilyPond, pdflatex and pypdfium2.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from pathlib import Path

#: Documents of music and of tables, and tables of a document.
SCORES, TABLES, TABLES_EACH = 100, 20, 8
RESOLUTIONS = (72, 100, 150, 200)
#: Seconds for one document.
LONGEST = 120

_KEYS = ("c \\major", "g \\major", "es \\major", "a \\minor", "e \\major", "f \\minor")
_WORDS = [
    "alpha",
    "beta",
    "mean",
    "error",
    "value",
    "model",
    "score",
    "total",
    "north",
    "rate",
    "time",
    "cost",
    "width",
    "group",
    "year",
]


def bars(chance: random.Random, count: int, low: bool) -> str:
    """Return bars of random notes, rests and chords, for a high or a low voice."""
    found = []
    for _ in range(count):
        left, notes = 16, []
        while left:
            length = chance.choice([one for one in (1, 2, 2, 4, 4, 8) if one <= left])
            left -= length
            written = {1: "16", 2: "8", 4: "4", 8: "2"}[length]
            octaves = [",", "", ""] if low else ["'", "'", "''"]
            pitch = (
                chance.choice("cdefgab") + chance.choice(["", "", "", "is", "es"]) + chance.choice(octaves)
            )
            kind = chance.random()
            if kind < 0.1:
                pitch = "r"
            elif kind > 0.85:
                pitch = f"<{pitch} {chance.choice('cdefgab')}{'' if low else chr(39) * 2}>"
            marks = "" if pitch == "r" else chance.choice(["", "", "", "-.", "->", "\\f"])
            notes.append(pitch + written + marks)
        found.append(" ".join(notes) + " |")
    return "\n".join(found)


def score(number: int) -> str:
    """Return the LilyPond source of a document."""
    chance = random.Random(f"score {number}")
    count, key = chance.choice([2, 6, 12, 24, 40, 60]), chance.choice(_KEYS)

    def staff(low: bool = False) -> str:
        clef = "bass" if low else "treble"
        return f"\\new Staff {{ \\clef {clef} \\key {key} {bars(chance, count, low)} }}"

    sung = " ".join(chance.choice(["la", "sol", "sing", "to", "the", "wind"]) for _ in range(count * 3))
    kind = chance.choice(["solo", "piano", "trio", "quartet", "song"])
    if kind == "solo":
        music = staff()
    elif kind == "piano":
        music = f"\\new PianoStaff << {staff()} {staff(True)} >>"
    elif kind == "trio":
        music = f"<< {staff()} {staff()} {staff(True)} >>"
    elif kind == "quartet":
        music = f"\\new StaffGroup << {staff()} {staff()} {staff()} {staff(True)} >>"
    else:
        notes = bars(chance, count, False)
        music = (
            f'<< \\new Staff {{ \\key {key} \\new Voice = "v" {{ {notes} }} }} '
            f'\\new Lyrics \\lyricsto "v" {{ {sung} }} >>'
        )
    return (
        f'\\version "2.24.0"\n#(set-default-paper-size "{chance.choice(["a4", "letter", "a5"])}")\n'
        f"#(set-global-staff-size {chance.choice([14, 16, 18, 20, 23])})\n"
        f'\\header {{ title = "Piece {number}" composer = "A. Composer" tagline = ##f }}\n'
        f"\\score {{ {music} \\layout {{ }} }}\n"
    )


def tables(number: int) -> str:
    """Return the LaTeX source of a document with a table on each page."""
    chance = random.Random(f"tables {number}")
    lines = [
        r"\documentclass{article}\usepackage{booktabs,geometry}\pagestyle{empty}\geometry{margin=2cm}",
        r"\begin{document}",
    ]
    for _ in range(TABLES_EACH):
        columns, rows, ruled = chance.randint(3, 7), chance.randint(4, 25), chance.random() < 0.7
        form = ("|" if ruled else "").join(chance.choice("lcr") for _ in range(columns))
        stretch = chance.choice([0.8, 1, 1.3, 1.8])
        lines.append(rf"\begin{{center}}\renewcommand{{\arraystretch}}{{{stretch}}}")
        lines.append(rf"\begin{{tabular}}{{{'|' + form + '|' if ruled else form}}}")
        lines.append(r"\hline" if ruled else r"\toprule")
        empty = ruled and chance.random() < 0.2
        for _ in range(rows):
            cells = [
                chance.choice(_WORDS)
                if chance.random() < 0.4
                else f"{chance.random() * 10 ** chance.randint(0, 4):.{chance.randint(0, 3)}f}"
                for _ in range(columns)
            ]
            cells = [""] * columns if empty and chance.random() < 0.8 else cells
            lines.append(" & ".join(cells) + r"\\" + (r"\hline" if ruled and chance.random() < 0.9 else ""))
        lines.append((r"\hline" if ruled else r"\bottomrule") + r"\end{tabular}\end{center}")
        if chance.random() < 0.5:
            lines.append(" ".join(chance.choice(_WORDS) for _ in range(200)))
        lines.append(r"\clearpage")
    return "\n".join([*lines, r"\end{document}"])


def draw(pdf: Path, into: Path, resolution: int) -> None:
    """Write the pages of a PDF document as PNG files."""
    import pypdfium2  # type: ignore[import-untyped]

    document = pypdfium2.PdfDocument(pdf)
    for number, page in enumerate(document, 1):
        image = page.render(scale=resolution / 72).to_pil()
        image.save(into / f"{pdf.stem}-page{number}.png")


def main() -> int:
    """Draw all documents that are not there yet."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lilypond", default="lilypond", help="the command")
    parser.add_argument("--into", type=Path, required=True, help="folder")
    args = parser.parse_args()
    for kind, count in (("music", SCORES), ("tables", TABLES)):
        folder = args.into / kind
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(count):
            name = f"{'score' if kind == 'music' else 'table'}{number:03d}"
            pdf = folder / f"{name}.pdf"
            if not pdf.exists():
                source = folder / (f"{name}.ly" if kind == "music" else f"{name}.tex")
                source.write_text(score(number) if kind == "music" else tables(number))
                engine = (
                    [args.lilypond, "-s", "-o", name, source.name]
                    if kind == "music"
                    else ["pdflatex", "-interaction=batchmode", source.name]
                )
                subprocess.run(engine, cwd=folder, check=True, timeout=LONGEST, stdout=subprocess.DEVNULL)
            draw(pdf, folder, RESOLUTIONS[number % len(RESOLUTIONS)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
