"""What data sets, commands and reports know of the music task."""

from __future__ import annotations

from i2s_sdk.instances.content import Content
from i2s_sdk.tasks.music.task import MusicTask
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.schemas import IMAGE_AND_ASSETS, STRUCTURE
from i2s_sdk.tasks.spec import TaskSpec, text_fault
from i2s_sdk.tasks.structure import Structure


def _answer(content: Content, question: Question) -> str:
    # To profile helm a fence would be a part of the score.
    return (content.structure or "").strip()


MUSIC = TaskSpec(
    name="music",
    title="Image2Music",
    published_table="A4",
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
)
