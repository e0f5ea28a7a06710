"""The plain way from a score to an image: cold convert-ly, cold `lilypond --png`, Pillow.

Page 1 at LilyPond's own 101 dpi without tagline and footers, cropped to ink.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from PIL import Image

from benchmarks.harness.plain_worker import Drawing, Stages, answer_jobs, cropped

_NO_FOOTERS = "\\header { tagline = ##f }\n\\paper { oddFooterMarkup = ##f evenFooterMarkup = ##f }\n"


def render(programs: str, score: str) -> Drawing:
    """Return the image of a score.

    Args:
        programs: Folder of lilypond and convert-ly.
        score: LilyPond text.

    Raises:
        CalledProcessError: A program refused it.
        ValueError: It is blank.
        OSError: There is no image.
    """
    stages = Stages()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "score.ly").write_text(score, encoding="utf-8")
        (work / "settings.ly").write_text(_NO_FOOTERS, encoding="utf-8")
        include = f"-dinclude-settings={work / 'settings.ly'}"
        for stage, command in (
            ("convert", [f"{programs}/convert-ly", "-e", "score.ly"]),
            ("compile and raster", [f"{programs}/lilypond", "--png", include, "score.ly"]),
        ):
            subprocess.run(command, cwd=work, check=True, capture_output=True)
            stages.end(stage)
        image = work / "score.png"
        with Image.open(image if image.exists() else work / "score-page1.png") as page:
            png = cropped(page.convert("RGB"))
        stages.end("crop")
    return png, stages.spent, 1


if __name__ == "__main__":
    answer_jobs(partial(render, sys.argv[1]))
