"""The settings of the renderer, and what its jobs read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import ClassVar

import PIL

from i2s_chassis.renderer import GenericSettings
from pillow_renderer.spec import RENDER_PILLOW

#: The folder that Pillow is installed in.
LIBRARIES = Path(PIL.__file__).parents[1]
#: The Python that programs run with, without the environment of the service.
PYTHON = Path(sys.executable).resolve()
#: Folders that a job reads beside those of the system.
READABLE = tuple(one for one in (LIBRARIES, Path(sys.base_prefix)) if not one.is_relative_to("/usr"))


class PillowSettings(GenericSettings):
    """How the renderer serves."""

    service: ClassVar[str] = RENDER_PILLOW.name
    port: ClassVar[int] = RENDER_PILLOW.port

    def readable_by_jobs(self) -> tuple[Path, ...]:
        """Return the folders of Python and Pillow."""
        return READABLE
