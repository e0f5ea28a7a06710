"""What is known of a sample once its completion was read and rendered, before it is scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from i2s_sdk.plain_fields import plain_fields
from i2s_sdk.reading import AnswerText
from i2s_sdk.run.storage.typed_fields import with_checked_fields
from i2s_sdk.tasks.structure import NO_CHOICE, NoStructure, Origin, Structure
from i2s_wire.render.rendering import Verdict

#: Fields that a line has only if they say something.
_OPTIONAL = ("error_before_repair", "target_sha256", "reading")


@dataclass(frozen=True, slots=True)
class FirstError:
    """The first error of an engine: its words, the sort, and the line of the document (0: unknown)."""

    message: str
    kind: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class RepairNote:
    """One repair that was made: its sort, to what, and the error that it answers."""

    kind: str
    detail: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class ReadingNote:
    """The stretch of a completion that was read as its answer, and the choice among its blocks.

    Attributes:
        start: Where the answer begins in the completion, in characters; reasoning and markers stand before
            it.
        end: The place behind its last character.
        blocks: Number of its fenced blocks.
        taken: Numbers of those that are the structure, from 1.
        origin: "unclosed_fence" if the structure is a block that was cut off, "excerpt" if it was taken out
            of prose; empty otherwise.
    """

    start: int
    end: int
    blocks: int = 0
    taken: tuple[int, ...] = ()
    origin: str = ""

    @classmethod
    def of(cls, answer: AnswerText, structure: Structure | NoStructure) -> ReadingNote | None:
        """Return the note of a reading; None if all of the completion was read and nothing was chosen."""
        choice = structure.choice if isinstance(structure, Structure) else NO_CHOICE
        origin = structure.origin if isinstance(structure, Structure) else Origin.BARE
        told = str(origin) if origin in (Origin.UNCLOSED_FENCE, Origin.EXCERPT) else ""
        whole = (answer.start, answer.end) == (0, len(answer.completion))
        if whole and choice == NO_CHOICE and not told:
            return None
        return cls(answer.start, answer.end, choice.blocks, choice.taken, told)

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> ReadingNote:
        """Return the note of a line.

        Raises:
            KeyError, TypeError, ValueError: It is none.
        """
        return with_checked_fields(cls(**{**plain, "taken": tuple(plain.get("taken", ()))}))


@dataclass(frozen=True, slots=True)
class ReadSample:
    """What was read out of the completion of a sample and rendered, if its task renders.

    Attributes:
        id: Id of the instance.
        task: Task of the instance.
        subset: Subset of the instance.
        difficulty: Difficulty of the instance; empty if unknown.
        usable: Whether the task could read a structure and, if it is rendered, got a picture, and its
            scorers could work on it.
        verdict: Verdict of the last render; None if nothing was rendered.
        verdict_before_repair: Verdict of the first render; None also if the answer was changed before it was
            rendered at all.
        repairs: Repairs in the order made.
        message: What the renderer said of the last render, why the sample is not usable, or how the model
            refused.
        error: The first error of the last render.
        structure: The code taken from the completion.
        assets: Names of the files that the answer could use.
        reference_sha256: SHA-256 of the reference picture.
        rendering_sha256: SHA-256 of the rendering; empty if there is none. Pictures are kept by this name.
        document_sha256: SHA-256 of the document that was rendered last.
        width: Width of the rendering, in pixels.
        height: Height of the rendering, in pixels.
        pages: Pages that the engine made.
        engine_digest: Digest of the engine that made the rendering.
        isolation: The tier that the render ran in.
        seconds: Wall time in seconds by stage: "generate", "render", "score".
        error_before_repair: The first error of the first render, if another render followed; its line is that
            of the document before any repair of a document.
        target_sha256: SHA-256 of the ground truth that is no picture; empty if there is none, and in records
            of earlier versions.
        reading: The part of the completion that was read; None for all of it.
    """

    id: str
    task: str
    subset: str
    difficulty: str
    usable: bool = False
    verdict: Verdict | None = None
    verdict_before_repair: Verdict | None = None
    repairs: tuple[RepairNote, ...] = ()
    message: str = ""
    error: FirstError | None = None
    structure: str | None = None
    assets: tuple[str, ...] = ()
    reference_sha256: str = ""
    rendering_sha256: str = ""
    document_sha256: str = ""
    width: int = 0
    height: int = 0
    pages: int = 0
    engine_digest: str = ""
    isolation: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    error_before_repair: FirstError | None = None
    target_sha256: str = ""
    reading: ReadingNote | None = None

    @property
    def has_picture(self) -> bool:
        """Whether the sample was rendered."""
        return self.verdict is not None and self.verdict.has_picture

    @property
    def usable_before_repair(self) -> bool:
        """Whether the sample was usable without any repair."""
        if self.verdict is None:
            return self.usable and not self.repairs
        return self.verdict_before_repair is not None and self.verdict_before_repair.has_picture

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON has them: verdicts by name, without empty optional ones."""
        plain = plain_fields(self)
        for name in _OPTIONAL:
            if not plain[name]:
                del plain[name]
        for name in ("verdict", "verdict_before_repair"):
            verdict: Verdict | None = getattr(self, name)
            plain[name] = verdict.name if verdict is not None else None
        return plain


def read_values(kind: type[ReadSample], plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a line by which a sample is made; those of later versions are left out.

    Args:
        kind: The class to be made; its own fields are returned as the line has them.
        plain: The line.

    Raises:
        KeyError, TypeError, ValueError: It is not of this kind.
    """
    if not isinstance(plain, Mapping):
        raise TypeError("it is not an object")
    known = {one.name for one in fields(kind)}
    values = {name: value for name, value in plain.items() if name in known}
    for name in ("verdict", "verdict_before_repair"):
        values[name] = Verdict[values[name]] if values.get(name) else None
    if "usable" not in values:  # written before there were tasks without a rendering
        values["usable"] = values["verdict"] is not None and values["verdict"].has_picture
    values["assets"] = tuple(values.get("assets", ()))
    values["repairs"] = tuple(with_checked_fields(RepairNote(**one)) for one in values.get("repairs", ()))
    values["reading"] = ReadingNote.from_json(values["reading"]) if values.get("reading") else None
    for name in ("error", "error_before_repair"):
        values[name] = with_checked_fields(FirstError(**values[name])) if values.get(name) else None
    return values
