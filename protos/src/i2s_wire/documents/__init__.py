"""Types of ``i2s.documents.v1``: fragments and what became of them, pages of PDF documents as images."""

from i2s_wire.documents.conversion import Conversions, Converted, Fragment, FragmentFormat
from i2s_wire.documents.description import DocumentsDescription
from i2s_wire.documents.drawing import (
    DocumentDefect,
    DrawnPages,
    DrawPagesRequest,
    ImageFormat,
    PageDrawing,
    PageImage,
    PageImages,
)

__all__ = [
    "Conversions",
    "Converted",
    "DocumentDefect",
    "DocumentsDescription",
    "DrawPagesRequest",
    "DrawnPages",
    "Fragment",
    "FragmentFormat",
    "ImageFormat",
    "PageDrawing",
    "PageImage",
    "PageImages",
]
