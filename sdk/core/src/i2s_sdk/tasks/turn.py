"""Turns: a model is shown what became of its answer, and may correct it.

A turn is an answer and its rendering. Between two turns stands an *observation*: the rendering, the
difference from the image that was asked for, and the first error. With it the model is asked again, in the
conversation of all turns before. Tasks that render have turns (:func:`require_turns`).

The texts are in ``prompts.json``, and decide the numbers of later turns: the manifest of a run with turns has
their digest (:func:`turn_texts`). A task whose benchmark published how answers are revised asks in its words
(:class:`RevisingTask`).
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from i2s_sdk.errors import UsageError
from i2s_sdk.instances.images import PILLOW_PIXELS, decode_image, on_white
from i2s_sdk.reading import read_answer_text
from i2s_sdk.tasks.question import Exchange, ImagePart, Part, Question, TextPart, prompt_texts
from i2s_sdk.tasks.task import Task
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.rendering import Verdict

if TYPE_CHECKING:
    from PIL import Image

#: The word by which a model says that its answer is to stay as it is. The prompt asks for it.
DONE = "DONE"

#: The most pixels of the longer side of an image of an observation; larger ones are made smaller.
MOST_SIDE = 1568

#: The most bytes of an image of an observation; one with more is made smaller.
MOST_BYTES = 3 * 2**20

#: The most characters of the first error that the model is shown.
MOST_ERROR_CHARACTERS = 1_000

#: Names of the images of an observation.
RENDERING, DIFFERENCE = "rendering.png", "difference.png"

#: Prefix of the names of the texts of turns in ``prompts.json``.
_TEXTS = "turn_"

#: Characters of code in an answer: one that has any is not only the word that the model is done.
_CODE = re.compile(r"[\\{}<>=;]|```")

#: What may stand around the word.
_AROUND = " \t*_`'\"().!:"


def turn_name(turn: int) -> str:
    """Return the name of the question of a turn, by which its answer is found: empty for the first."""
    return f"turn-{turn}" if turn > 1 else ""


def is_turn_name(name: str) -> bool:
    """Return whether a question has the name of a turn after the first."""
    return re.fullmatch(r"turn-\d+", name) is not None


def turn_texts(task: Task) -> tuple[str, ...]:
    """Return the texts that the turns of a task are asked with."""
    ours = tuple(text for name, text in prompt_texts().items() if name.startswith(_TEXTS))
    return (*ours, *task.revision_texts) if isinstance(task, RevisingTask) else ours


def require_turns(task: Task) -> None:
    """Check that a task has turns.

    Raises:
        UsageError: It renders nothing, so that there is nothing to look at.
    """
    if task.rendering is None:
        raise UsageError(
            f"task {task.name} has no turns: its answers are not rendered, so there is nothing to show the "
            "model; leave out --turns, or choose tasks that render with --task"
        )


def says_done(task: Task, completion: str) -> bool:
    """Return whether an answer says that the answer before it is to stay: its last line is the word DONE.

    An answer that holds code as well is that code.

    Args:
        task: Its profile decides whether reasoning is left out.
        completion: Verbatim.
    """
    lines = spoken(task, completion).strip().splitlines()
    return bool(lines) and lines[-1].strip(_AROUND) == DONE and not _CODE.search("\n".join(lines[:-1]))


def spoken(task: Task, completion: str) -> str:
    """Return what of a completion the model is shown as its earlier answer: reasoning is left out.

    Profile ``helm`` reads completions verbatim, and shows them so. Halves of characters, which cannot be
    sent, are replaced by question marks.
    """
    answer = completion if task.profile is Profile.HELM else read_answer_text(completion).text
    return _sendable(answer)


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What became of the answer of a turn."""

    #: The image that was rendered, encoded; None if there is none.
    rendering: bytes | None = field(default=None, repr=False)
    #: Verdict of the last render; None if nothing was rendered.
    verdict: Verdict | None = None
    #: The first error of the engine, or why the answer could not be read; empty if there is none.
    error: str = ""
    #: Line of the answer that the error is about, from 1; 0 if it is not known.
    line: int = 0
    #: The code that was rendered, as the task reads it.
    code: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class ObservedImage:
    """An image of an observation."""

    #: Name of its file: RENDERING or DIFFERENCE.
    name: str
    #: PNG in RGB, of at most MOST_SIDE pixels on each side and MOST_BYTES bytes.
    png: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Observation:
    """What a model is shown of its answer, and the request to correct it."""

    #: Texts and images in the order in which the model reads them.
    parts: tuple[str | ObservedImage, ...]

    def written(self, folder: Path) -> tuple[Part, ...]:
        """Write the images into a folder that exists, and return the parts of a question about them.

        Raises:
            OSError: The disk does not take them.
        """
        parts: list[Part] = []
        for part in self.parts:
            if isinstance(part, str):
                parts.append(TextPart(part))
            else:
                path = folder / part.name
                path.write_bytes(part.png)
                parts.append(ImagePart(path))
        return tuple(parts)


@runtime_checkable
class RevisingTask(Protocol):
    """A task whose benchmark published how an answer that was rendered is revised."""

    @property
    def revision_texts(self) -> tuple[str, ...]:
        """The texts of a revision that are the same for all answers."""
        ...

    def revision(self, code: str, rendering: bytes, reference: bytes) -> Observation:
        """Return what the model is shown of its answer, and the request to revise it.

        Args:
            code: What the task read out of the answer.
            rendering: Its image, encoded.
            reference: The image that was asked for, encoded.

        Raises:
            ImageFaultError: One is not an image.
        """
        ...


def observe(task: Task, result: TurnResult, reference: bytes = b"") -> Observation:
    """Return what a model is shown of its answer.

    Args:
        task: Task that renders; one that compares images has the difference shown.
        result: What became of the answer.
        reference: The image that was asked for, encoded; empty if there is none.

    Raises:
        UsageError: The task has no turns.
        ImageFaultError: The rendering or the reference is not an image.
    """
    require_turns(task)
    assert task.rendering is not None, "it was required"
    if isinstance(task, RevisingTask) and result.rendering is not None and reference:
        return task.revision(result.code, result.rendering, reference)
    texts = prompt_texts()
    parts: list[str | ObservedImage] = []
    if result.rendering is not None:
        parts += [texts["turn_rendered"], ObservedImage(RENDERING, bounded_png(result.rendering))]
        if reference and task.rendering.image_metrics:
            difference = difference_png(reference, result.rendering, task.rendering.size_policy)
            parts += [texts["turn_difference"], ObservedImage(DIFFERENCE, difference)]
    elif result.verdict is None:
        parts.append(texts["turn_unread"].format(reason=_one_line(result.error) or "it holds no code"))
    else:
        parts.append(texts["turn_not_rendered"])
    if result.verdict is not None and (result.error.strip() or result.rendering is None):
        parts.append(_error_text(result))
    parts.append(texts["turn_request"].format(done=DONE))
    return Observation(tuple(parts))


def follow_up(
    first: Question, earlier: Sequence[Exchange], observation: Observation, turn: int, folder: Path
) -> Question:
    """Return the question of a further turn, which goes on with the conversation of those before.

    Args:
        first: The question of the first turn.
        earlier: The questions of all turns before, each with what the model answered.
        observation: What it is shown of the last of these answers.
        turn: Number of the turn, from 2.
        folder: Folder that exists, for the images; they are read when the question is asked.

    Raises:
        OSError: The disk does not take them.
    """
    return replace(first, parts=observation.written(folder), name=turn_name(turn), earlier=tuple(earlier))


def bounded_png(content: bytes) -> bytes:
    """Return an image as a PNG within the bounds of observations.

    Raises:
        ImageFaultError: It is not an image.
    """
    image = on_white(decode_image(content, PILLOW_PIXELS))
    return _encoded(image)


def difference_png(reference: bytes, rendering: bytes, policy: SizePolicy) -> bytes:
    """Return how a rendering differs from the image that was asked for, as a PNG within the bounds.

    White is what agrees. Red is darker in the rendering, blue is darker in the reference, grey differs in its
    colour alone; the strength is the largest difference of a channel.

    Args:
        reference: The image that was asked for, encoded.
        rendering: The image that was rendered, encoded.
        policy: How the two get one size, as metrics have it: the smaller is padded with white at right and
            bottom, or the rendering gets the size of the reference.

    Raises:
        ImageFaultError: One is not an image.
    """
    import numpy as np
    from PIL import Image

    wanted, drawn = (on_white(decode_image(one, PILLOW_PIXELS)) for one in (reference, rendering))
    width, height = wanted.size
    if policy is SizePolicy.PAD:
        width, height = max(width, drawn.width), max(height, drawn.height)
    else:
        drawn = drawn.resize(wanted.size, Image.Resampling.LANCZOS)
    # Both get smaller before they are compared, so that memory stays within what an observation needs.
    scale = min(1.0, MOST_SIDE / max(width, height))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    ours, theirs = (np.asarray(_on_canvas(image, scale, size), np.int16) for image in (wanted, drawn))
    strength = np.abs(ours - theirs).max(axis=2)
    darker = (theirs - ours).sum(axis=2)  # below 0 where the rendering is darker
    faded = (255 - strength).astype(np.uint8)
    full = np.full_like(faded, 255)
    shown = np.stack((np.where(darker < 0, full, faded), faded, np.where(darker > 0, full, faded)), axis=2)
    return _encoded(Image.fromarray(shown, "RGB"))


def _on_canvas(image: Image.Image, scale: float, size: tuple[int, int]) -> Image.Image:
    """Return an image, scaled, on white at the left upper corner of an image of a size."""
    from PIL import Image

    own = (
        min(size[0], max(1, round(image.width * scale))),
        min(size[1], max(1, round(image.height * scale))),
    )
    scaled = image if image.size == own else image.resize(own, Image.Resampling.LANCZOS)
    if own == size:
        return scaled
    canvas = Image.new("RGB", size, "white")
    canvas.paste(scaled, (0, 0))
    return canvas


def _encoded(image: Image.Image) -> bytes:
    """Return an image as a PNG, made smaller until it is within the bounds."""
    from PIL import Image

    side = MOST_SIDE
    while True:
        scale = min(1.0, side / max(image.size))
        size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        scaled = image if size == image.size else image.resize(size, Image.Resampling.LANCZOS)
        file = io.BytesIO()
        scaled.save(file, "PNG", optimize=False)
        if file.tell() <= MOST_BYTES:
            return file.getvalue()
        side = max(size) * 3 // 4


def _error_text(result: TurnResult) -> str:
    error = _one_line(result.error) or (result.verdict.name if result.verdict is not None else "")
    if result.line:
        return prompt_texts()["turn_error_line"].format(error=error, line=result.line)
    return prompt_texts()["turn_error"].format(error=error)


def _one_line(error: str) -> str:
    words = _sendable(" ".join(error.split()))
    return words if len(words) <= MOST_ERROR_CHARACTERS else words[: MOST_ERROR_CHARACTERS - 1] + "…"


def _sendable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
