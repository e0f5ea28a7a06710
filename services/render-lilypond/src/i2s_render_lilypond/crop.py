"""From a drawn page to the picture that is returned: cut the foot, crop to ink, encode."""

from __future__ import annotations

import io

from PIL import Image, ImageChops

from i2s_render_lilypond.model import BlankPage, Crop, Options, Picture

#: Scores are mostly white: higher levels cost more and save next to nothing.
_COMPRESSION = 1


def cut_bottom(page: Image.Image, share: float) -> Image.Image:
    """Cut off the lowest ``share`` of a page; the part cut off is rounded down to whole rows."""
    width, height = page.size
    return page.crop((0, 0, width, height - int(height * share)))


def ink_box(page: Image.Image) -> tuple[int, int, int, int] | None:
    """Return the smallest rectangle with every pixel that is not pure white, None without any."""
    return ImageChops.invert(page).getbbox()


def encode(picture: Image.Image) -> bytes:
    """Return a picture as PNG. Equal pixels give equal bytes."""
    output = io.BytesIO()
    picture.save(output, "PNG", compress_level=_COMPRESSION)
    return output.getvalue()


def finish(page: Image.Image, number: int, options: Options) -> Picture | None:
    """Return the picture of a drawn page, None for a blank page that does not count.

    Args:
        page: The whole page, RGB.
        number: Of the page, from 1.
        options: What to cut, and what a blank page means.
    """
    kept = cut_bottom(page, options.cut_bottom)
    box = ink_box(kept)
    if box is None and options.blank_page is BlankPage.NO_OUTPUT:
        return None
    if box is not None and options.crop is Crop.INK:
        kept = kept.crop(box)
    return Picture(encode(kept), kept.width, kept.height, number)
