"""The limits of one job: the values and their defaults.

The spawner of the jail imports this module in an interpreter without site packages. There is no ``i2s_wire``
in it, so the defaults that clients share are looked up only if no value is given; the jail gives all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

_MIB = 1024 * 1024


def _picture_pixels() -> int:
    from i2s_wire import bounds

    return bounds.PICTURE_PIXELS


def _picture_bytes() -> int:
    from i2s_wire import bounds

    return bounds.PICTURE_BYTES


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one job. All are always in force; there is no "unlimited".

    Attributes:
        cpu_seconds: Processor time of all processes together, over all steps of the job.
        wall_seconds: Backstop on the clock, so that a sleeping job ends too.
        memory_bytes: Resident memory of all processes together.
        processes: Processes and threads at the same time.
        file_bytes: Size of any single file.
        disk_bytes: All files of the work folder together.
        inodes: Files and folders in the work folder.
        pages: Pages that an engine may produce.
        pixels: Pixels of one image before cropping. The default is also the most that the metric service
            takes by default, so that whatever is rendered can be scored.
        picture_bytes: Size of one image as PNG, likewise.
        log_bytes: Log that is returned, head and tail together.
    """

    cpu_seconds: float = 10.0
    wall_seconds: float = 30.0
    memory_bytes: int = 1024 * _MIB
    processes: int = 32
    file_bytes: int = 64 * _MIB
    disk_bytes: int = 128 * _MIB
    inodes: int = 2000
    pages: int = 50
    pixels: int = field(default_factory=_picture_pixels)
    log_bytes: int = 64 * 1024
    picture_bytes: int = field(default_factory=_picture_bytes)
