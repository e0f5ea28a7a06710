"""Draw one page of a PDF document with PDFium. Runs inside of the sandbox, without site packages.

Arguments: the folder of the Python package ``pypdfium2_raw``, the document, the number of the page from 1,
dots per inch, the most pages, the most pixels, the file for the drawing, the file for the report.

The report has lines of a word and numbers: ``defect CODE`` (of PDFium, if the document cannot be opened),
``pages NUMBER``, ``unreadable`` (the page), ``size WIDTH HEIGHT`` in pixels. The drawing is a portable pixmap
(P6), and is made only if no limit is exceeded.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import math
import os
import sys
from typing import Any

_POINTS_PER_INCH = 72
_BYTES_PER_PIXEL = 3
_WHITE = 0xFFFFFFFF
_MOST = 10**9  # of a side in pixels; more is said to be this


def _load_pdfium(folder: str) -> Any:  # noqa: ANN401 - generated bindings, which are not typed
    # Not through sys.path: the folder of all packages cannot be read here.
    name = "pypdfium2_raw"
    spec = importlib.util.spec_from_file_location(
        name, f"{folder}/__init__.py", submodule_search_locations=[folder]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _pixels(points: float, dpi: float) -> int:
    side = points * dpi / _POINTS_PER_INCH
    return min(max(0, math.ceil(side)), _MOST) if math.isfinite(side) else _MOST


def _draw(pdfium: Any, page: object, size: tuple[int, int], path: str) -> None:  # noqa: ANN401 - likewise
    """Write the page as a portable pixmap, as ``pypdfium2.PdfPage.render`` draws it by default, but RGB."""
    width, height = size
    stride = width * _BYTES_PER_PIXEL
    pixels = (ctypes.c_ubyte * (stride * height))()
    bitmap = pdfium.FPDFBitmap_CreateEx(width, height, pdfium.FPDFBitmap_BGR, pixels, stride)
    if not bitmap:
        raise MemoryError(f"no bitmap of {width} x {height} pixels")
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
    flags = pdfium.FPDF_ANNOT | pdfium.FPDF_REVERSE_BYTE_ORDER
    pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags)
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % size)
        file.write(memoryview(pixels))


def main(
    folder: str,
    document: str,
    number: str,
    dpi: str,
    most_pages: str,
    most_pixels: str,
    drawing: str,
    report: str,
) -> None:
    """Draw a page; see the module."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(drawing)  # of a page before this one
    pdfium = _load_pdfium(folder)
    pdfium.FPDF_InitLibraryWithConfig(pdfium.FPDF_LIBRARY_CONFIG(version=2))
    with open(report, "w") as lines:
        opened = pdfium.FPDF_LoadDocument(f"{document}\0".encode(), None)
        if not opened:
            print("defect", pdfium.FPDF_GetLastError(), file=lines)
            return
        pages = pdfium.FPDF_GetPageCount(opened)
        print("pages", pages, file=lines)
        if pages > int(most_pages) or int(number) > pages:
            return
        page = pdfium.FPDF_LoadPage(opened, int(number) - 1)
        if not page:
            print("unreadable", file=lines)
            return
        points = pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page)
        width, height = (_pixels(side, float(dpi)) for side in points)
        print("size", width, height, file=lines, flush=True)
        if 0 < width * height <= int(most_pixels):
            _draw(pdfium, page, (width, height), drawing)


if __name__ == "__main__":
    main(*sys.argv[1:])
