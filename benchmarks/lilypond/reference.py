"""The plain way from a score to a picture: cold convert-ly, cold `lilypond --png`, Pillow.

Page 1 at LilyPond's own 101 dpi without tagline and footers, cropped to ink. No sandbox, no limits, no
server: plain subprocesses of a Python process that has everything imported.

Run as a program it takes jobs from standard input and answers on standard output, one JSON object a line.
"""

from __future__ import annotations

import base64
import io
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageChops

_NO_FOOTERS = "\\header { tagline = ##f }\n\\paper { oddFooterMarkup = ##f evenFooterMarkup = ##f }\n"


def render(programs: str, score: str) -> tuple[bytes, dict[str, float]]:
    """Return the PNG of a score and CPU seconds by stage.

    Args:
        programs: Folder of lilypond and convert-ly.
        score: LilyPond text.

    Raises:
        CalledProcessError: A program refused it.
        ValueError: It is blank.
        OSError: There is no picture.
    """
    spent: dict[str, float] = {}
    before = _cpu()

    def end(stage: str) -> None:
        nonlocal before
        now = _cpu()
        spent[stage], before = now - before, now

    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "score.ly").write_text(score, encoding="utf-8")
        (work / "settings.ly").write_text(_NO_FOOTERS, encoding="utf-8")
        _run([f"{programs}/convert-ly", "-e", "score.ly"], work)
        end("convert")
        include = f"-dinclude-settings={work / 'settings.ly'}"
        _run([f"{programs}/lilypond", "--png", include, "score.ly"], work)
        end("compile and raster")
        picture = work / "score.png"
        with Image.open(picture if picture.exists() else work / "score-page1.png") as page:
            png = _cropped(page.convert("RGB"))
        end("crop")
    return png, spent


def _run(command: list[str], work: Path) -> None:
    subprocess.run(command, cwd=work, check=True, capture_output=True)


def _cpu() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def _cropped(page: Image.Image) -> bytes:
    ink = ImageChops.difference(page, Image.new("RGB", page.size, "white")).getbbox()
    if ink is None:
        raise ValueError("the page is blank")
    output = io.BytesIO()
    page.crop(ink).save(output, "PNG")
    return output.getvalue()


def main() -> None:
    """Answer jobs until standard input ends."""
    programs = sys.argv[1]
    for line in sys.stdin:
        try:
            png, stages = render(programs, json.loads(line)["document"])
            answer = {"png": base64.b64encode(png).decode(), "stages": stages, "runs": 1}
        except (subprocess.CalledProcessError, ValueError, OSError) as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
