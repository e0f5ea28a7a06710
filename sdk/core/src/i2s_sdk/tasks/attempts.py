"""The loop of rendering and repairing, without the rendering: that is passed in.

structure ──▶ document ──▶ render ──▶ verdict
                  ▲                      │ refused, and a repair applies
                  └──────── repair ◀─────┘
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from i2s_sdk.tasks.repair import Repair, Repaired
from i2s_wire.render.rendering import Rendering

Document = TypeVar("Document")


class Repairing(Protocol[Document]):
    """The part of a task that the repair loop uses."""

    def repair(
        self, document: Document, rendering: Rendering, past: tuple[Repair, ...]
    ) -> Repaired[Document] | None:
        """Return the document after one more repair, or None if there is none or enough were made.

        Args:
            document: Document as it was rendered.
            rendering: What became of it.
            past: Repairs that led to ``document``.
        """
        ...


@dataclass(frozen=True, slots=True)
class Attempts(Generic[Document]):
    """The renderings of a structure and of its repairs.

    Attributes:
        document: The last one that was rendered.
        renderings: One for each attempt, in order; never empty.
        repairs: Repairs that were made between them, so one fewer.
    """

    document: Document
    renderings: tuple[Rendering, ...]
    repairs: tuple[Repair, ...]

    @property
    def first(self) -> Rendering:
        """The rendering before any repair."""
        return self.renderings[0]

    @property
    def last(self) -> Rendering:
        """The rendering that counts."""
        return self.renderings[-1]


def _steps(
    task: Repairing[Document], document: Document
) -> Generator[Document, Rendering, Attempts[Document]]:
    renderings: list[Rendering] = []
    repairs: tuple[Repair, ...] = ()
    while True:
        rendering = yield document
        renderings.append(rendering)
        repaired = task.repair(document, rendering, repairs)
        if repaired is None:
            return Attempts(document, tuple(renderings), repairs)
        document, repairs = repaired.document, (*repairs, repaired.repair)


def render_with_repairs(
    task: Repairing[Document], document: Document, render: Callable[[Document], Rendering]
) -> Attempts[Document]:
    """Render ``document``, repairing it for as long as the task has a repair for what became of it.

    Args:
        task: Task that knows the repairs and bounds their number.
        document: The first to render.
        render: The function that renders one document; what it raises ends the loop.
    """
    steps = _steps(task, document)
    document = next(steps)
    while True:
        try:
            document = steps.send(render(document))
        except StopIteration as stop:
            attempts: Attempts[Document] = stop.value
            return attempts


async def render_with_repairs_async(
    task: Repairing[Document], document: Document, render: Callable[[Document], Awaitable[Rendering]]
) -> Attempts[Document]:
    """Do the same as ``render_with_repairs`` with a renderer for coroutines."""
    steps = _steps(task, document)
    document = next(steps)
    while True:
        rendering = await render(document)
        try:
            document = steps.send(rendering)
        except StopIteration as stop:
            attempts: Attempts[Document] = stop.value
            return attempts
