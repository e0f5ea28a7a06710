"""The music task, for one profile: reading the LilyPond code of an answer, the score, and its repairs.

A score without a version may be in the syntax of an older LilyPond.

Source: Image2Struct, appendix on post-processing; the versions are the stable ones that models saw most of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.reading import CodeRules
from i2s_sdk.reading.code_block import without_prose
from i2s_sdk.scoring.scorer import Scorer
from i2s_sdk.tasks.answer_reading import code_structure
from i2s_sdk.tasks.music.notes import NotesScorer, notes_to_text
from i2s_sdk.tasks.question import Question, image_of, task_prompt, texts_then_image
from i2s_sdk.tasks.repair import Repair, Repaired, RepairKind
from i2s_sdk.tasks.structure import NoStructure, Structure
from i2s_sdk.tasks.task import RenderedTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.notes import ScoreNotes
from i2s_wire.render.options import (
    BlankPage,
    Crop,
    LilypondConvert,
    LilypondOptions,
    PageOptions,
    RenderOptions,
)
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.request import LilypondSource, RenderRequest
from i2s_wire.render.resources import Limits

_HEADER = re.compile(r'\\(?:version|include|language)\s*"[^"\n]*"|%\{.*?%\}|%[^\n]*', re.DOTALL)
_CODE = re.compile(r"\\[A-Za-z]|[{}]|<<")
_CODE_LINE = re.compile(r"\s*%|\s*[A-Za-z]\w*\s*=|.*(?:\\[A-Za-z]|[{}]|<<|>>)")
_DEFINED = re.compile(r"^[ \t]*([A-Za-z]+)[ \t]*=", re.MULTILINE)
_USED = re.compile(r"\\([A-Za-z]+)")
_LANGUAGES = frozenset({"lilypond", "ly", "lily"})


def _has_body(code: str) -> bool:
    """Return whether a block has music, which stands in braces or double angle brackets."""
    return bool(re.search(r"[{]|<<", _HEADER.sub("", code)))


def _program(blocks: Sequence[str]) -> tuple[int, ...]:
    """Return the last block with music, the blocks that define names it uses, and a version before it."""
    bodies = [number for number, block in enumerate(blocks) if _has_body(block)]
    last = bodies[-1] if bodies else len(blocks) - 1
    program = [last]
    defined, used = set(_DEFINED.findall(blocks[last])), set(_USED.findall(blocks[last]))
    for number in range(last - 1, -1, -1):
        own = set(_DEFINED.findall(blocks[number]))
        is_header = number not in bodies and not _HEADER.sub("", blocks[number]).strip()
        if is_header or own & (used - defined):
            program.append(number)
            defined |= own
            used |= set(_USED.findall(blocks[number]))
    return tuple(reversed(program))


def _stretch(text: str) -> str:
    return without_prose(text, lambda line: _CODE_LINE.match(line) is not None, _LANGUAGES)


RULES = CodeRules(
    "LilyPond code",
    _LANGUAGES,
    _has_body,
    _program,
    is_code=lambda text: _CODE.search(text) is not None,
    stretch=_stretch,
)


def extract(text: str, profile: Profile) -> Structure | NoStructure:
    """Return the LilyPond code of an answer, which is trimmed first.

    ``paper`` takes the last complete block of the language that has music, with the blocks before it that
    define what it uses or state the version, and closes a fence that a truncated answer left open; without a
    fence the answer is the code, without prose around it, unless it has neither a command nor a brace.
    ``helm`` takes the completion verbatim, fences and prose included.

    Args:
        text: Answer without reasoning; of ``helm`` the completion.
        profile: Profile whose rules are followed.
    """
    if profile is Profile.HELM:
        return Structure(text.strip())
    return code_structure(text, RULES)


_VERSION = re.compile(r'^[^%\n]*\\version\s*"', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LilypondDocument:
    r"""A LilyPond score."""

    #: What the model wrote.
    code: str
    #: Version to convert from if the code has no ``\version``; empty converts nothing.
    assume_version: str = ""

    @property
    def source(self) -> str:
        """The code, after a comment that says from where it is converted."""
        return f"% converted from {self.assume_version}\n{self.code}" if self.assume_version else self.code

    @property
    def states_version(self) -> bool:
        r"""Whether the code has a ``\version`` outside of line comments."""
        return _VERSION.search(self.code) is not None


#: Versions to convert from, in the order in which they are tried.
VERSIONS = ("2.12.0", "2.18.0", "2.22.0")

_FAILED = (Verdict.COMPILE_ERROR, Verdict.NO_OUTPUT)


def repair(
    score: LilypondDocument, rendering: Rendering, past: Sequence[Repair]
) -> Repaired[LilypondDocument] | None:
    """Return the score converted from the next older version, or None if that cannot help.

    Args:
        score: Score as it was rendered.
        rendering: What became of it; a score with an image is left alone.
        past: Repairs that led to ``score``.
    """
    if rendering.verdict not in _FAILED or score.states_version or len(past) >= len(VERSIONS):
        return None
    version = VERSIONS[len(past)]
    said = rendering.error.message if rendering.error else rendering.message
    return Repaired(replace(score, assume_version=version), Repair(RepairKind.ASSUME_VERSION, version, said))


#: Resolution of LilyPond where nobody asks for another one.
DPI = 101.0
#: Share of the page that profile ``helm`` cuts off, as it does for LaTeX.
HELM_CUT_BOTTOM = 0.2


@dataclass(frozen=True, slots=True)
class MusicTask(RenderedTask[LilypondDocument]):
    """An image of sheet music, to be answered with LilyPond."""

    #: Profile whose rules are followed.
    profile: Profile = Profile.PAPER
    #: Name as instances call it.
    name: str = "music"
    #: Names of the services, of which the first renders the scores.
    services: tuple[str, ...] = ("render-lilypond",)
    #: How images of different size are compared.
    size_policy: SizePolicy = SizePolicy.PAD

    @property
    def scorers(self) -> tuple[Scorer, ...]:
        """The scorer of notes; profile ``helm`` has what the released code has."""
        return () if self.profile is Profile.HELM else (NotesScorer(),)

    def questions(self, instance: Instance) -> tuple[Question, ...]:
        """Return the one question of an instance: the texts, then its image."""
        return (texts_then_image(task_prompt("musicsheet"), image_of(instance)),)

    def prompt_texts(self) -> tuple[str, ...]:
        """Return the texts of its question, twice: without and with assets, which change nothing."""
        return (*task_prompt("musicsheet"), *task_prompt("musicsheet"))

    def structure_from(self, completion: str, assets: Sequence[str] = ()) -> Structure | NoStructure:
        """Return the code in a completion, or that there is none."""
        return extract(completion, self.profile)

    def document(self, structure: Structure, assets: Mapping[str, bytes] | None = None) -> LilypondDocument:
        """Return the score that shows a structure."""
        return LilypondDocument(structure.code)

    def options(self) -> RenderOptions:
        """Return how a score becomes an image.

        ``paper``: page 1 without tagline and footers, cropped to ink; a blank page is not an image. ``helm``:
        convert-ly must succeed, the lowest fifth of the page is cut off, a blank page is an image.
        """
        if self.profile is Profile.HELM:
            page = PageOptions(DPI, 1, 1, HELM_CUT_BOTTOM, Crop.INK, BlankPage.KEEP)
            return RenderOptions(page=page, lilypond=LilypondOptions(LilypondConvert.REQUIRED, False))
        page = PageOptions(DPI, 1, 1, 0.0, Crop.INK, BlankPage.NO_OUTPUT)
        return RenderOptions(page=page, lilypond=LilypondOptions(LilypondConvert.AUTO, True))

    def request(self, document: LilypondDocument) -> RenderRequest:
        """Return how the score is rendered; to ``helm`` a score of several pages is a failure."""
        source = LilypondSource(document.code.encode("utf-8", "surrogatepass"), document.assume_version)
        limits = Limits(pages=1) if self.profile is Profile.HELM else None
        return RenderRequest(source, self.options(), limits)

    def drawn_request(self, document: LilypondDocument) -> RenderRequest:
        """Return how the score is rendered, with its notes."""
        request = self.request(document)
        lilypond = replace(request.options.lilypond, want_notes=True)
        return replace(request, options=replace(request.options, lilypond=lilypond))

    def drawn(self, document: LilypondDocument, rendering: Rendering) -> str:
        """Return the notes that were engraved."""
        return notes_to_text(rendering.notes or ScoreNotes())

    def drawn_truth(self, content: Content) -> LilypondDocument | None:
        """Return the score of a ground truth; None if that is an image alone."""
        return LilypondDocument(content.structure) if content.structure else None

    def repair(
        self, document: LilypondDocument, rendering: Rendering, past: Sequence[Repair] = ()
    ) -> Repaired[LilypondDocument] | None:
        """Return the score after one more repair, or None if nothing helps."""
        return None if self.profile is Profile.HELM else repair(document, rendering, past)
