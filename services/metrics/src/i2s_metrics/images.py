"""Encoded images, decoded within bounds and brought to one size: the pairs that metrics compare."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

import numpy as np
from PIL import Image, UnidentifiedImageError

from i2s_metrics.bounded_cache import BoundedCache, SizedInBytes
from i2s_metrics.errors import BadImageError
from i2s_metrics.functional.arrays import GreyArray, RgbArray
from i2s_wire.metrics.score import SizePolicy

_START = b"\xff\xd8"
# Fill bytes and stuffed zeros, restarts and invalid codes are not segments: libjpeg skips them bytewise.
_SEGMENT = re.compile(rb"\xff+([\xc0-\xcf\xd9-\xfe])")
_SCAN, _END = b"\xda", b"\xd9"


def count_scans(data: bytes, most: int) -> int:
    """Return how many scans a JPEG file has; 0 for another file.

    A progressive decoder goes over the whole image once for each scan, and a scan may be as small as 10
    bytes: ITU-T T.81, annex G.

    Args:
        data: The file.
        most: Counting stops beyond it.
    """
    if not data.startswith(_START):
        return 0
    scans, place = 0, len(_START)
    while scans <= most and (marker := _SEGMENT.search(data, place)) is not None:
        if marker[1] == _END:
            break
        scans += marker[1] == _SCAN
        place = marker.end()
        place += max(2, int.from_bytes(data[place : place + 2]))
    return scans


#: Formats that are read, by Pillow's names.
FORMATS = ("PNG", "JPEG", "WEBP")
#: Scans of a JPEG file that are read where the caller says nothing; encoders write 1 to about 20.
MOST_SCANS = 100


def decode(data: bytes, most_pixels: int, most_scans: int = MOST_SCANS) -> RgbArray:
    """Return the pixels of a PNG, JPEG or WebP file.

    What is not RGB becomes so as Pillow's ``convert("RGB")`` has it: alpha is dropped and not
    composited, palettes are looked up, 16-bit greys above 255 become 255, of 16-bit colours the
    high byte is kept. Of an animation the first frame is read. Orientation tags are ignored.

    Args:
        data: The file.
        most_pixels: Width times height that is allowed.
        most_scans: Maximum number of scans of a JPEG file.

    Returns:
        Shape (height, width, 3).

    Raises:
        BadImageError: The file is none of these formats, has more pixels or scans, or is broken.
    """
    if count_scans(data, most_scans) > most_scans:
        raise BadImageError(f"a JPEG file of more than {most_scans} scans (--max-jpeg-scans)")
    try:
        with _open(data) as image:
            check_pixels(image.size, most_pixels)
            return np.array(image.convert("RGB"))
    except (BadImageError, MemoryError):
        raise
    except UnidentifiedImageError:
        raise BadImageError(f"not a picture; {', '.join(FORMATS[:-1])} and {FORMATS[-1]} are read") from None
    except Image.DecompressionBombError as error:
        raise BadImageError(str(error)) from None
    except Exception as error:  # Decoders of hostile files raise nearly anything.
        raise BadImageError(f"broken file: {error}") from error


def _open(data: bytes) -> Image.Image:
    """Read the header and nothing more."""
    with warnings.catch_warnings():
        # Pillow warns of sizes that it finds suspicious; ours is the bound that counts.
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        return Image.open(io.BytesIO(data), formats=FORMATS)


def check_pixels(size: tuple[int, int], most_pixels: int) -> None:
    """Refuse an image of more than ``most_pixels`` pixels.

    Raises:
        BadImageError: It has more.
    """
    width, height = size
    if width * height > most_pixels:
        raise BadImageError(
            f"{width}x{height} is {width * height} pixels, more than {most_pixels} (--max-image-pixels)"
        )


_WHITE = 255


def equalise(
    prediction: RgbArray, reference: RgbArray, policy: SizePolicy, most_pixels: int
) -> tuple[RgbArray, RgbArray]:
    """Return both images in one size.

    PAD: on each axis the smaller is padded with white, at right and bottom; both may be.
    RESIZE: the prediction is resized to the size of the reference, bicubic.

    Args:
        prediction: Shape (height, width, 3).
        reference: Shape (height, width, 3), with any other height and width.
        policy: The policy.
        most_pixels: Maximum number of pixels of the common size.

    Raises:
        BadImageError: The common size has more pixels.
    """
    if policy is SizePolicy.RESIZE:
        return _resized(prediction, reference.shape[1], reference.shape[0]), reference
    height = max(prediction.shape[0], reference.shape[0])
    width = max(prediction.shape[1], reference.shape[1])
    check_pixels((width, height), most_pixels)
    return _padded(prediction, width, height), _padded(reference, width, height)


def _resized(image: RgbArray, width: int, height: int) -> RgbArray:
    if image.shape[:2] == (height, width):
        return image
    return np.asarray(Image.fromarray(image).resize((width, height), Image.Resampling.BICUBIC))


def _padded(image: RgbArray, width: int, height: int) -> RgbArray:
    if image.shape[:2] == (height, width):
        return image
    padded = np.full((height, width, 3), _WHITE, np.uint8)
    padded[: image.shape[0], : image.shape[1]] = image
    return padded


T = TypeVar("T", bound=SizedInBytes)


class Pair:
    """A prediction and a reference of equal shape (height, width, 3).

    Args:
        prediction: What is judged.
        reference: What it is compared with.
        digest: SHA-256 of the encoded reference, its key in the cache.
        cache: Keeps what is made of references.
        same_size: Whether both had this size before a size policy changed any.
    """

    def __init__(
        self,
        prediction: RgbArray,
        reference: RgbArray,
        digest: str,
        cache: BoundedCache,
        *,
        same_size: bool = True,
    ) -> None:
        self.prediction, self.reference, self.same_size = prediction, reference, same_size
        self._digest, self._cache = digest, cache

    @cached_property
    def prediction_grey(self) -> GreyArray:
        """The prediction as Pillow's ``convert("L")`` has it, shape (height, width)."""
        return _grey(self.prediction)

    @cached_property
    def reference_grey(self) -> GreyArray:
        """The reference as Pillow's ``convert("L")`` has it, shape (height, width)."""
        return _grey(self.reference)

    def of_reference(self, what: str, make: Callable[[RgbArray], T]) -> T:
        """Return ``make(reference)``, kept from an earlier pair if there was one.

        Args:
            what: Names what is made; one name, one function.
            make: Depends on the reference image alone.
        """
        # The size policy may have changed the image that the digest names, but only its size.
        key = (what, self._digest, self.reference.shape)
        return self._cache.get(key, lambda: make(self.reference))


def _grey(image: RgbArray) -> GreyArray:
    return np.asarray(Image.fromarray(image).convert("L"))
