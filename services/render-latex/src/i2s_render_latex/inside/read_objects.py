"""Read what is drawn on pages of a PDF with PDFium. Runs inside of the sandbox, without site packages.

Arguments: the library, the document, the file for the result, the share of each page that is cut off at its
foot, the most objects of a page, then numbers of pages from 1.

The result has lines of a word and numbers. Boxes are left, top, right and bottom in thousandths of a point
from the top left corner of the page; sizes of fonts are thousandths of a point.

    page NUMBER
    font NAME                                   the next font, the first is 0
    glyph FONT SIZE BOX CODE [CODE …]           code points
    unnamed FONT SIZE BOX CODE                  a glyph without Unicode: the number of its character
    rule BOX, path BOX, image BOX               a straight line; another outline; pixels
    limit REASON                                no object is listed: there are too many ("objects"), or the
                                                page has what poppler treats differently

Only objects that can be seen are listed. Each is drawn in a colour of its own, and its pixels there must have
another colour in the page as it is than the pixels around them. So what is not painted, transparent, clipped,
covered, off the page, or in the colour of its ground is left out.
"""

from __future__ import annotations

import ctypes
import math
import os
import sys
from collections.abc import Callable, Iterator

_POINTER, _INT, _UINT, _FLOAT, _DOUBLE = (
    ctypes.c_void_p,
    ctypes.c_int,
    ctypes.c_uint,
    ctypes.c_float,
    ctypes.c_double,
)


class _Matrix(ctypes.Structure):
    _fields_ = tuple((name, _FLOAT) for name in "abcdef")


_MOST_WORDS = 22  # of a line of a glyph: its kind, font, size and box, and 16 characters

_SIGNATURES = {
    "FPDFPage_GetRotation": (_INT, (_POINTER,)),
    "FPDFPage_GetMediaBox": (_INT, (_POINTER, *[_POINTER] * 4)),
    "FPDFPage_GetCropBox": (_INT, (_POINTER, *[_POINTER] * 4)),
    "FPDFPage_GetAnnotCount": (_INT, (_POINTER,)),
    "FPDFPage_GetAnnot": (_POINTER, (_POINTER, _INT)),
    "FPDFAnnot_HasKey": (_INT, (_POINTER, ctypes.c_char_p)),
    "FPDFPage_CloseAnnot": (None, (_POINTER,)),
    "FPDF_InitLibrary": (None, ()),
    "FPDF_LoadDocument": (_POINTER, (ctypes.c_char_p, ctypes.c_char_p)),
    "FPDF_LoadPage": (_POINTER, (_POINTER, _INT)),
    "FPDF_GetPageWidthF": (_FLOAT, (_POINTER,)),
    "FPDF_GetPageHeightF": (_FLOAT, (_POINTER,)),
    "FPDF_RenderPageBitmap": (None, (_POINTER, _POINTER, *[_INT] * 6)),
    "FPDFBitmap_CreateEx": (_POINTER, (_INT, _INT, _INT, _POINTER, _INT)),
    "FPDFText_LoadPage": (_POINTER, (_POINTER,)),
    "FPDFText_CountChars": (_INT, (_POINTER,)),
    "FPDFText_IsGenerated": (_INT, (_POINTER, _INT)),
    "FPDFText_GetTextObject": (_POINTER, (_POINTER, _INT)),
    "FPDFText_GetCharBox": (_INT, (_POINTER, _INT, *[_POINTER] * 4)),
    "FPDFText_GetUnicode": (_UINT, (_POINTER, _INT)),
    "FPDFText_HasUnicodeMapError": (_INT, (_POINTER, _INT)),
    "FPDFText_GetMatrix": (_INT, (_POINTER, _INT, _POINTER)),
    "FPDFPage_CountObjects": (_INT, (_POINTER,)),
    "FPDFPage_GetObject": (_POINTER, (_POINTER, _INT)),
    "FPDFFormObj_CountObjects": (_INT, (_POINTER,)),
    "FPDFFormObj_GetObject": (_POINTER, (_POINTER, ctypes.c_ulong)),
    "FPDFPageObj_GetType": (_INT, (_POINTER,)),
    "FPDFPageObj_CountMarks": (_INT, (_POINTER,)),
    "FPDFPageObj_GetMark": (_POINTER, (_POINTER, ctypes.c_ulong)),
    "FPDFPageObj_RemoveMark": (_INT, (_POINTER, _POINTER)),
    "FPDFPageObj_GetMatrix": (_INT, (_POINTER, _POINTER)),
    "FPDFPageObj_GetBounds": (_INT, (_POINTER, *[_POINTER] * 4)),
    "FPDFPageObj_SetFillColor": (_INT, (_POINTER, *[_UINT] * 4)),
    "FPDFPageObj_SetStrokeColor": (_INT, (_POINTER, *[_UINT] * 4)),
    "FPDFPath_CountSegments": (_INT, (_POINTER,)),
    "FPDFPath_GetPathSegment": (_POINTER, (_POINTER, _INT)),
    "FPDFPathSegment_GetType": (_INT, (_POINTER,)),
    "FPDFPathSegment_GetPoint": (_INT, (_POINTER, _POINTER, _POINTER)),
    "FPDFTextObj_GetFont": (_POINTER, (_POINTER,)),
    "FPDFTextObj_GetFontSize": (_INT, (_POINTER, _POINTER)),
    "FPDFFont_GetBaseFontName": (ctypes.c_size_t, (_POINTER, _POINTER, ctypes.c_size_t)),
}
# Numbers of fpdf_edit.h and fpdfview.h.
_TEXT, _PATH, _IMAGE, _SHADING, _FORM = range(1, 6)
_LINE_TO, _BEZIER_TO, _MOVE_TO = range(3)
_BGRX = 3
_NOT_SMOOTH = 0x1000 | 0x2000 | 0x4000

_DPI = 200
_MOST_PIXELS = 16_000_000  # of what is looked at of a page; with more the resolution is lower
_DEPTH = 16  # of forms in one another
_SAMPLES = 48  # rows and columns of a glyph, rows of a path
_CONTRAST = 32  # of 255, in one of the channels
_STRAIGHT = 9  # most points of an outline that may be a rectangle
_MOST_NAME = 100
_FAR = 10**9

_Box = tuple[float, float, float, float]
_Affine = tuple[float, float, float, float, float, float]
_Count = Callable[[int], int]
_Get = Callable[[int, int], int]


class _TooManyObjectsError(Exception):
    """The page has more objects than permitted."""


def _load(path: str) -> ctypes.CDLL:
    library = ctypes.CDLL(path)
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    library.FPDF_InitLibrary()
    return library


def _after(inner: _Affine, outer: _Affine) -> _Affine:
    a, b, c, d, e, f = inner
    k, l, m, n, o, p = outer  # noqa: E741 - the letters of matrices
    return (a * k + b * m, a * l + b * n, c * k + d * m, c * l + d * n, e * k + f * m + o, e * l + f * n + p)


def _hull(box: _Box, matrix: _Affine) -> _Box:
    left, bottom, right, top = box
    a, b, c, d, e, f = matrix
    across = [a * x + c * y + e for x in (left, right) for y in (bottom, top)]
    up = [b * x + d * y + f for x in (left, right) for y in (bottom, top)]
    return min(across), min(up), max(across), max(up)


class _Objects:
    """The objects of a page that are no forms, in the order in which they are painted."""

    def __init__(self, pdfium: ctypes.CDLL, page: int, most: int) -> None:
        self._pdfium, self._most = pdfium, most
        #: Handle, type and the matrix of the forms around it.
        self.all: list[tuple[int, int, _Affine]] = []
        count, get = pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject
        self._add(page, count, get, (1.0, 0.0, 0.0, 1.0, 0.0, 0.0), 0)

    def _add(self, parent: int, count: _Count, get: _Get, matrix: _Affine, depth: int) -> None:
        for index in range(count(parent)):
            handle = get(parent, index)
            kind = self._pdfium.FPDFPageObj_GetType(handle)
            if kind != _FORM:
                self.all.append((handle, kind, matrix))
                if len(self.all) > self._most:
                    raise _TooManyObjectsError
            elif depth < _DEPTH:
                own = _Matrix()
                self._pdfium.FPDFPageObj_GetMatrix(handle, ctypes.byref(own))
                inner = _after((own.a, own.b, own.c, own.d, own.e, own.f), matrix)
                form = self._pdfium.FPDFFormObj_CountObjects, self._pdfium.FPDFFormObj_GetObject
                self._add(handle, *form, inner, depth + 1)

    def bounds(self, handle: int, matrix: _Affine) -> _Box:
        """Return left, bottom, right and top of an object on the page, in points."""
        sides = [_FLOAT() for _ in range(4)]
        self._pdfium.FPDFPageObj_GetBounds(handle, *map(ctypes.byref, sides))
        left, bottom, right, top = (side.value for side in sides)
        return _hull((left, bottom, right, top), matrix)

    def is_straight(self, handle: int) -> bool:
        """Return whether a path is one rectangle or line along the axes."""
        pdfium, count = self._pdfium, self._pdfium.FPDFPath_CountSegments(handle)
        if not 2 <= count <= _STRAIGHT:
            return False
        x, y, last = _FLOAT(), _FLOAT(), None
        for index in range(count):
            segment = pdfium.FPDFPath_GetPathSegment(handle, index)
            kind = pdfium.FPDFPathSegment_GetType(segment)
            if kind == _BEZIER_TO or (kind == _MOVE_TO) != (index == 0):
                return False
            pdfium.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
            here = x.value, y.value
            if last is not None and min(abs(here[0] - last[0]), abs(here[1] - last[1])) > 0.01:
                return False
            last = here
        return True


class _Image:
    """A part of a page as pixels, drawn without smoothing."""

    def __init__(self, pdfium: ctypes.CDLL, page: int, part: tuple[int, int, int, int], scale: float) -> None:
        left, top, right, bottom = part
        self.left, self.top, self.width, self.height = left, top, right - left, bottom - top
        pixels = bytearray(b"\xff") * (self.width * self.height * 4)
        buffer = (ctypes.c_ubyte * len(pixels)).from_buffer(pixels)
        bitmap = pdfium.FPDFBitmap_CreateEx(self.width, self.height, _BGRX, buffer, self.width * 4)
        if not bitmap:
            raise MemoryError(f"no bitmap of {self.width} x {self.height} pixels")
        whole = [
            math.ceil(side(page) * scale) for side in (pdfium.FPDF_GetPageWidthF, pdfium.FPDF_GetPageHeightF)
        ]
        pdfium.FPDF_RenderPageBitmap(bitmap, page, -left, -top, *whole, 0, _NOT_SMOOTH)
        self.pixels = memoryview(pixels).cast("I")
        self.bytes = pixels


class _Sight:
    """Tells which objects can be seen."""

    def __init__(self, page: _Image, coded: _Image, scale: float) -> None:
        self._page, self._coded, self._scale = page, coded, scale

    def _rows(self, box: _Box) -> tuple[int, int, int, int]:
        """Return left, right, top and bottom of a box of points from the top left corner, in pixels."""
        left, top, right, bottom = (side * self._scale for side in box)
        image = self._coded
        return (
            max(math.floor(left) - 1 - image.left, 0),
            min(math.ceil(right) + 1 - image.left, image.width),
            max(math.floor(top) - 1 - image.top, 0),
            min(math.ceil(bottom) + 1 - image.top, image.height),
        )

    def glyph(self, box: _Box, code: int) -> bool:
        """Return whether at least half of width and height of a glyph is seen."""
        left, right, top, bottom = self._rows(box)
        if left >= right or top >= bottom:
            return False
        down, across = -(-(bottom - top) // _SAMPLES), -(-(right - left) // _SAMPLES)
        own: list[int] = []
        others: list[int] = []
        rows: list[int] = []
        columns: set[int] = set()
        for row in range(top, bottom, down):
            start = row * self._coded.width
            codes = self._coded.pixels[start + left : start + right : across].tolist()
            colors = self._page.pixels[start + left : start + right : across].tolist()
            if code not in codes:
                others += colors
                continue
            rows.append(row)
            for column, (here, color) in enumerate(zip(codes, colors, strict=True)):
                if here == code:
                    own.append(color)
                    columns.add(column)
                else:
                    others.append(color)
        if not own or not others:
            return False
        seen_height, seen_width = rows[-1] - rows[0] + down, (max(columns) - min(columns) + 1) * across
        _, box_top, _, box_bottom = box
        height, width = (box_bottom - box_top) * self._scale, (box[2] - box[0]) * self._scale
        is_whole = 2 * seen_height >= height and 2 * seen_width >= width
        return is_whole and _differ(max(set(own), key=own.count), max(set(others), key=others.count))

    def path(self, box: _Box, code: int) -> bool:
        """Return whether something of a path is seen."""
        left, right, top, bottom = self._rows(box)
        if left >= right or top >= bottom:
            return False
        wanted, width = code.to_bytes(4, sys.byteorder), self._coded.width
        for row in range(top, bottom, -(-(bottom - top) // _SAMPLES)):
            start, end = (row * width + left) * 4, (row * width + right) * 4
            place = self._coded.bytes.find(wanted, start, end)
            while place >= 0 and place % 4:
                place = self._coded.bytes.find(wanted, place + 1, end)
            if place >= 0 and self._stands_out(place // 4, row, code):
                return True
        return False

    def _stands_out(self, pixel: int, row: int, code: int) -> bool:
        """Return whether a pixel of an object differs from a neighbour that is none of it."""
        image, pixels, coded = self._coded, self._page.pixels, self._coded.pixels
        width, column = image.width, pixel - row * image.width
        # To the left is another object, since the pixel is the first of its row; up and down until it ends.
        near = [pixel - 1] if column else []
        for step, end in ((-width, -1), (width, len(coded))):
            place = pixel
            while (place + step - end) * step < 0 and coded[place] == code:
                place += step
            near.append(place)
        return any(coded[other] != code and _differ(pixels[pixel], pixels[other]) for other in near)


def _differ(one: int, other: int) -> bool:
    return any(abs((one >> shift & 255) - (other >> shift & 255)) >= _CONTRAST for shift in (0, 8, 16))


class _Page:
    """Reads a page and writes its lines."""

    def __init__(self, pdfium: ctypes.CDLL, page: int, most: int, fonts: dict[str, int], salt: int) -> None:
        self._pdfium, self._page, self._fonts, self._most = pdfium, page, fonts, most
        self.height = pdfium.FPDF_GetPageHeightF(page)
        self.width = pdfium.FPDF_GetPageWidthF(page)
        self._objects = _Objects(pdfium, page, most)
        # An image of the document cannot have these colours: they depend on all of its bytes.
        self._factor, self._shift = (salt | 1) & 0xFFFFFF, salt >> 8 & 0xFFFFFF

    def _code(self, index: int) -> int:
        color = (index * self._factor + self._shift) & 0xFFFFFF
        return 0xFF000000 | (color if color != 0xFFFFFF else self._most * self._factor & 0xFFFFFF)

    def lines(self, cut: float) -> Iterator[str]:
        """Yield the objects that are seen above the foot, in the order in which they are painted."""
        boxes = {
            index: self._place(self._objects.bounds(h, m))
            for index, (h, k, m) in enumerate(self._objects.all)
        }
        sight = self._sight(boxes, self.height * (1 - cut))
        if sight is None:
            return
        glyphs = self._glyphs()
        for index, (handle, kind, _) in enumerate(self._objects.all):
            code, box = self._code(index), boxes[index]
            if kind == _TEXT:
                for place, line in glyphs.get(handle, ()):
                    if sight.glyph(place, code):
                        yield line
            elif kind == _PATH:
                if sight.path(box, code):
                    yield f"{'rule' if self._objects.is_straight(handle) else 'path'} {_numbers(box)}"
            elif box[3] > box[1] and box[2] > box[0]:
                yield f"image {_numbers(box)}"

    def _place(self, box: _Box) -> _Box:
        left, bottom, right, top = box
        return left, self.height - top, right, self.height - bottom

    def _sight(self, boxes: dict[int, _Box], foot: float) -> _Sight | None:
        left, right = (min(max(side, 0.0), self.width) for side in _extent(boxes, 0, 2))
        top, bottom = (min(max(side, 0.0), foot) for side in _extent(boxes, 1, 3))
        if right <= left or bottom <= top:
            return None
        area = (right - left) * (bottom - top)
        scale = min(_DPI / 72, math.sqrt(_MOST_PIXELS / area))
        part = (
            max(math.floor(left * scale) - 2, 0),
            max(math.floor(top * scale) - 2, 0),
            math.ceil(right * scale) + 2,
            min(math.ceil(bottom * scale) + 2, math.ceil(foot * scale)),
        )
        page = _Image(self._pdfium, self._page, part, scale)
        for index, (handle, kind, _) in enumerate(self._objects.all):
            if kind in (_TEXT, _PATH):
                color = self._code(index)
                channels = (color >> 16 & 255, color >> 8 & 255, color & 255, 255)
                self._pdfium.FPDFPageObj_SetFillColor(handle, *channels)
                self._pdfium.FPDFPageObj_SetStrokeColor(handle, *channels)
        return _Sight(page, _Image(self._pdfium, self._page, part, scale), scale)

    def _glyphs(self) -> dict[int, list[tuple[_Box, str]]]:
        """Return the glyphs of each text object: the box in points, and the line."""
        pdfium = self._pdfium
        self._remove_marks()
        text = pdfium.FPDFText_LoadPage(self._page)
        found: dict[int, list[tuple[_Box, str]]] = {}
        sides = [_DOUBLE() for _ in range(4)]
        places = [ctypes.byref(side) for side in sides]  # left, right, bottom, top
        count, last, styles, total = pdfium.FPDFText_CountChars(text), None, {}, 0
        for index in range(count):
            if pdfium.FPDFText_IsGenerated(text, index) == 1:
                continue
            owner = pdfium.FPDFText_GetTextObject(text, index)
            pdfium.FPDFText_GetCharBox(text, index, *places)
            left, right, bottom, top = (side.value for side in sides)
            if owner is None or not (right > left and top > bottom):
                continue
            code = pdfium.FPDFText_GetUnicode(text, index)
            if owner not in styles:
                styles[owner] = self._style(text, index, owner)
            glyphs = found.setdefault(owner, [])
            if styles[owner] and last == (owner, left, right, bottom, top):
                if glyphs[-1][1].count(" ") < _MOST_WORDS:
                    glyphs[-1] = glyphs[-1][0], f"{glyphs[-1][1]} {code}"  # a further character of a ligature
                continue
            total += 1
            if total > self._most:
                raise _TooManyObjectsError
            last = owner, left, right, bottom, top
            box = self._place((left, bottom, right, top))
            has_name = code and pdfium.FPDFText_HasUnicodeMapError(text, index) != 1
            glyph = f"{'glyph' if has_name else 'unnamed'} {styles[owner]} {_numbers(box)} {code}"
            glyphs.append((box, glyph if styles[owner] else f"path {_numbers(box)}"))
        return found

    def _remove_marks(self) -> None:
        """Remove marks of text, which may say what text it stands for, whatever is drawn.

        Layers are marks too, so it is done after the page was drawn.
        """
        pdfium = self._pdfium
        for handle, kind, _ in self._objects.all:
            if kind == _TEXT:
                for index in reversed(range(pdfium.FPDFPageObj_CountMarks(handle))):
                    pdfium.FPDFPageObj_RemoveMark(handle, pdfium.FPDFPageObj_GetMark(handle, index))

    def _style(self, text: int, index: int, owner: int) -> str:
        """Return font and size of a text object as numbers; empty if the font has no name.

        The document has drawn the glyphs of such a font itself, so what they are called says nothing.
        """
        pdfium, size, matrix = self._pdfium, _FLOAT(), _Matrix()
        font = pdfium.FPDFTextObj_GetFont(owner)
        name = ctypes.create_string_buffer(_MOST_NAME + 1)
        length = pdfium.FPDFFont_GetBaseFontName(font, name, len(name)) if font else 0
        written = name.value if 0 < length <= len(name) else b""
        known = "".join(chr(byte) if 33 <= byte < 127 else "?" for byte in written)
        if not known:
            return ""
        pdfium.FPDFTextObj_GetFontSize(owner, ctypes.byref(size))
        pdfium.FPDFText_GetMatrix(text, index, ctypes.byref(matrix))
        height = abs(size.value) * math.hypot(matrix.c, matrix.d)
        return f"{self._fonts.setdefault(known, len(self._fonts))} {_thousandths(height)}"


def _extent(boxes: dict[int, _Box], low: int, high: int) -> tuple[float, float]:
    values = list(boxes.values())
    if not values:
        return 0.0, 0.0
    return min(box[low] for box in values), max(box[high] for box in values)


def _thousandths(value: float) -> int:
    return max(-_FAR, min(_FAR, round(value * 1000))) if math.isfinite(value) else 0


def _numbers(box: _Box) -> str:
    return " ".join(str(_thousandths(side)) for side in box)


def _unlike(pdfium: ctypes.CDLL, page: int) -> str:
    """Return what of a page PDFium draws otherwise than poppler, or at another place; empty for nothing.

    Annotations with an appearance are drawn by poppler alone; places are those of a page that is not turned,
    begins at 0, and is all of its media box.
    """
    if pdfium.FPDFPage_GetRotation(page):
        return "rotated"
    boxes = []
    for get in (pdfium.FPDFPage_GetMediaBox, pdfium.FPDFPage_GetCropBox):
        sides = [_FLOAT() for _ in range(4)]  # left, bottom, right, top
        if get(page, *(ctypes.byref(side) for side in sides)):
            boxes.append([side.value for side in sides])
    if any(box != boxes[0] or box[0] or box[1] for box in boxes):
        return "boxes"
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        note = pdfium.FPDFPage_GetAnnot(page, index)
        shown = not note or pdfium.FPDFAnnot_HasKey(note, b"AP")
        if note:
            pdfium.FPDFPage_CloseAnnot(note)
        if shown:
            return "annotations"
    return ""


def main(library: str, document: str, result: str, cut: str, most: str, *pages: str) -> None:
    """Read the pages; see the module."""
    pdfium = _load(library)
    salt = int.from_bytes(os.urandom(4), "big")  # so that no document knows the colours
    opened = pdfium.FPDF_LoadDocument(f"{document}\0".encode(), None)
    fonts: dict[str, int] = {}
    with open(result, "w", encoding="ascii") as lines:
        for number in pages:
            page = pdfium.FPDF_LoadPage(opened, int(number) - 1) if opened else None
            if not page:
                continue
            known = len(fonts)
            try:
                reason = _unlike(pdfium, page)
                drawn = (
                    [f"limit {reason}"]
                    if reason
                    else list(_Page(pdfium, page, int(most), fonts, salt).lines(float(cut)))
                )
            except _TooManyObjectsError:
                drawn = ["limit objects"]
            print("page", number, file=lines)
            for name in list(fonts)[known:]:
                print("font", name, file=lines)
            lines.writelines(f"{line}\n" for line in drawn)


if __name__ == "__main__":
    main(*sys.argv[1:])
