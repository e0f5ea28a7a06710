"""Answers on disk, by what was asked, for later runs that want them (``--cache answers``).

The name of a model does not say which weights answer, so that no run takes them unasked.

::

    FOLDER/ab/abcdef….json      named by SHA-256 of the question

Beside the answer stands the call that was made for it, by the name that the call has in the journal of its
run. So a run that was killed before it had written the answer down finds out that the answer is its own, and
was paid for by it.

A file is written whole and then named, so that processes may share the folder; of two that write the same
file the later wins. A file that is damaged, or belongs to another question, is not an answer.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from i2s_sdk.files import write_whole
from i2s_sdk.json_text import JsonFields, plain_fields, read_json
from i2s_sdk.models.provider import Answer
from i2s_sdk.models.question import ReadImage, ReadQuestion

FORMAT = 1

#: Format of the keys of questions that are not a text and one image.
PARTS_FORMAT = 2


class AskedModel(Protocol):
    """The model that is asked, as a provider names it, and the parameters that decide its answers."""

    vendor: str
    model: str
    base_url: str
    parameters: dict[str, Any]


def question_key(provider: AskedModel, question: ReadQuestion) -> str:
    """Return the SHA-256 of everything that decides an answer.

    These are provider, model, base URL, texts, the bytes of images, the parameters, and the sampling of a
    question that has one. A question of a text and one image behind it, without anything else, has the key
    that it had when there were no other forms of questions, so that its answers are found.

    Args:
        provider: Who is asked, and how.
        question: Its sampling is that of ``ModelOptions.sampling``, so that the user's choice is in the key.
    """
    asked = {
        "format": FORMAT,
        "provider": provider.vendor,
        "model": provider.model,
        "base_url": provider.base_url,
        "parameters": provider.parameters,
    }
    plain = question.text_and_image
    further = question.system or question.json_schema is not None or question.vendor_order or question.earlier
    if plain and question.max_tokens is None and not further:
        text, image = plain
        asked |= {"text": text, "image": image.sha256, "media_type": image.media_type}
    else:
        asked |= {
            "format": PARTS_FORMAT,
            "parts": [_part(part) for part in question.parts],
            "system": question.system,
            "max_tokens": question.max_tokens,
            # As text, since providers write the fields of an object in the order of its schema.
            "json_schema": json.dumps(question.json_schema),
        }
    if question.earlier:
        asked["earlier"] = [
            {"parts": [_part(part) for part in exchange.parts], "answer": exchange.answer}
            for exchange in question.earlier
        ]
    if question.vendor_order:
        asked["vendor_order"] = True
    if question.sampling is not None:
        asked["sampling"] = plain_fields(question.sampling)
    return hashlib.sha256(_canonical(asked)).hexdigest()


def _part(part: str | ReadImage) -> dict[str, str]:
    if isinstance(part, str):
        return {"text": part}
    return {"image": part.sha256, "media_type": part.media_type}


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call of a model, all its attempts together."""

    name: str  #: name in the journal of the run that made it; empty if no run did
    attempts: int  #: number of attempts
    seconds: float  #: duration of the last attempt


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer of the cache."""

    answer: Answer
    call: RecordedCall | None = None  #: the call that it was the answer to; None if that is not known
    at: str = ""  #: time at which it was kept, in ISO 8601


class AnswerCache:
    """Answers in a folder. What cannot be read or written is as if it were not kept.

    Args:
        folder: Folder of the cache; made when something is kept. None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, key: str) -> Kept | None:
        """Return the answer to a question, or None if there is none that is whole."""
        path = self._path(key)
        if path is None:
            return None
        try:
            content = read_json(path.read_bytes())
            answer, call = content["answer"], content.get("call")
            if content["key"] != key or content["sha256"] != _digest(key, answer, call):
                return None
            made = JsonFields(call).read_as(RecordedCall) if call else None
            return Kept(JsonFields(answer).read_as(Answer), made, _when(path))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, answer: Answer, call: RecordedCall | None = None) -> None:
        """Keep the answer to a question; a full or read-only disk loses no answer.

        Args:
            key: The cache key of the question.
            answer: The answer to store.
            call: The call that was made for it.
        """
        path = self._path(key)
        if path is None:
            return
        plain, plain_call = plain_fields(answer), plain_fields(call) if call else None
        content = {"format": FORMAT, "key": key, "sha256": _digest(key, plain, plain_call), "answer": plain}
        if plain_call is not None:
            content["call"] = plain_call
        with contextlib.suppress(OSError):
            write_whole(path, json.dumps(content, indent=1).encode(), durable=False)

    def _path(self, key: str) -> Path | None:
        return self._folder / key[:2] / f"{key}.json" if self._folder is not None else None


def _when(path: Path) -> str:
    """Return when a file was written, in ISO 8601."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")


def _digest(key: str, answer: dict[str, Any], call: dict[str, Any] | None) -> str:
    return hashlib.sha256(_canonical([key, answer, call] if call else [key, answer])).hexdigest()


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
