"""Bounds that clients and services share by default, so that whatever is rendered can be scored."""

from __future__ import annotations

_MIB = 1024 * 1024

#: Width times height of a picture: what a renderer draws and what the metric service takes.
PICTURE_PIXELS = 25_000_000

#: Size of an image as PNG, likewise.
PICTURE_BYTES = 16 * _MIB

#: Size of a PDF document whose pages are drawn.
DOCUMENT_BYTES = 60 * _MIB
