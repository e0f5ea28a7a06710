"""What a JPEG file asks of a decoder, read off its markers without decoding anything."""

from __future__ import annotations

import re

_START = b"\xff\xd8"
# Fill bytes and stuffed zeros, restarts and invalid codes are no segments: libjpeg passes over them bytewise.
_SEGMENT = re.compile(rb"\xff+([\xc0-\xcf\xd9-\xfe])")
_SCAN, _END = b"\xda", b"\xd9"


def count_scans(data: bytes, most: int) -> int:
    """Return how many scans a JPEG file has; 0 for another file.

    A progressive decoder goes over the whole picture once for each scan, and a scan may be as small as 10
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
