"""What a job may use, and what it used."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one job may use; 0 means the default of the service.

    In a request these are the wanted limits, in a rendering those that were in force.

    Attributes:
        cpu_seconds: Processor time of all processes together, over all steps of the job.
        wall_seconds: Wall time.
        memory_bytes: Resident memory of all processes together.
        processes: Processes and threads at the same time.
        file_bytes: Size of any single file.
        disk_bytes: All files of the work folder together.
        inodes: Files and folders in the work folder.
        pages: Pages that an engine may produce.
        pixels: Pixels of one picture before cropping.
        log_bytes: Log that is returned, head and tail together.
        picture_bytes: Size of one picture as PNG.
    """

    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    memory_bytes: int = 0
    processes: int = 0
    file_bytes: int = 0
    disk_bytes: int = 0
    inodes: int = 0
    pages: int = 0
    pixels: int = 0
    log_bytes: int = 0
    picture_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """What a job or one step of it used.

    Attributes:
        wall_seconds: Wall time.
        cpu_seconds: Processor time of all processes together.
        peak_memory_bytes: Resident memory of all processes together.
        peak_processes: Processes and threads at the same time.
        waited_seconds: Wall time in which the machine kept the job waiting for a processor.
    """

    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_bytes: int = 0
    peak_processes: int = 0
    waited_seconds: float = 0.0
