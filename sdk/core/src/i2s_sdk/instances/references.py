"""Whether the reference images of instances can be used at all, before a model is called."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from i2s_sdk.errors import DataError
from i2s_sdk.files import KeptBytes, read_file
from i2s_sdk.instances.images import (
    MAX_PIXELS,
    ImageFaultError,
    ImageHeader,
    decode_image,
    read_header,
    require_whole,
)
from i2s_sdk.instances.instance import Instance

_THREADS = 4  # Pillow lets go of the interpreter while it works
#: Width times height from which on decoding takes longer than to read a note.
_NOTED_PIXELS = 100_000
#: What stands before the content in the name of a note; another way of decoding has another one.
_DECODED = b"decoded 1\n"

#: The end of messages about references of a data set.
_ADVICE = "; `i2s-sdk dataset validate` names every fault"


def require_usable_references(instances: Iterable[Instance], most_pixels: int = MAX_PIXELS) -> None:
    """Return if all references, and other images of inputs, are within bounds; no pixel is decoded.

    Args:
        instances: Instances in the order in which a fault is looked for.
        most_pixels: Width times height that is allowed.

    Raises:
        DataError: One is not; names it.
    """

    def look(instance: Instance) -> None:
        for image in instance.images:
            checked_reference(image, read_file(image), most_pixels, _ADVICE)

    with ThreadPoolExecutor(_THREADS) as threads:
        try:
            for _ in threads.map(look, instances):
                pass
        except DataError:
            threads.shutdown(cancel_futures=True)
            raise


def require_decodable_reference(
    instance: Instance, most_pixels: int = MAX_PIXELS, notes: KeptBytes | None = None
) -> None:
    """Return if all images of an instance are whole, or there is none; every pixel is decoded.

    A large image takes 20 ms of CPU, and models and baselines are evaluated one after the other on the same
    instances: a large one that was decoded is noted by its digest, and not decoded again.

    Args:
        instance: Its reference and other images are looked at.
        most_pixels: Width times height that is allowed.
        notes: Where it is noted; None decodes always.

    Raises:
        DataError: It is not; names it.
    """
    for image in instance.images:
        content = read_file(image)
        try:
            _require_decodable(content, most_pixels, notes)
        except ImageFaultError as error:
            raise _reference_fault(image, error, _ADVICE) from None


def _require_decodable(content: bytes, most_pixels: int, notes: KeptBytes | None) -> None:
    header = read_header(content, most_pixels)
    if notes is None or header.width * header.height < _NOTED_PIXELS:
        decode_image(content, most_pixels)
        return
    key = hashlib.sha256(_DECODED + content).hexdigest()
    if notes.read(key) is None:
        decode_image(content, most_pixels)
        notes.write(key, b"")


def checked_reference(
    where: Path, content: bytes, most_pixels: int = MAX_PIXELS, advice: str = ""
) -> ImageHeader:
    """Return kind and size of a reference.

    Args:
        where: Its file, or another name of it.
        content: The encoded image.
        most_pixels: Width times height that is allowed.
        advice: The end of the message of a fault.

    Raises:
        DataError: It is not a whole image within bounds; names ``where``.
    """
    try:
        return require_whole(content, most_pixels)
    except ImageFaultError as error:
        raise _reference_fault(where, error, advice) from None


def _reference_fault(where: Path, error: ImageFaultError, advice: str) -> DataError:
    return DataError(where, 0, f"the reference {error}{advice}")
