"""Answers on disk, by what was asked: nothing that was answered is paid for twice.

::

    FOLDER/ab/abcdef….json      named by SHA-256 of the question

A file is written whole and then named, so that processes may share the folder; of two that write the same
file the later wins. A file that is damaged, or belongs to another question, is no answer.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from i2s_sdk.models.model import Finish
from i2s_sdk.models.provider import Answer
from i2s_sdk.models.question import Question

FORMAT = 1


class Asked(Protocol):
    """Who is asked, and how."""

    @property
    def vendor(self) -> str:
        """As of a provider; so are the others."""
        ...

    @property
    def model(self) -> str:
        """Its name."""
        ...

    @property
    def base_url(self) -> str:
        """Of the server."""
        ...

    @property
    def parameters(self) -> dict[str, float | int | str | None]:
        """That decide the answer."""
        ...


def question_key(provider: Asked, question: Question) -> str:
    """Return the SHA-256 of everything that decides an answer.

    These are provider, model, base URL, the text, the bytes of the picture, and the parameters.
    """
    asked = {
        "format": FORMAT,
        "provider": provider.vendor,
        "model": provider.model,
        "base_url": provider.base_url,
        "text": question.text,
        "image": question.image_sha256,
        "media_type": question.media_type,
        "parameters": provider.parameters,
    }
    return hashlib.sha256(_canonical(asked)).hexdigest()


class AnswerCache:
    """Answers in a folder. What cannot be read or written is as if it were not kept.

    Args:
        folder: Made when something is kept; None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, key: str) -> Answer | None:
        """Return the answer to a question, or None where there is none that is whole."""
        path = self._path(key)
        if path is None:
            return None
        try:
            kept = json.loads(path.read_bytes())
            answer = kept["answer"]
            if kept["key"] != key or kept["sha256"] != _digest(key, answer):
                return None
            return Answer(**{**answer, "finish": Finish(answer["finish"])})
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, answer: Answer) -> None:
        """Keep the answer to a question; a full or read-only disk is no reason to lose the answer."""
        path = self._path(key)
        if path is None:
            return
        plain = asdict(answer)
        content = {"format": FORMAT, "key": key, "sha256": _digest(key, plain), "answer": plain}
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_whole(path, json.dumps(content, indent=1).encode())

    def _path(self, key: str) -> Path | None:
        return self._folder / key[:2] / f"{key}.json" if self._folder is not None else None


def _digest(key: str, answer: dict[str, Any]) -> str:
    return hashlib.sha256(_canonical([key, answer])).hexdigest()


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _write_whole(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
