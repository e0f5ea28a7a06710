"""Repairs, and the loop of rendering and repairing; the rendering is passed in.

structure ──▶ document ──▶ render ──▶ verdict
                  ▲                      │ refused, and a repair applies
                  └──────── repair ◀─────┘

A repair is a small recorded change to an answer that cannot be read, or to a structure that was refused.
"""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from i2s_wire.render.rendering import Rendering

Document = TypeVar("Document")


class RepairKind(enum.StrEnum):
    r"""The kinds of repairs.

    LaTeX: WRAP_MATH put the body in math mode. UNNEST_MATH mended mathematics that began in mathematics,
    DROP_BLANK_LINES removed blank lines from displays and options, ALIGN_LINES aligned a display that uses
    ``&``, ALLOW_TAG made displays such that ``\tag`` is permitted in them. END_ROWS ended rows in front of
    rules, SPLIT_DELIMITERS ended and began ``\left`` and ``\right`` anew between cells, CLOSE_GROUPS closed
    what was left open. ESCAPE_CHARACTER wrote ``&`` or ``#`` as a letter. DECLARE_CHARACTERS gave meaning to
    characters for which LaTeX has none. ADD_PACKAGE and ADD_LIBRARY loaded what defines a name that was
    undefined; DROP_PACKAGE and DROP_LIBRARY removed one that is not installed, clashes, or needs a shell.
    SWAP_ALGORITHM replaced the fixed algorithm packages by algorithm2e. FREE_NAME let the document define a
    name that the fixed preamble has taken. ADD_NAMESAKE is the package injection of profile ``helm``, which
    never helps.

    JSON: SALVAGE_JSON closed a value that was cut off. MEND_JSON read one with faults that have one reading,
        such
    as raw line breaks inside of texts.

    Web pages: HTML_AS_INDEX made a bare HTML document the index page. JOIN_BLOCKS made a site of the files
    that stand in several blocks. NOT_FOUND_PAGE shows what the server of profile ``helm`` showed for a site
    without index page. NORMALIZE_NAME made plain relative paths of file names, LEAVE_OUT_FILE left out files
    that lie in no site.

    Music: ASSUME_VERSION converted a score that states no version from an older one.

    TikZ: USE_ENGINE compiled with another engine.

    Programs: ADD_IMPORT imported a module that the program uses and does not import. RESTORE_NAME put a name
    back that a library has removed. LEAVE_OUT_LINE left out lines of a notebook or of an interpreter that are
    no Python.
    """

    WRAP_MATH = "wrap_math"
    UNNEST_MATH = "unnest_math"
    DROP_BLANK_LINES = "drop_blank_lines"
    ALIGN_LINES = "align_lines"
    ALLOW_TAG = "allow_tag"
    END_ROWS = "end_rows"
    SPLIT_DELIMITERS = "split_delimiters"
    CLOSE_GROUPS = "close_groups"
    ESCAPE_CHARACTER = "escape_character"
    DECLARE_CHARACTERS = "declare_characters"
    ADD_PACKAGE = "add_package"
    ADD_LIBRARY = "add_library"
    DROP_PACKAGE = "drop_package"
    DROP_LIBRARY = "drop_library"
    SWAP_ALGORITHM = "swap_algorithm"
    FREE_NAME = "free_name"
    ADD_NAMESAKE = "add_namesake"
    SALVAGE_JSON = "salvage_json"
    MEND_JSON = "mend_json"
    HTML_AS_INDEX = "html_as_index"
    JOIN_BLOCKS = "join_blocks"
    NOT_FOUND_PAGE = "not_found_page"
    NORMALIZE_NAME = "normalize_name"
    LEAVE_OUT_FILE = "leave_out_file"
    ASSUME_VERSION = "assume_version"
    ADD_IMPORT = "add_import"
    RESTORE_NAME = "restore_name"
    LEAVE_OUT_LINE = "leave_out_line"
    USE_ENGINE = "use_engine"


@dataclass(frozen=True, slots=True)
class Repair:
    """One repair as it is recorded."""

    #: What was done.
    kind: RepairKind
    #: What it was done to: a package, a library, a name, a version.
    detail: str
    #: The message of the error it answers.
    error: str


@dataclass(frozen=True, slots=True)
class Repaired(Generic[Document]):
    """The document after a repair, and the record of it."""

    document: Document
    repair: Repair


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
    """The renderings of a structure and of its repairs."""

    #: The last one that was rendered.
    document: Document
    #: The first one, before any repair.
    original: Document
    #: One for each attempt, in order; never empty.
    renderings: tuple[Rendering, ...]
    #: Repairs that were made between them, so one fewer.
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
    original, renderings = document, list[Rendering]()
    repairs: tuple[Repair, ...] = ()
    while True:
        rendering = yield document
        renderings.append(rendering)
        repaired = task.repair(document, rendering, repairs)
        if repaired is None:
            return Attempts(document, original, tuple(renderings), repairs)
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
