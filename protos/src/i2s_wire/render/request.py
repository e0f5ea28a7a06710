"""What a renderer is asked: a source, options, limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from i2s_wire.render.options import RenderOptions
from i2s_wire.render.resources import Limits


@dataclass(frozen=True, slots=True)
class File:
    """A file that lies in the work folder when the job starts; its path is relative."""

    path: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class LatexSource:
    r"""A LaTeX document."""

    #: UTF-8, from ``\documentclass`` to ``\end{document}``.
    document: bytes = field(repr=False)
    #: The files beside it, by relative path.
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class SiteSource:
    """The files of a web site."""

    #: Files of the author of the structure, by relative path.
    files: Mapping[str, bytes] = field(repr=False)
    #: Files of the data set; a file of the same path in ``files`` is ignored.
    assets: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    #: The page that is shown; empty is the index page.
    entry_path: str = ""


@dataclass(frozen=True, slots=True)
class LilypondSource:
    r"""A score."""

    #: UTF-8.
    score: bytes = field(repr=False)
    #: The version to convert from if the score has no ``\version``; empty compiles such a score as current
    #: syntax.
    assume_version: str = ""


@dataclass(frozen=True, slots=True)
class PythonSource:
    """A Python program that draws figures."""

    #: UTF-8.
    program: bytes = field(repr=False)
    #: The files beside it, by relative path.
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class GenericSource:
    """A source in a language that has no type of its own here."""

    #: Language, such as "svg"; decides which renderer takes it.
    language: str
    #: Path of the file that is rendered; one of ``files``.
    entry: str
    #: That file and those beside it, by relative path.
    files: Mapping[str, bytes] = field(repr=False)


Source = LatexSource | SiteSource | LilypondSource | PythonSource | GenericSource


@dataclass(frozen=True, slots=True)
class RenderRequest:
    """One job of a renderer."""

    #: What to render; its type must be one that the renderer serves.
    source: Source
    #: How to render.
    options: RenderOptions = field(default_factory=RenderOptions)
    #: The limits that are asked for; the renderer clamps them. None takes its defaults.
    limits: Limits | None = None
    #: Stands in the logs of the renderer; identifies the responses of a stream.
    id: str = ""
