"""Whether the reference pictures of instances can be used at all, before a model is called."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

from i2s_sdk.errors import DataError
from i2s_sdk.instances.images import MAX_PIXELS, ImageFaultError, ImageHeader, decode_image, require_whole
from i2s_sdk.instances.instance import Instance

_THREADS = 4  # Pillow lets go of the interpreter while it works
#: Device, inode, size and time of the last change: what tells a file from an earlier state of it.
_Version = tuple[int, int, int, int]

_ADVICE = "; `i2s-sdk dataset validate` names every fault"


def require_usable_references(instances: Iterable[Instance], most_pixels: int = MAX_PIXELS) -> None:
    """Return if all references, and other pictures of inputs, are within bounds; no pixel is decoded.

    Args:
        instances: Instances in the order in which a fault is looked for.
        most_pixels: Width times height that is allowed.

    Raises:
        DataError: One is not; names it.
    """

    def look(instance: Instance) -> None:
        for picture in instance.pictures:
            checked_reference(picture, _read(picture), most_pixels)

    with ThreadPoolExecutor(_THREADS) as threads:
        try:
            for _ in threads.map(look, instances):
                pass
        except DataError:
            threads.shutdown(cancel_futures=True)
            raise


def require_decodable_reference(instance: Instance, most_pixels: int = MAX_PIXELS) -> None:
    """Return if all pictures of an instance are whole, or there is none; every pixel is decoded.

    A file that was decoded by this process is decoded again only if it has changed: models and baselines are
    evaluated one after the other on the same instances.

    Raises:
        DataError: It is not; names it.
    """
    for picture in instance.pictures:
        _require_decodable(picture, _version(picture), most_pixels)


@lru_cache(maxsize=1 << 16)
def _require_decodable(picture: Path, version: _Version, most_pixels: int) -> None:
    """Return if a picture is whole; what is raised is not kept.

    Args:
        picture: The file.
        version: State of the file, which is what a result is kept for.
        most_pixels: Width times height that is allowed.

    Raises:
        DataError: It is not whole.
    """
    try:
        decode_image(_read(picture), most_pixels)
    except ImageFaultError as error:
        raise reference_fault(picture, error) from None


def _version(path: Path) -> _Version:
    try:
        found = path.stat()
    except OSError as error:
        raise _unreadable(path, error) from None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def checked_reference(where: Path, content: bytes, most_pixels: int = MAX_PIXELS) -> ImageHeader:
    """Return kind and size of a reference.

    Raises:
        DataError: It is no whole picture within bounds; names ``where``.
    """
    try:
        return require_whole(content, most_pixels)
    except ImageFaultError as error:
        raise reference_fault(where, error) from None


def reference_fault(where: Path, error: ImageFaultError) -> DataError:
    """Return the fault of a data set that a reference is."""
    return DataError(where, 0, f"the reference {error}{_ADVICE}")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> DataError:
    return DataError(path, 0, f"cannot be read: {error.strerror}")
