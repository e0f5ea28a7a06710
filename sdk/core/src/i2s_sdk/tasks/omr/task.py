"""The task OMR: its prompt, and how its answers are read, the same in both profiles."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from i2s_sdk.instances.instance import Instance
from i2s_sdk.reading import CodeRules
from i2s_sdk.scoring.omr_ned import score_format
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.answer_reading import code_structure
from i2s_sdk.tasks.omr.scorer import METRICS, OmrScorer, missing_package
from i2s_sdk.tasks.question import ImagePart, Question, TextPart, image_of
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import Task
from i2s_wire.metrics.profile import Profile

#: The most tokens of an answer; a page of piano music has some thousand in ``**kern``.
MAX_TOKENS = 8192
#: The question, in words of this project.
PROMPT = """\
Transcribe the music of this image: clefs, key and time signatures, notes, rests, ties, slurs, \
articulations, ornaments, dynamics, lyrics and bar lines, as they are printed and in their order, part by \
part.

Answer with one complete score in one fenced code block, in one of these formats:
- Humdrum **kern: the block begins with ```kern and its first line has **kern for each staff;
- MusicXML: the block begins with ```musicxml and its root is score-partwise;
- MEI: the block begins with ```mei.

Write no comment and no explanation.
"""

_LANGUAGES = frozenset({"musicxml", "xml", "kern", "krn", "humdrum", "ekern"})
_XML = re.compile(
    r"(?:<\?xml|<!DOCTYPE|<(?:\w+:)?(?:score-partwise|score-timewise|meiCorpus|mei)\b).*>", re.DOTALL
)
_SPINES = re.compile(r"^\*\*\w+.*", re.DOTALL | re.MULTILINE)
_END_OF_SPINES = re.compile(r"^\*-(?:\t\*-)*[ \t]*$", re.MULTILINE)


def _stretch(text: str) -> str:
    """Return the score of an answer without fences: its document of XML, or the lines of its spines."""
    xml = _XML.search(text)
    if xml is not None:
        return xml[0]
    spines = _SPINES.search(text)
    if spines is None:
        return text
    ends = list(_END_OF_SPINES.finditer(spines[0]))
    return spines[0][: ends[-1].end()] if ends else spines[0]


RULES = CodeRules(
    "score in MusicXML, MEI or **kern",
    # "mei" is no element to be taken off: it is the root of a score.
    _LANGUAGES,
    is_code=lambda text: score_format(_stretch(text)) is not None,
    stretch=_stretch,
)


@dataclass(frozen=True, slots=True)
class OmrTask(Task):
    """An image of a score, to be answered with the score."""

    #: Profile, which decides on nothing here.
    profile: Profile = Profile.PAPER
    #: Name as instances call it.
    name: str = "omr"
    #: The one scorer.
    scorers: tuple[Scorer, ...] = (OmrScorer(),)

    def unavailable(self) -> Mapping[str, str]:
        """Return why nothing can be computed without musicdiff."""
        reason = missing_package()
        return {metric.name: reason for metric in METRICS} if reason else {}

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return what the model is asked of an instance: the text, then the image.

        Raises:
            DataError: The instance has no image.
        """
        return (Question((TextPart(PROMPT), ImagePart(image_of(instance))), max_tokens=MAX_TOKENS),)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the text of the question."""
        return (PROMPT,)

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the score of an answer, in whatever format, or that there is none."""
        return code_structure(completion, RULES)
