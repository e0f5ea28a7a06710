"""How the look of a reference differs from the pixels that metrics compare.

The metric service decodes an image with Pillow's ``convert("RGB")``: it drops alpha, clips greys of 16 bits
at 255, and ignores orientation tags, color profiles and all frames but the first.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from i2s_sdk.instances.images import MAX_PIXELS, broken, open_image

if TYPE_CHECKING:
    from PIL import Image

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
