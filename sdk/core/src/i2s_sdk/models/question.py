"""A question as providers see it: its texts, and its images read and checked."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from i2s_sdk.errors import UsageError
from i2s_sdk.files import read_file
from i2s_sdk.instances.images import PILLOW_PIXELS
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.references import checked_reference
from i2s_sdk.models.completion import ModelAccessError
from i2s_sdk.tasks.question import FilePart, ImagePart, Part, Question, Sampling, joined_parts, joined_texts


@dataclass(frozen=True, slots=True)
class ReadImage:
    """An image of a question."""

    path: Path
    content: bytes  #: the file as it is
    media_type: str  #: media type, such as "image/png"
    width: int  #: width in pixels
    height: int  #: height in pixels

    @property
    def base64(self) -> str:
        """The file in base64."""
        return base64.b64encode(self.content).decode("ascii")

    @property
    def data_url(self) -> str:
        """The file as a data: URL."""
        return f"data:{self.media_type};base64,{self.base64}"

    @property
    def sha256(self) -> str:
        """Digest of the file."""
        return hashlib.sha256(self.content).hexdigest()


#: A text or an image of a message.
ReadPart = str | ReadImage


@dataclass(frozen=True, slots=True)
class ReadExchange:
    """An earlier message of a conversation, with what the model answered."""

    #: Texts and images in order, as in ``ReadQuestion``.
    parts: tuple[ReadPart, ...]
    answer: str  #: the answer, without reasoning


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a conversation as protocols have it."""

    role: str  #: "user" or "assistant"
    parts: tuple[ReadPart, ...]  #: texts and images in order


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """A question as a provider is asked it."""

    id: str  #: id of the instance
    #: Texts and images in order; texts that followed one another are one, and none is empty.
    parts: tuple[ReadPart, ...]
    system: str = ""  #: the system text; empty for none
    max_tokens: int | None = (
        None  #: maximum number of tokens of the completion; None takes that of the options
    )
    json_schema: Mapping[str, object] | None = None  #: JSON Schema of the completion, if one is wanted
    name: str = ""  #: name of one of several questions of the instance; empty if there is one alone
    vendor_order: bool = False  #: whether images stand before texts for models of vendors who advise that
    files: tuple[Path, ...] = ()  #: documents of a question about an instance as a whole
    #: How the completion is drawn, unless the user chooses a temperature; None takes that of the options.
    sampling: Sampling | None = None
    #: What was asked and answered before in the same conversation, in order.
    earlier: tuple[ReadExchange, ...] = ()

    @property
    def text(self) -> str:
        """All texts of the message, joined with nothing; without the system text."""
        return "".join(part for part in self.parts if isinstance(part, str))

    @property
    def images(self) -> tuple[ReadImage, ...]:
        """All images, in order."""
        return tuple(part for part in self.parts if isinstance(part, ReadImage))

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation that is to be answered: what was asked and answered before, then this message."""
        return self._conversation(images_first=False)

    @property
    def messages_images_first(self) -> tuple[Message, ...]:
        """The conversation for vendors who advise images first: reordered only with ``vendor_order``."""
        return self._conversation(images_first=self.vendor_order)

    @property
    def transcript(self) -> str:
        """All texts of the conversation, for programs that are given one text; without the system text."""
        earlier = (
            "".join(part for part in read_exchange.parts if isinstance(part, str))
            + f"\n\nAnswer:\n{read_exchange.answer}\n\n"
            for read_exchange in self.earlier
        )
        return "".join(earlier) + self.text

    @property
    def all_images(self) -> tuple[ReadImage, ...]:
        """All images of the conversation, in order."""
        parts = (part for message in self.messages for part in message.parts)
        return tuple(part for part in parts if isinstance(part, ReadImage))

    def _conversation(self, *, images_first: bool) -> tuple[Message, ...]:
        messages: list[Message] = []
        for read_exchange in self.earlier:
            messages += [Message("user", read_exchange.parts), Message("assistant", (read_exchange.answer,))]
        messages.append(Message("user", self.parts))
        if not images_first:
            return tuple(messages)
        return tuple(Message(message.role, _images_first(message.parts)) for message in messages)

    @property
    def text_and_image(self) -> tuple[str, ReadImage] | None:
        """The text and the image behind it; None if the message is of another form."""
        match self.parts:
            case (str(text), ReadImage() as image):
                return text, image
        return None


def _images_first(parts: tuple[ReadPart, ...]) -> tuple[ReadPart, ...]:
    return (
        *(part for part in parts if isinstance(part, ReadImage)),
        *(part for part in parts if isinstance(part, str)),
    )


def refuse_schema(question: ReadQuestion, name: str) -> None:
    """Check that a question can be asked of a model that has no mode for structured output.

    Args:
        question: Question, which may want JSON by a schema that its text does not have.
        name: Name of the model, for the message.

    Raises:
        ModelAccessError: It wants that.
    """
    if question.json_schema is not None:
        raise ModelAccessError(
            f"{name} has no mode for structured output; ask for JSON by the text of the question, "
            "as with --set sobench_mode=fenced"
        )


def read_question(instance: Instance, question: Question) -> ReadQuestion:
    """Return a question with its images.

    Args:
        instance: Instance that it is asked of.
        question: Texts and files.

    Raises:
        UsageError: The question is not complete.
        DataError: An image cannot be read, or is not one of PNG, JPEG and WebP.
    """
    if question.incomplete:
        raise UsageError(question.incomplete)
    parts = joined_texts(question)
    return ReadQuestion(
        id=instance.id,
        parts=_read_parts(parts),
        files=tuple(part.path for part in parts if isinstance(part, FilePart)),
        system=question.system,
        max_tokens=question.max_tokens,
        json_schema=question.json_schema,
        vendor_order=question.vendor_order,
        name=question.name,
        sampling=question.sampling,
        earlier=tuple(
            ReadExchange(_read_parts(joined_parts(exchange.parts)), exchange.answer)
            for exchange in question.earlier
        ),
    )


def _read_parts(parts: tuple[Part, ...]) -> tuple[ReadPart, ...]:
    return tuple(
        _read_image(part.path) if isinstance(part, ImagePart) else part.text
        for part in parts
        if not isinstance(part, FilePart)
    )


def _read_image(path: Path) -> ReadImage:
    content = read_file(path)
    header = checked_reference(path, content, PILLOW_PIXELS)
    return ReadImage(path, content, header.media_type, header.width, header.height)
