"""The tasks: questions, reading of answers, repairs, scorers, as functions of values without a server."""

from i2s_sdk.tasks.question import DECODING, Decoding, ImagePart, Question, Sampling, TextPart
from i2s_sdk.tasks.repair import (
    Attempts,
    Repair,
    Repaired,
    RepairKind,
    render_with_repairs,
    render_with_repairs_async,
)
from i2s_sdk.tasks.structure import NoStructure, Origin, Structure
from i2s_sdk.tasks.task import Document, RenderedTask, SampledTask, Task

__all__ = [
    "DECODING",
    "Attempts",
    "Decoding",
    "Document",
    "ImagePart",
    "NoStructure",
    "Origin",
    "Question",
    "RenderedTask",
    "Repair",
    "RepairKind",
    "Repaired",
    "SampledTask",
    "Sampling",
    "Structure",
    "Task",
    "TextPart",
    "render_with_repairs",
    "render_with_repairs_async",
]
