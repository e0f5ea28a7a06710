"""The text and the picture of a sample in the forms that training frameworks have them."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from i2s_sdk.errors import UsageError
from i2s_sdk.instances.instance import Instance
from i2s_training.requests import Reference


def text_of(completion: Any) -> str:  # noqa: ANN401 - a text, or what chat templates take
    """Return the text of a completion: itself, or that of the last message of a list.

    Raises:
        UsageError: It is neither.
    """
    match completion:
        case str():
            return completion
        case [*_, {"content": str(text)}]:
            return text
        case [*_, {"content": list(parts)}]:
            texts = [part.get("text") for part in parts if isinstance(part, dict)]
            return "".join(text for text in texts if isinstance(text, str))
        case [*_, {"content": None}]:  # a message of calls of tools alone
            return ""
    raise UsageError(f"a completion must be a text or a list of messages, not {type(completion).__name__}")


def reference_of(picture: Any) -> Reference:  # noqa: ANN401 - what data sets have in their columns
    """Return what a completion is compared with.

    Args:
        picture: A Pillow image, an encoded one, a path, {"bytes": …} or {"path": …}, an instance; or a list
            that begins with one of these.

    Raises:
        UsageError: It is something else.
    """
    if isinstance(picture, Instance | Path | str | bytes):
        return picture
    if isinstance(picture, Sequence) and picture:
        return reference_of(picture[0])
    if isinstance(picture, Mapping):
        content, path = picture.get("bytes"), picture.get("path")
        if isinstance(content, bytes):
            return content
        if isinstance(path, str | Path):
            return path
    if hasattr(picture, "save"):  # of Pillow
        encoded = io.BytesIO()
        picture.save(encoded, "PNG")
        return encoded.getvalue()
    raise UsageError(f"a picture must be of Pillow, encoded or a path, not {type(picture).__name__}")
