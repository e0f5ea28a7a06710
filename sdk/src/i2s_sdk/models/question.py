"""One question to a model: the words and the picture."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path

from i2s_sdk.data.instance import Instance
from i2s_sdk.errors import DataError
from i2s_sdk.tasks.prompts import Prompt

_MAGIC = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
}


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is shown: the text, then the picture.

    Attributes:
        id: Of the instance.
        text: All parts of the prompt, joined with nothing.
        image: The file of the picture as it is.
        media_type: Of the picture.
        path: Where the picture lies.
    """

    id: str
    text: str
    image: bytes
    media_type: str
    path: Path

    @property
    def image_base64(self) -> str:
        """The picture in base64."""
        return base64.b64encode(self.image).decode("ascii")

    @property
    def data_url(self) -> str:
        """The picture as a data: URL."""
        return f"data:{self.media_type};base64,{self.image_base64}"

    @property
    def image_sha256(self) -> str:
        """Digest of the picture's file."""
        return hashlib.sha256(self.image).hexdigest()


def read_question(instance: Instance, prompt: Prompt) -> Question:
    """Return the question that an instance is.

    Raises:
        DataError: The picture cannot be read, or is of a kind that models do not take.
    """
    try:
        image = instance.image.read_bytes()
    except OSError as error:
        raise DataError(instance.image, 0, f"cannot be read: {error.strerror}") from None
    return Question(instance.id, "".join(prompt.texts), image, _media_type(instance, image), instance.image)


def _media_type(instance: Instance, image: bytes) -> str:
    for magic, media_type in _MAGIC.items():
        if image.startswith(magic):
            return media_type
    if image[:4] == b"RIFF" and image[8:12] == b"WEBP":
        return "image/webp"
    raise DataError(instance.image, 0, "is neither PNG, JPEG, GIF nor WebP; models take no other pictures")
