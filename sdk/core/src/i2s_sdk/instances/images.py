"""The one place where the SDK opens pictures: PNG, JPEG and WebP alone, within bounds.

Pillow knows some forty formats, one of which starts a program of the host (EPS: Ghostscript). None of the
others is ever tried here, except that ``dataset new`` converts GIF, TIFF and BMP (``image_conversion``).
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from i2s_wire.bounds import PICTURE_PIXELS

if TYPE_CHECKING:
    from PIL import Image

#: Formats that are read, by Pillow's names, with their media types.
MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}

#: What Pillow calls a JPEG file that holds further images, as cameras and telephones write them.
_CAMERA_FORMATS = {"MPO": "JPEG"}

#: Width times height of a picture where nobody says otherwise.
MAX_PIXELS = PICTURE_PIXELS

#: The largest picture that Pillow opens at all.
PILLOW_PIXELS = 178_956_970

#: Scans of a progressive JPEG. Ordinary ones have about ten; each is decoded over all pixels.
MAX_JPEG_SCANS = 100

_SCAN = b"\xff\xda"
_NO_PICTURE = "is no picture in PNG, JPEG or WebP"


class ImageFaultError(ValueError):
    """A file that cannot be used as a picture; the message continues "the file …"."""


@dataclass(frozen=True, slots=True)
class ImageHeader:
    """What the first bytes of a picture say.

    Attributes:
        media_type: Media type, such as "image/png".
        width: Width in pixels.
        height: Height in pixels.
    """

    media_type: str
    width: int
    height: int


def read_header(content: bytes | BinaryIO, most_pixels: int = MAX_PIXELS) -> ImageHeader:
    """Return kind and size of a picture; its pixels are not decoded.

    Args:
        content: Its bytes, or an open file.
        most_pixels: Width times height that is allowed.

    Raises:
        ImageFaultError: It is of none of the formats, or has more pixels.
    """
    try:
        with open_image(content, most_pixels) as picture:
            kind = _CAMERA_FORMATS.get(str(picture.format), str(picture.format))
            return ImageHeader(MEDIA_TYPES[kind], picture.width, picture.height)
    except ImageFaultError:
        raise
    except Exception as error:  # decoders raise nearly anything
        raise broken(error) from None


def decode_image(content: bytes, most_pixels: int = MAX_PIXELS) -> Image.Image:
    """Return a picture with its pixels; of an animation, the first frame.

    Args:
        content: Its bytes.
        most_pixels: Width times height that is allowed.

    Raises:
        ImageFaultError: It is of none of the formats, has more pixels or scans, or is damaged or cut off.
    """
    require_whole(content, most_pixels)
    try:
        with open_image(content, most_pixels) as picture:
            picture.load()
            return picture
    except ImageFaultError:
        raise
    except Exception as error:
        raise broken(error) from None


def require_whole(content: bytes, most_pixels: int = MAX_PIXELS) -> ImageHeader:
    """Return the header of a picture that is there to its end, as far as this shows without its pixels.

    Args:
        content: Its bytes.
        most_pixels: Width times height that is allowed.

    Raises:
        ImageFaultError: It is of none of the formats, has more pixels or scans, or is cut off.
    """
    header = read_header(content, most_pixels)
    match header.media_type:
        case "image/png":
            try:
                with open_image(content, most_pixels) as picture:
                    picture.verify()  # the checksums of all chunks
            except Exception as error:
                raise broken(error) from None
            if b"IEND" not in content[-1024:]:
                raise ImageFaultError("is a damaged picture: it is cut off")
        case "image/jpeg":
            scans = content.count(_SCAN)
            if scans > MAX_JPEG_SCANS:
                raise ImageFaultError(
                    f"has {scans} scans, more than {MAX_JPEG_SCANS}; save it as baseline JPEG"
                )
        case _:
            if len(content) < int.from_bytes(content[4:8], "little") + 8:
                raise ImageFaultError("is a damaged picture: it is cut off")
    return header


def has_one_color(content: bytes, most_pixels: int = PILLOW_PIXELS) -> bool:
    """Return whether all pixels of an image have the same color.

    Args:
        content: The file.
        most_pixels: Most pixels of an image; larger ones are not decoded.

    Raises:
        ImageFaultError: It is of none of the formats, has more pixels, or is damaged.
    """
    with open_image(content, most_pixels) as picture:
        try:
            return picture.convert("RGB").getcolors(maxcolors=1) is not None
        except Exception as error:
            raise broken(error) from None


def open_image(
    content: bytes | BinaryIO, most_pixels: int, formats: Sequence[str] = tuple(MEDIA_TYPES)
) -> Image.Image:
    """Return an image whose header alone has been read.

    Args:
        content: Its bytes, or an open file.
        most_pixels: Width times height that is allowed.
        formats: Formats that are tried, by Pillow's names.

    Raises:
        ImageFaultError: It is of none of the formats, or has more pixels.
    """
    from PIL import Image, UnidentifiedImageError

    file = io.BytesIO(content) if isinstance(content, bytes) else content
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # ours is the bound that counts
            picture = Image.open(file, formats=tuple(formats))
    except UnidentifiedImageError:
        if tuple(formats) != tuple(MEDIA_TYPES):
            raise ImageFaultError(f"is no image in {', '.join(formats[:-1])} or {formats[-1]}") from None
        raise ImageFaultError(_NO_PICTURE) from None
    except Image.DecompressionBombError:
        raise ImageFaultError(f"has more than {most_pixels} pixels") from None
    if picture.width * picture.height > most_pixels:
        picture.close()
        raise ImageFaultError(
            f"has {picture.width} x {picture.height} pixels, more than {most_pixels} in all"
        )
    return picture


def broken(error: Exception) -> ImageFaultError:
    """Return the fault of an image that a decoder refuses."""
    return ImageFaultError(f"is a damaged picture: {' '.join(str(error).split()) or type(error).__name__}")
