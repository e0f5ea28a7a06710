"""The one place where the SDK opens images: PNG, JPEG and WebP alone, within bounds.

Pillow knows some forty formats, one of which starts a program of the host (EPS: Ghostscript). None of the
others is ever tried here, except that ``convert_image``, for ``dataset new``, converts GIF, TIFF and BMP.

The metric service decodes an image with Pillow's ``convert("RGB")``: it drops alpha, clips greys of 16 bits
at 255, and ignores orientation tags, color profiles and all frames but the first. ``look_differences`` says
what of an image is thus not compared as it looks.
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

#: Width times height of an image where nobody says otherwise.
MAX_PIXELS = PICTURE_PIXELS

#: The largest image that Pillow opens at all.
PILLOW_PIXELS = 178_956_970

#: Scans of a progressive JPEG. Ordinary ones have about ten; each is decoded over all pixels.
MAX_JPEG_SCANS = 100

_SCAN = b"\xff\xda"
_NOT_AN_IMAGE = "is not an image in PNG, JPEG or WebP"


class ImageFaultError(ValueError):
    """A file that cannot be used as an image; the message continues "the file …"."""


@dataclass(frozen=True, slots=True)
class ImageHeader:
    """The kind and size of an image, as its first bytes have them."""

    #: Media type, such as "image/png".
    media_type: str
    #: Width in pixels.
    width: int
    #: Height in pixels.
    height: int


def read_header(content: bytes | BinaryIO, most_pixels: int = MAX_PIXELS) -> ImageHeader:
    """Return kind and size of an image; its pixels are not decoded.

    Args:
        content: Its bytes, or an open file.
        most_pixels: Width times height that is allowed.

    Raises:
        ImageFaultError: It is of none of the formats, or has more pixels.
    """
    try:
        with open_image(content, most_pixels) as image:
            kind = _CAMERA_FORMATS.get(str(image.format), str(image.format))
            return ImageHeader(MEDIA_TYPES[kind], image.width, image.height)
    except ImageFaultError:
        raise
    except Exception as error:  # decoders raise nearly anything
        raise broken(error) from None


def decode_image(content: bytes, most_pixels: int = MAX_PIXELS) -> Image.Image:
    """Return an image with its pixels; of an animation, the first frame.

    Args:
        content: Its bytes.
        most_pixels: Width times height that is allowed.

    Raises:
        ImageFaultError: It is of none of the formats, has more pixels or scans, or is damaged or cut off.
    """
    require_whole(content, most_pixels)
    try:
        with open_image(content, most_pixels) as image:
            image.load()
            return image
    except ImageFaultError:
        raise
    except Exception as error:
        raise broken(error) from None


def require_whole(content: bytes, most_pixels: int = MAX_PIXELS) -> ImageHeader:
    """Return the header of an image that is there to its end, as far as this shows without its pixels.

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
                with open_image(content, most_pixels) as image:
                    image.verify()  # the checksums of all chunks
            except Exception as error:
                raise broken(error) from None
            if b"IEND" not in content[-1024:]:
                raise ImageFaultError("is a damaged image: it is cut off")
        case "image/jpeg":
            scans = content.count(_SCAN)
            if scans > MAX_JPEG_SCANS:
                raise ImageFaultError(
                    f"has {scans} scans, more than {MAX_JPEG_SCANS}; save it as baseline JPEG"
                )
        case _:
            if len(content) < int.from_bytes(content[4:8], "little") + 8:
                raise ImageFaultError("is a damaged image: it is cut off")
    return header


def has_one_color(content: bytes, most_pixels: int = PILLOW_PIXELS) -> bool:
    """Return whether all pixels of an image have the same color.

    Args:
        content: The file.
        most_pixels: Most pixels of an image; larger ones are not decoded.

    Raises:
        ImageFaultError: It is of none of the formats, has more pixels, or is damaged.
    """
    with open_image(content, most_pixels) as image:
        try:
            return image.convert("RGB").getcolors(maxcolors=1) is not None
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
            image = Image.open(file, formats=tuple(formats))
    except UnidentifiedImageError:
        if tuple(formats) != tuple(MEDIA_TYPES):
            raise ImageFaultError(f"is no image in {', '.join(formats[:-1])} or {formats[-1]}") from None
        raise ImageFaultError(_NOT_AN_IMAGE) from None
    except Image.DecompressionBombError:
        raise ImageFaultError(f"has more than {most_pixels} pixels") from None
    if image.width * image.height > most_pixels:
        image.close()
        raise ImageFaultError(f"has {image.width} x {image.height} pixels, more than {most_pixels} in all")
    return image


def broken(error: Exception) -> ImageFaultError:
    """Return the fault of an image that a decoder refuses."""
    return ImageFaultError(f"is a damaged image: {' '.join(str(error).split()) or type(error).__name__}")


#: Formats that are converted, by Pillow's names.
CONVERTED_FORMATS = ("GIF", "TIFF", "BMP")


@dataclass(frozen=True, slots=True)
class ConvertedImage:
    """An image that was converted to PNG, as it looks on white."""

    #: The PNG file: RGB, 8 bits for each channel.
    png: bytes
    #: Format of the original, by Pillow's name.
    format: str
    #: Whether the original has further frames or pages, which are lost.
    first_of_several: bool


def convert_image(content: bytes, most_pixels: int = MAX_PIXELS) -> ConvertedImage:
    """Convert the first frame or page of a GIF, TIFF or BMP file to PNG.

    Args:
        content: The file.
        most_pixels: Width times height that is allowed.

    Raises:
        ImageFaultError: It is none of these, has more pixels, is damaged, or has greys that PNG has not.
    """
    from PIL import ImageOps

    with (
        warnings.catch_warnings(action="ignore"),
        open_image(content, most_pixels, CONVERTED_FORMATS) as image,
    ):
        try:
            image.load()
            upright = on_white(ImageOps.exif_transpose(image))
            file = io.BytesIO()
            upright.save(file, "PNG")
            return ConvertedImage(file.getvalue(), str(image.format), _has_more(image))
        except ImageFaultError:
            raise
        except Exception as error:  # decoders raise nearly anything
            raise broken(error) from None


def on_white(image: Image.Image) -> Image.Image:
    """Return an image in RGB, its transparent parts white.

    Raises:
        ImageFaultError: Its greys have 32 bits.
    """
    import numpy as np
    from PIL import Image as Images

    if image.mode.startswith("I;16"):
        return Images.fromarray((np.asarray(image) >> 8).astype(np.uint8)).convert("RGB")
    if image.mode in ("I", "F"):
        raise ImageFaultError("has greys of 32 bits; convert it to PNG as it should look")
    if not image.has_transparency_data:
        return image.convert("RGB")
    white = Images.new("RGBA", image.size, "white")
    return Images.alpha_composite(white, image.convert("RGBA")).convert("RGB")


def _has_more(image: Image.Image) -> bool:
    try:
        image.seek(1)
    except EOFError:
        return False
    return True


#: Where a PNG file has the number of bits of a channel.
_PNG_DEPTH = 24
#: The Exif tag of the orientation, and its value for an image that is stored upright.
_ORIENTATION, _UPRIGHT = 0x0112, 1


def look_differences(content: bytes, most_pixels: int = MAX_PIXELS) -> tuple[str, ...]:
    """Return what metrics leave out of the look of an image; each text continues "the image …".

    Args:
        content: A PNG, JPEG or WebP file.
        most_pixels: Width times height that is allowed.

    Raises:
        ImageFaultError: It is none of these, has more pixels, or is damaged.
    """
    with open_image(content, most_pixels) as image:
        try:
            image.load()
            said = (
                _bits(image, content),
                _transparency(image),
                _orientation(image),
                _colors(image),
                _frames(image),  # the last, because it goes on to another frame
            )
        except Exception as error:  # decoders raise nearly anything
            raise broken(error) from None
    return tuple(one for one in said if one)


def _bits(image: Image.Image, content: bytes) -> str:
    if image.format != "PNG" or content[_PNG_DEPTH] != 16:
        return ""
    if image.mode.startswith("I"):
        return "has greys of 16 bits, which metrics clip at 255: nearly all of it counts as white"
    return "has 16 bits for each channel, of which metrics compare the upper 8"


def _transparency(image: Image.Image) -> str:
    from PIL import Image as Images
    from PIL import ImageChops

    if not image.has_transparency_data:
        return ""
    layers = image.convert("RGBA")
    on_white = Images.alpha_composite(Images.new("RGBA", image.size, "white"), layers).convert("RGB")
    bands = ImageChops.difference(on_white, image.convert("RGB")).split()
    largest = ImageChops.lighter(ImageChops.lighter(bands[0], bands[1]), bands[2])
    different = image.width * image.height - largest.histogram()[0]
    if not different:
        return ""
    share = max(0.001, different / (image.width * image.height))
    return (
        f"is transparent in places, and metrics ignore alpha: {share:.1%} of its pixels count as another "
        "color than they have on white"
    )


def _orientation(image: Image.Image) -> str:
    if image.getexif().get(_ORIENTATION, _UPRIGHT) in (_UPRIGHT, 0):
        return ""
    return "is stored turned or mirrored, and metrics ignore its orientation tag"


def _colors(image: Image.Image) -> str:
    if image.mode == "CMYK":
        return "has CMYK colors, which metrics convert to RGB without its color profile"
    profile = image.info.get("icc_profile")
    name = _profile_name(profile) if profile else ""
    if not name or "srgb" in name.lower():
        return ""
    return f"has the color profile {name}, which metrics ignore"


def _profile_name(profile: bytes) -> str:
    from PIL import ImageCms

    try:
        opened = ImageCms.ImageCmsProfile(io.BytesIO(profile))
    except OSError:
        return ""  # no program can apply it either
    return " ".join((opened.profile.profile_description or "without a name").split())


def _frames(image: Image.Image) -> str:
    try:
        image.seek(1)
    except EOFError:
        return ""
    return "has several frames, of which metrics compare the first alone"
