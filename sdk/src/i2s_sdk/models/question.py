"""One question to a model: the words and the picture."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path

from i2s_sdk.errors import DataError
from i2s_sdk.instances.images import PILLOW_PIXELS
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.references import checked_reference
from i2s_sdk.tasks.prompts import Prompt


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
        DataError: The picture cannot be read, or is none of PNG, JPEG and WebP.
    """
    if instance.image is None:
        raise DataError(instance.file, 0, "has no picture to show")
    try:
        image = instance.image.read_bytes()
    except OSError as error:
        raise DataError(instance.image, 0, f"cannot be read: {error.strerror}") from None
    media_type = checked_reference(instance.image, image, PILLOW_PIXELS).media_type
    return Question(instance.id, "".join(prompt.texts), image, media_type, instance.image)
