"""What a job may use, and what it used."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one job may use; 0 means the default of the service.

    In a request these are the wanted limits, in a rendering those that were in force.
    """

    #: Processor time of all processes together, over all steps of the job.
    cpu_seconds: float = 0.0
    #: Wall time.
    wall_seconds: float = 0.0
    #: Resident memory of all processes together.
    memory_bytes: int = 0
    #: Processes and threads at the same time.
    processes: int = 0
    #: Size of any single file.
    file_bytes: int = 0
    #: All files of the work folder together.
    disk_bytes: int = 0
    #: Files and folders in the work folder.
    inodes: int = 0
    #: Pages that an engine may produce.
    pages: int = 0
    #: Pixels of one image before cropping.
    pixels: int = 0
    #: Log that is returned, head and tail together.
    log_bytes: int = 0
    #: Size of one image as PNG.
    picture_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """What a job or one step of it used."""

    #: Wall time.
    wall_seconds: float = 0.0
    #: Processor time of all processes together.
    cpu_seconds: float = 0.0
    #: Resident memory of all processes together.
    peak_memory_bytes: int = 0
    #: Processes and threads at the same time.
    peak_processes: int = 0
    #: Wall time in which the machine kept the job waiting for a processor.
    waited_seconds: float = 0.0
