"""What data sets, commands and reports know of the music task."""

from __future__ import annotations

from i2s_sdk.instances.content import Content
from i2s_sdk.tasks.music.task import MusicTask
from i2s_sdk.tasks.published import published_tables
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.schemas import IMAGE_AND_ASSETS, STRUCTURE
from i2s_sdk.tasks.spec import Size, TaskSpec, text_fault
from i2s_sdk.tasks.structure import Structure


def _answer(content: Content, question: Question) -> str:
    # To profile helm a fence would be a part of the score.
    return (content.structure or "").strip()


def _blank(size: Size | None) -> str:
    """Return a box that looks white; an inch has 101 pixels, and a staff space 5 of its 72.27 points."""
    width, height = (side / 101 * 72.27 / 5 for side in size or (800, 100))
    box = f"\\filled-box #'(0 . {width:.2f}) #'(0 . {height:.2f}) #0"
    return f'\\version "2.24.0"\n\\markup \\with-color #(rgb-color 0.996 0.996 0.996) {box}'


MUSIC = TaskSpec(
    name="music",
    title="Image2Music",
    published_table="A4",
    published=published_tables("i2s_sdk.tasks.music"),
    main_metric="ems",
    hub_name="musicsheet",
    subsets=("music",),
    wild_subsets=(),
    structure_suffix=".ly",
    structure_is_site=False,
    language="lilypond",
    canary=Structure("\\version \"2.24.0\" { c'4 e' g' c'' }"),
    open=MusicTask,
    answer=_answer,
    structure_fault=text_fault,
    inputs=IMAGE_AND_ASSETS,
    target=STRUCTURE,
    mean_of_cells=True,
    blank=_blank,
    constant='\\version "2.24.0"\n\\relative c\' { c4 d e f | g a b c | c b a g | f e d c \\bar "|." }',
)
