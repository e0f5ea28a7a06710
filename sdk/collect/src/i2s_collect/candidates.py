"""The documents of a source, the pieces that are cut out of them, and why one is dropped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any

from i2s_wire.render.source_error import Provider


@dataclass(frozen=True, slots=True)
class Window:
    """The days, in UTC, on which the documents were first published; both ends belong to it."""

    first: date
    last: date

    def __contains__(self, day: date) -> bool:
        """Return whether a day is in the window."""
        return self.first <= day <= self.last


class CollectStage(StrEnum):
    """The stages of a collection, in their order."""

    DISCOVER = "discover"
    FETCH = "fetch"
    CUT = "cut"
    RENDER = "render"
    JUDGE = "judge"
    SELECT = "select"


class Reason(StrEnum):
    """Why a document or a piece was dropped. The values are stored and printed; they never change meaning."""

    # discover
    WITHDRAWN = "withdrawn"
    NO_SOURCE = "no_source"
    LICENCE = "licence"
    WITHDRAWAL_LIST = "withdrawal_list"
    OWNER_SEEN = "owner_seen"
    MALFORMED = "malformed"
    # fetch
    GONE = "gone"
    NOT_CACHED = "not_cached"
    TOO_LARGE = "too_large"
    BAD_ARCHIVE = "bad_archive"
    # cut
    NO_ROOT_FILE = "no_root_file"
    NOTHING_TO_CUT = "nothing_to_cut"
    REFERENCE = "reference"
    PICTURE_FILE = "picture_file"
    INPUT_FILE = "input_file"
    TOO_LONG = "too_long"
    EMPTY = "empty"
    TOO_MANY_FILES = "too_many_files"
    CODE_LINES = "code_lines"
    NO_INDEX_PAGE = "no_index_page"
    LINKS = "links"
    TEMPLATE = "template"
    ENOUGH_OF_DOCUMENT = "enough_of_document"
    MACROS = "macros"
    CATEGORY_CODES = "category_codes"
    # render
    NOT_RENDERED = "not_rendered"
    UNDEFINED_COMMAND = "undefined_command"
    OVERFULL = "overfull"
    SEVERAL_PAGES = "several_pages"
    NEEDS_NETWORK = "needs_network"
    NOT_SETTLED = "not_settled"
    MISSING_FILE = "missing_file"
    THEME = "theme"
    # of what is made again from a recipe
    CHANGED = "changed"
    OTHER_PICTURE = "other_picture"
    # judge
    BLANK = "blank"
    ONE_COLOR = "one_color"
    SIZE = "size"
    NOT_MUSIC = "not_music"
    DUPLICATE = "duplicate"
    HARMFUL_TEXT = "harmful_text"
    HARMFUL_PICTURE = "harmful_picture"
    PERSONAL_DATA = "personal_data"
    LANGUAGE = "language"
    # select
    ENOUGH_OF_OWNER = "enough_of_owner"
    ENOUGH_OF_DAY = "enough_of_day"
    ENOUGH_OF_SUBSET = "enough_of_subset"


@dataclass(frozen=True, slots=True)
class Dropped:
    """A document or piece that is left out."""

    #: One of the closed list.
    reason: Reason
    #: What was found, for people; empty if the reason says it.
    detail: str = ""
    #: Key of the document, if it is dropped before there is a ``SourceDocument``.
    key: str = ""
    #: Subset of the piece; empty for a document.
    subset: str = ""


@dataclass(frozen=True, slots=True)
class Licence:
    """The licence of a document."""

    #: SPDX identifier, such as "CC-BY-4.0", or the source's own name if SPDX has none; empty if it is not
    #: known.
    name: str = ""
    #: URL of its text; empty if unknown.
    url: str = ""
    #: Whether copies and cuts may be published.
    redistributable: bool = False


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document that a source offers: one version of a paper, a repository at a commit, a piece of music."""

    #: Identifies it within the source for good, such as "2611.01234v1".
    key: str
    #: Day of its first publication, UTC.
    day: date
    #: Whose it is, for the cap on instances of one owner; empty if that is not known.
    owner: str
    #: Licence of the document.
    licence: Licence
    #: Title for the attribution; empty if it has none.
    title: str
    #: Authors for the attribution, in their order.
    authors: tuple[str, ...]
    #: Where people find it.
    url: str
    #: What the source needs to fetch and cut it; JSON.
    detail: Mapping[str, Any] = field(default_factory=dict)
    #: The version that is fetched, such as a commit; empty for the one that the key names, or the newest one.
    version: str = ""

    def line(self) -> str:
        """Return it as a line of JSON."""
        stored = {**asdict(self), "day": self.day.isoformat()}
        return json.dumps(stored, ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Fetched:
    """The content of a document."""

    #: Its bytes, as the source sent them.
    content: bytes
    #: Version that it is, such as a commit; empty if the key says it.
    version: str
    #: Where it was read from.
    url: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a document that may become an instance."""

    #: Subset of the instance.
    subset: str
    #: File of the document that it was cut from; empty if it is the whole document.
    member: str
    #: First byte in ``member``, and the one after the last; (0, 0) for a whole document.
    span: tuple[int, int]
    #: The ground truth as the task has it in a file: LaTeX without preamble, LilyPond, a tar.gz; empty for a
    #: piece that is an image and nothing else.
    structure: bytes
    #: What readers see of it or, for LaTeX and music, its source. It is judged for harm and compared for
    #: duplicates.
    text: str
    #: Measure of the difficulty: characters, lines of code and CSS. 0 has it computed from the image, as
    #: for music.
    length: int
    #: Names of members of the structure that an answer may use.
    assets: tuple[str, ...] = ()
    #: What was done to it, such as {"expanded": 3}; JSON, becomes part of the provenance.
    notes: Mapping[str, Any] = field(default_factory=dict)
    #: Lines by which its document loads packages and libraries. Those that the engine lacks for the piece are
    #: put before its structure.
    loads: Mapping[Provider, str] = field(default_factory=dict)
    #: Where it stands in ``member``, such as "page 3, system 1", if bytes do not say it.
    place: str = ""
    #: PNG of a piece without a structure, which is taken as it is; empty if it is to be rendered.
    picture: bytes = b""
