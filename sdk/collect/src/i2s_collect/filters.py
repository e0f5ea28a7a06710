"""The filters on a piece: its image, sheet music or not, language, harmful content, data of persons."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, TypeVar

from i2s_collect.candidates import Dropped, Piece, Reason
from i2s_collect.harm.judges import ImageJudge, Judge, TextJudge, people_flags
from i2s_collect.images import music
from i2s_collect.images.values import picture_fault, picture_values
from i2s_sdk.instances.images import decode_image

C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class Judged:
    """The findings of the filters."""

    #: Values of the filters, by name; JSON, becomes part of the provenance.
    values: Mapping[str, Any] = field(default_factory=dict)
    #: Why the piece is left out; None if it is not.
    dropped: Dropped | None = None
    #: What people should know of it, such as "email_address".
    flags: tuple[str, ...] = ()


PACKAGE = "py3langid"
#: Code of texts whose language cannot be determined.
UNDETERMINED = "und"
#: A text with fewer letters is undetermined.
MIN_LETTERS = 40
#: A text whose most probable language is less probable is undetermined.
MIN_PROBABILITY = 0.8
#: The most characters that are read, from the beginning.
MAX_CHARACTERS = 20_000


class LanguageIdentifier:
    """Names the language of texts."""

    def __init__(self) -> None:
        from py3langid import langid  # type: ignore[import-untyped]

        self.version = f"{PACKAGE} {version(PACKAGE)}"
        self._model: Any = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)

    @property
    def known(self) -> frozenset[str]:
        """Codes of all languages that can be named."""
        return frozenset(self._model.labels)

    def identify(self, text: str) -> tuple[str, float]:
        """Return the language of a text and how probable it is.

        Args:
            text: Text that readers see.

        Returns:
            Code of ISO 639-1, or "und" for a text that is too short or of no clear language; probability from
            0 to 1, as the model has it.
        """
        read = text[:MAX_CHARACTERS]
        if sum(one.isalpha() for one in read) < MIN_LETTERS:
            return UNDETERMINED, 0.0
        language, probability = self._model.classify(read)
        if probability < MIN_PROBABILITY:
            return UNDETERMINED, float(probability)
        return str(language), float(probability)


#: Tasks whose pieces must be sheet music, and those whose pages are looked through for data of people.
MUSIC_TASKS, PAGE_TASKS = frozenset({"music"}), frozenset({"webpage"})

#: Version of the filters without a model of their own. It changes if a piece may be judged differently.
VERSION = "1"

#: Digits that are kept of values of models, and of the probability of a language, which has simple precision.
DIGITS, DIGITS_OF_LANGUAGES = 4, 2

#: Members of an archive whose names are looked at.
MOST_MEMBERS = 10_000


class Filters:
    """Filters on pieces; the same piece and image have the same result everywhere.

    The first filter that leaves a piece out ends the judgement.

    Args:
        task: Name of the task of the pieces.
        texts: Judges of what readers see.
        pictures: Judges of images.
        redistributable: Whether pages with data of people are left out rather than flagged.
        identifier: Names the natural language of pages; None if nobody does.
        languages: Codes of the languages that are wanted, "und" for texts of undetermined language;
            empty for all.
    """

    def __init__(
        self,
        task: str,
        texts: Sequence[TextJudge] = (),
        pictures: Sequence[ImageJudge] = (),
        redistributable: bool = False,
        identifier: LanguageIdentifier | None = None,
        languages: frozenset[str] = frozenset(),
    ) -> None:
        self._task, self._texts, self._images = task, tuple(texts), tuple(pictures)
        self._redistributable = redistributable
        self._identifier, self._languages = identifier, languages

    @property
    def facts(self) -> Mapping[str, str]:
        """Names and versions of the filters, and of the models in them."""
        facts = {"pictures": VERSION}
        if self._task in MUSIC_TASKS:
            facts["sheet music"] = music.VERSION
        if self._identifier is not None:
            facts["language"] = self._identifier.version
            facts["languages"] = " ".join(sorted(self._languages)) or "all"
        models: list[TextJudge | ImageJudge] = [*self._texts, *self._images]
        for model in models:
            facts[model.name] = f"{model.version}, limit {model.limit:g}"
        return facts

    def judge(self, piece: Piece, png: bytes, text: str) -> Judged:
        """Return what the filters find.

        Raises:
            ImageFaultError: The image cannot be read.
            SourceStoppedError: A judge behind an address does not answer.
        """
        image = decode_image(png)
        values: dict[str, Any] = dict(picture_values(image))
        if fault := picture_fault(values, self._task):
            return Judged(values, fault)
        if self._task in MUSIC_TASKS:
            likely = music.probability(image)
            values["sheet_music"] = round(likely, DIGITS)
            if fault := music.music_fault(likely):
                return Judged(values, fault)
        if self._identifier is not None:
            language, likely = self._identifier.identify(text)
            values |= {"language": language, "language_probability": round(likely, DIGITS_OF_LANGUAGES)}
            if self._languages and language not in self._languages:
                return Judged(values, Dropped(Reason.LANGUAGE, language))
        harmful = _harmful(self._texts, text, Reason.HARMFUL_TEXT, values)
        harmful = harmful or _harmful(self._images, png, Reason.HARMFUL_PICTURE, values)
        if harmful is not None:
            return Judged(values, harmful)
        flags = people_flags(text, _members(piece)) if self._task in PAGE_TASKS else ()
        if flags and self._redistributable:
            return Judged(values, Dropped(Reason.PERSONAL_DATA, ", ".join(flags)), flags)
        return Judged(values, None, flags)


def _harmful(
    judges: Sequence[Judge[C]], content: C, reason: Reason, values: dict[str, Any]
) -> Dropped | None:
    """Return why a content is left out, None if no judge has a value above its limit.

    Args:
        judges: Each one's value is added to ``values`` up to the first above its limit.
        content: A text, or the PNG of an image.
        reason: Why such a content is left out.
        values: The values of judges so far.
    """
    for judge in judges:
        values[judge.name] = value = round(judge.judge(content), DIGITS)
        if value > judge.limit:
            return Dropped(reason, f"{judge.name}: {value}, more than {judge.limit:g}")
    return None


def _members(piece: Piece) -> list[str]:
    """Return the names of the files of a piece: of its archive if it is one, and of its assets."""
    names = list(piece.assets)
    try:
        with tarfile.open(fileobj=io.BytesIO(piece.structure), mode="r:*") as archive:
            names += [member.name for member, _ in zip(archive, range(MOST_MEMBERS), strict=False)]
    except (tarfile.TarError, OSError, EOFError, ValueError):
        return names
    return sorted(set(names))
