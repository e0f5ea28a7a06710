"""What a model was asked, as a reader of a run is shown it: texts, and images by their digests."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from i2s_sdk.plain_fields import plain_fields
from i2s_sdk.run.storage.typed_fields import with_checked_fields
from i2s_sdk.tasks.question import ImagePart, Question, TextPart, joined_texts
from i2s_sdk.visible import visible

#: Characters of a text of a question that are kept; of a longer one, the beginning is.
TEXT_CHARACTERS = 20_000

#: Images of a question that are kept with the run; further ones are only named.
MOST_IMAGES = 20


@dataclass(frozen=True, slots=True)
class AskedPart:
    """A text or a file of a question.

    Attributes:
        text: The text; empty for a file.
        sha256: Digest of an image, by which the run keeps it; empty for a text, and for a file that the run
            does not keep.
        file: Name of a file without its folder; empty for a text.
    """

    text: str = ""
    sha256: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was asked: own prompts of the user and examples are in it.

    Attributes:
        parts: Texts and files in the order in which the model reads them.
        system: The system text; empty for none.
        schema: JSON Schema of the answer as JSON; empty for none.
    """

    parts: tuple[AskedPart, ...]
    system: str = ""
    schema: str = ""

    @classmethod
    def of(cls, question: Question, images: Mapping[Path, str]) -> Asked:
        """Return a question as it is kept.

        Args:
            question: Question as the model is asked it.
            images: Digests of those of its images that the run keeps.
        """
        parts = tuple(
            AskedPart(text=_bounded(part.text))
            if isinstance(part, TextPart)
            else AskedPart(
                sha256=images.get(part.path, "") if isinstance(part, ImagePart) else "",
                file=visible(part.path.name),
            )
            for part in joined_texts(question)
        )
        schema = "" if question.json_schema is None else json.dumps(question.json_schema, indent=1)
        return cls(parts, _bounded(question.system), _bounded(schema))

    @property
    def images(self) -> tuple[str, ...]:
        """Digests of its images that the run keeps."""
        return tuple(one.sha256 for one in self.parts if one.sha256)

    def to_json(self) -> dict[str, Any]:
        """Return the question as JSON has it, without empty fields."""
        plain = plain_fields(self)
        plain["parts"] = [{name: own for name, own in part.items() if own} for part in plain["parts"]]
        return {name: own for name, own in plain.items() if own}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Asked:
        """Return a question that was kept. Texts that many questions have in common are there once.

        Raises:
            KeyError, TypeError, ValueError: It is no question.
        """
        parts = tuple(with_checked_fields(AskedPart(**one)) for one in plain.get("parts", ()))
        shared = tuple(AskedPart(sys.intern(one.text), one.sha256, one.file) for one in parts)
        texts = {name: plain.get(name, "") for name in ("system", "schema")}
        made = with_checked_fields(cls(shared, **texts))
        return cls(made.parts, sys.intern(made.system), sys.intern(made.schema))


def image_paths(question: Question) -> Sequence[Path]:
    """Return the images of a question that a run keeps, in order."""
    paths = [part.path for part in question.parts if isinstance(part, ImagePart)]
    return list(dict.fromkeys(paths))[:MOST_IMAGES]


def _bounded(text: str) -> str:
    left = len(text) - TEXT_CHARACTERS
    kept = f"{text[:TEXT_CHARACTERS]}\n… {left} more characters" if left > 0 else text
    return kept.encode("utf-8", "replace").decode()
