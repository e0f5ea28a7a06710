"""The numbers of kinds of marks on the wire."""

from __future__ import annotations

KINDS = {
    "LINE": 1,
    "POINTS": 2,
    "BARS": 3,
    "HORIZONTAL_BARS": 4,
    "WEDGES": 5,
    "AREA": 6,
    "STEPS": 7,
    "ERROR_BARS": 8,
    "BOXES": 9,
    "CELLS": 10,
    "CONTOURS": 11,
    "ARROWS": 12,
    "SURFACE": 13,
    "SHAPE": 14,
    "SEGMENTS": 15,
}
