"""OMR-NED: the share of the symbols of two musical scores that has to be deleted or inserted.

Source: musicdiff 5.2 (``musicdiff.diff_ml_training``), which computes it here; arXiv 2506.10488 names it.
Scores are texts in MusicXML, MEI or Humdrum ``**kern``. They come from models, so nothing of them is written
to a file, no document type is followed, and a document that defines entities is not read.
"""

from __future__ import annotations

import copy
import importlib.util
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from types import SimpleNamespace
from typing import Any
from xml.parsers import expat

#: The package without which nothing is computed; an extra of this one.
PACKAGE = "musicdiff"
#: What is compared: musicdiff's ``AllObjects``, its default.
DETAILS = ("AllObjects",)
#: The deepest nesting of elements of XML.
MOST_DEPTH = 100
#: Lines of differences that are kept.
MOST_DIFFERENCES = 200

_ROOT = re.compile(r"<\s*(?:\w+:)?(score-partwise|score-timewise|meiCorpus|mei)\b")
_KERN = re.compile(r"\s*(?:!.*\n\s*)*\*\*(?:\w*kern|ekern_1\.0)\b")
_EKERN = re.compile(r"^\*\*(?:ekern(?:_1\.0)?|bekern)(?=\t|\r?$)", re.MULTILINE)
#: The first line of spines that were not opened: an interpretation, a bar line or notes.
_NOT_OPENED = re.compile(r"\*(?!\*)|[=\[(]*\d|=")
_SEPARATORS = str.maketrans("", "", "@·")
#: Levels of recursion for two bars; musicdiff recurses over the bars of a part.
_DEEPEST = 20_000


class ScoreFormat(StrEnum):
    """The formats of scores that are read."""

    MUSICXML = "musicxml"
    MEI = "mei"
    KERN = "kern"


class ScoreFaultError(ValueError):
    """A text is not a score that can be read; the message says why."""


@dataclass(frozen=True, slots=True)
class OmrDistance:
    """The distance of two scores, in symbols."""

    #: Symbols to be deleted or inserted (OMR-ED), with the errors of syntax of the prediction.
    edits: int
    #: Symbols of the prediction.
    prediction: int
    #: Symbols of the truth.
    truth: int
    #: The differences as musicdiff writes them, line by line.
    differences: tuple[str, ...] = field(default=(), compare=False)

    @property
    def ned(self) -> float:
        """OMR-NED, from 0 for equal scores; 0 if neither has a symbol."""
        symbols = self.prediction + self.truth
        return self.edits / symbols if symbols else 0.0


def is_available() -> bool:
    """Return whether the package that compares scores is installed."""
    return importlib.util.find_spec(PACKAGE) is not None


def score_format(text: str) -> ScoreFormat | None:
    """Return the format of a score by its beginning; None if it is in none that is read."""
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        root = _ROOT.search(text)
        if root is None:
            return None
        return ScoreFormat.MEI if root[1].startswith("mei") else ScoreFormat.MUSICXML
    return ScoreFormat.KERN if _KERN.match(text) else None


def as_kern(text: str) -> str:
    """Return kern as it is read: of ``**ekern``, without its separators; with ``**kern`` where no line is.

    Pages of data sets may lack the line that opens the spines.
    """
    lines = text.strip("\r\n").splitlines()
    first = next((line for line in lines if line.strip() and not line.startswith("!")), "")
    if _NOT_OPENED.match(first):
        return "\n".join(["\t".join(["**kern"] * len(first.split("\t"))), *lines, ""])
    if _EKERN.search(text):
        text = _EKERN.sub("**kern", text).translate(_SEPARATORS)
    return text


def omr_distance(prediction: str, truth: str, details: Sequence[str] = DETAILS) -> OmrDistance:
    """Return the distance of two scores.

    Syntax errors of kern in the prediction are corrected where that is possible, and count one symbol each.
    Of a text with several scores the first is compared.

    Args:
        prediction: A score.
        truth: The score that it should be.
        details: Names of musicdiff's levels of detail, which are added up.

    Raises:
        ScoreFaultError: The prediction cannot be read.
        TruthFaultError: The truth cannot be read, or has no parts.
    """
    with _deep_recursion():
        wanted = _read_truth(truth)
        given = _read(prediction, forgiving=True)
        return _compared(given, wanted, details)


class TruthFaultError(ScoreFaultError):
    """The same of the ground truth."""


def score_fault(text: str) -> str:
    """Return what is wrong with a text that should be a score, empty for nothing; its music is not read."""
    try:
        _checked(text)
    except ScoreFaultError as error:
        return str(error)
    return ""


def _checked(text: str) -> ScoreFormat:
    kind = score_format(text)
    if kind is None:
        raise ScoreFaultError("is neither MusicXML nor MEI nor **kern")
    if kind is not ScoreFormat.KERN:
        _check_xml(text)
    return kind


def _check_xml(text: str) -> None:
    """Check that a text is XML that defines no entities and is not nested without end.

    Raises:
        ScoreFaultError: It is not.
    """
    depth = 0

    def opened(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MOST_DEPTH:
            raise ScoreFaultError(f"has elements that are nested more than {MOST_DEPTH} times")

    def closed(name: str) -> None:
        nonlocal depth
        depth -= 1

    def entity(name: str, *about: object) -> None:
        raise ScoreFaultError(f"defines the entity {name[:40]!r}; entities are not read")

    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler, parser.EndElementHandler = opened, closed
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise ScoreFaultError(f"is not well-formed XML: {error}") from None


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _read_truth(text: str) -> Any:  # noqa: ANN401 - a score of music21
    try:
        score = _read(text, forgiving=False)
    except ScoreFaultError as error:
        raise TruthFaultError(str(error)) from None
    if not len(score.parts):
        raise TruthFaultError("has no parts that can be read")
    return score


def _read(text: str, *, forgiving: bool) -> Any:  # noqa: ANN401
    """Return the first score of a text.

    Raises:
        ScoreFaultError: It cannot be read.
    """
    kind = _checked(text)
    with _faults("cannot be read by music21"):
        return _library().read(text, kind, forgiving)


@contextmanager
def _faults(what: str) -> Iterator[None]:
    """Raise an error of the libraries, which may be any, as a fault of the text; limits stay limits."""
    try:
        yield
    except (ScoreFaultError, MemoryError, RecursionError):
        raise
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise ScoreFaultError(f"{what}: {said}") from None


def _compared(given: Any, wanted: Any, details: Sequence[str]) -> OmrDistance:  # noqa: ANN401
    with _faults("cannot be compared by musicdiff"):
        return _library().compare(given, wanted, details)


@dataclass(frozen=True, slots=True)
class _Library:
    """What is used of musicdiff and music21."""

    #: Reads a text of a format, corrects syntax or not; returns a score of music21.
    read: Callable[[str, ScoreFormat, bool], Any]
    #: Compares two scores at levels of detail.
    compare: Callable[[Any, Any, Sequence[str]], OmrDistance]


@cache
def _library() -> _Library:
    """Import musicdiff, music21 and converter21."""
    with _without_settings():
        import converter21
        import music21
        from musicdiff import DetailLevel, annotation, comparison
        from musicdiff.visualization import Visualization

        converter21.register()
    _hasten(annotation, comparison)

    def read(text: str, kind: ScoreFormat, forgiving: bool) -> Any:  # noqa: ANN401
        # Texts are given to the readers of their formats: what guesses would open files and addresses.
        match kind:
            case ScoreFormat.MUSICXML:
                reader = music21.converter.subConverters.ConverterMusicXML()
                reader.parseData(text)
                score = reader.stream
            case ScoreFormat.MEI:
                score = converter21.MEIConverter().parseData(text)
            case ScoreFormat.KERN:
                score = converter21.HumdrumConverter().parseData(as_kern(text), acceptSyntaxErrors=forgiving)
        return score.scores[0] if isinstance(score, music21.stream.Opus) else score

    def compare(given: Any, wanted: Any, details: Sequence[str]) -> OmrDistance:  # noqa: ANN401
        level = 0
        for name in details:
            level |= int(DetailLevel[name])
        first, second = annotation.AnnScore(given, level), annotation.AnnScore(wanted, level)
        operations, edits = comparison.Comparison.annotated_scores_diff(first, second)
        written = Visualization.get_text_output(given, wanted, operations, score1Name="", score2Name="")
        lines = tuple(written.splitlines()[2:][:MOST_DIFFERENCES])
        return OmrDistance(int(edits), int(first.notation_size()), int(second.notation_size()), lines)

    return _Library(read, compare)


@contextmanager
def _without_settings() -> Iterator[None]:
    """Have music21 find no settings of the user, who may have allowed it to download files."""
    names = ("HOME", "USERPROFILE", "APPDATA")
    before = {name: os.environ[name] for name in names if name in os.environ}
    with tempfile.TemporaryDirectory(prefix="i2s-omr-") as empty:
        os.environ.update(dict.fromkeys(before.keys() | {"HOME"}, empty))
        try:
            yield
        finally:
            os.environ.pop("HOME", None)
            os.environ.update(before)


def _hasten(annotation: Any, comparison: Any) -> None:  # noqa: ANN401 - modules
    """Make musicdiff compare pages of 40 bars in a second in place of minutes; no value changes.

    It remembers results under the representations of whole bars, and copies all that a result refers to each
    time. Identities tell bars and notes apart as well, and of a result only the list is changed.
    """

    def identity(one: object) -> str:
        return f"<{id(one)}>"

    annotation.AnnMeasure.__repr__ = identity
    annotation.AnnNote.__repr__ = identity
    comparison.copy = SimpleNamespace(copy=copy.copy, deepcopy=lambda result: (list(result[0]), result[1]))
