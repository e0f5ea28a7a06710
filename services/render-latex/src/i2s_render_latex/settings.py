"""The settings of this service."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pydantic import ByteSize, Field

from i2s_chassis.errors import StartError
from i2s_chassis.jail import Usage
from i2s_chassis.limits import Limits
from i2s_chassis.renderer import RendererSettings
from i2s_chassis.server.configure import CommandSettings
from i2s_render_latex.state import SHARED_INDEX, check_reachable, state_folder

if TYPE_CHECKING:
    from i2s_chassis.jail import Jail

_KIB = 1024
_MIB = 1024 * 1024
_STATE_DESCRIPTION = (
    "Folder that keeps formats and the index of the TeX tree; other users must be able to reach it. "
    "Default: /var/cache/i2s-render-latex for root, else i2s-render-latex in XDG_CACHE_HOME or ~/.cache."
)
_SHARED_DESCRIPTION = (
    "Index of the TeX tree for all users of this machine. Root makes it with the command index; who can "
    "read it, and finds it to belong to root or to itself, makes none of its own."
)


class LatexSettings(RendererSettings):
    """The settings of the LaTeX renderer."""

    service: ClassVar[str] = "render-latex"
    port: ClassVar[int] = 7710

    preamble: tuple[Path, ...] = Field(
        (), description="File with a preamble that has its format from the start; may be given several times."
    )
    state_dir: Path | None = Field(None, description=_STATE_DESCRIPTION)
    shared_index: Path = Field(SHARED_INDEX, description=_SHARED_DESCRIPTION)
    formats_bytes: ByteSize = Field(
        ByteSize(512 * _MIB), ge=0, description="Room for formats; those of --preamble always stay."
    )
    format_after: int = Field(
        8, ge=0, description="Documents with one preamble after which it gets a format; 0: never."
    )
    format_build_seconds: float = Field(
        6.0,
        gt=0,
        le=600,
        description="CPU seconds a minute that formats in the background may cost, of all callers together.",
    )
    format_caller_seconds: float = Field(
        3.0, gt=0, le=600, description="The same of each caller; what is not used adds up for one minute."
    )
    document_bytes: ByteSize = Field(ByteSize(1 * _MIB), ge=1 * _KIB, description="Greatest document.")
    beside_bytes: ByteSize = Field(
        ByteSize(16 * _MIB), ge=1 * _KIB, description="Greatest of the files beside a document."
    )
    picture_bytes: ByteSize = Field(
        ByteSize(48 * _MIB), gt=0, description="Size of all pictures of an answer together."
    )
    beside_files: int = Field(256, ge=0, le=10_000, description="Most files beside a document.")

    def files_read(self) -> tuple[Path, ...]:
        """Return files of the settings that are read without privileges."""
        return (*super().files_read(), *self.preamble)

    def folders_written(self) -> tuple[Path, ...]:
        """Return the state folder."""
        return (state_folder(self.state_dir),)

    def readable_by_jobs(self) -> tuple[Path, ...]:
        """Return the TeX trees, the state folder, where formats lie, and what reads the objects of pages."""
        from i2s_render_latex.page_objects import readable_folders
        from i2s_render_latex.texindex import TreeError, tree_roots

        try:
            return (*tree_roots(), state_folder(self.state_dir).absolute(), *readable_folders())
        except TreeError as error:
            raise StartError(str(error)) from None

    def cells(self) -> tuple[Limits, ...]:
        """Return the limits of cells in which formats are made and pages are drawn."""
        from i2s_render_latex.format_build import LIMITS_OF_BUILD
        from i2s_render_latex.raster import limits_of_raster

        return (LIMITS_OF_BUILD, limits_of_raster(self.max, self.max.file_bytes, Usage()))

    def start_privileged(self) -> Jail:
        """Check that jobs with users of their own reach the state folder, and start the jail.

        Raises:
            StartError: They do not, or no jail can be started.
        """
        if os.geteuid() == 0:
            check_reachable(state_folder(self.state_dir))
        return super().start_privileged()


class IndexSettings(CommandSettings):
    """The settings of the command ``index``."""

    service: ClassVar[str] = "render-latex"

    state_dir: Path | None = Field(None, description=_STATE_DESCRIPTION)
    shared_index: Path = Field(SHARED_INDEX, description=_SHARED_DESCRIPTION)
    once: bool = Field(False, description="Build only if it is missing or the TeX tree has changed.")
    lookup: tuple[str, ...] = Field(
        (),
        description="Name of a command, environment, key or file to look up instead of building; "
        "may be given several times.",
    )
