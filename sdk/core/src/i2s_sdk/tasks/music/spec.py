"""The specification of the music task: names, ground truth, and the answers of baselines."""

from __future__ import annotations

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.benchmark import published_tables
from i2s_sdk.tasks.music.grades import GRADES
from i2s_sdk.tasks.music.task import MusicTask
from i2s_sdk.tasks.ocr_page import OcrPage, of_one_page
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.spec import IMAGE_AND_ASSETS, STRUCTURE, Size, TaskSpec, text_fault
from i2s_sdk.tasks.structure import Structure


def as_score(page: OcrPage) -> str:
    """Return a completion with the words of a page above an empty staff.

    There is no fence around it: to profile helm that would be a part of the score.
    """
    words = "\n".join(f"  {_quoted(line.text)}" for line in page.lines)
    markup = f"\\markup \\column {{\n{words}\n}}\n" if words else ""
    return (
        '\\version "2.24.0"\n\\header { tagline = ##f }\n'
        f"{markup}\\score {{\n  \\new Staff {{ s1 }}\n  \\layout {{ }}\n}}\n"
    )


def _quoted(text: str) -> str:
    plain = "".join(one for one in text if one.isprintable())
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _answer(content: Content, question: Question) -> str:
    # Profile helm would take a fence for a part of the score.
    return (content.structure or "").strip()


#: Staff spaces of a pixel: an inch has 101 pixels, and a staff space 5 of its 72.27 points.
_PIXEL = 72.27 / 101 / 5
#: Pixels from the left margin to the right edge of the page.
_RIGHT_OF_MARGIN = 795


def _blank(size: Size | None) -> str:
    """Return a box that looks white, of the size of an image in pixels.

    Every pixel that a box touches is painted, and margins are not whole numbers of pixels: a box that is as
    wide as an image touches one pixel more. So it is almost a pixel smaller. One that is wider than what is
    right of the left margin begins in the margin.
    """
    width, height = size or (_RIGHT_OF_MARGIN, 100)
    right, top = ((side - 0.9) * _PIXEL for side in (width, height))
    box = f"\\filled-box #'(0 . {right:.4f}) #'(0 . {top:.4f}) #0"
    if width > _RIGHT_OF_MARGIN:
        box = f"\\translate #'({(_RIGHT_OF_MARGIN - width) * _PIXEL:.4f} . 0) {box}"
    return f'\\version "2.24.0"\n\\markup \\with-color #(rgb-color 0.996 0.996 0.996) {box}'


MUSIC = TaskSpec(
    name="music",
    title="Image2Music",
    published_table="A4",
    published=published_tables("i2s_sdk.tasks.music"),
    main_metric="ems",
    recommended_metric="notes_f1",
    hub_name="musicsheet",
    subsets=("music",),
    structure_suffix=".ly",
    language="lilypond",
    canary=Structure("\\version \"2.24.0\" { c'4 e' g' c'' }"),
    open=MusicTask,
    answer=_answer,
    structure_fault=text_fault,
    inputs=IMAGE_AND_ASSETS,
    target=STRUCTURE,
    mean_of_cells=True,
    blank=_blank,
    ocr_answer=of_one_page(as_score),
    constant='\\version "2.24.0"\n\\relative c\' { c4 d e f | g a b c | c b a g | f e d c \\bar "|." }',
    grades=GRADES,
)
