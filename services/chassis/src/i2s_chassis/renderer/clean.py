"""The subcommand ``clean`` of a renderer: removes the work folders of services that were killed."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from i2s_chassis.entry import Command
from i2s_chassis.privileges.sweep import remove_stale_of_service, remove_stale_of_this_user
from i2s_chassis.renderer.settings import RendererSettings
from i2s_chassis.work_folder import remove_stale

S = TypeVar("S", bound=RendererSettings)


def clean_command(settings: type[S]) -> Command[S]:
    """Return the subcommand that removes stale work folders and prints their paths.

    Args:
        settings: Settings of ``serve``, so that the folders are looked for where it would make them.
    """
    return Command(
        "clean",
        "Remove the work folders of services that were killed; those of services that run stay.",
        settings,
        _clean,
        ["clean", "clean --jail-state-dir /var/tmp/i2s"],
    )


def _clean(settings: RendererSettings) -> int:
    state = settings.jail_settings().state_dir
    removed = {*remove_stale_of_this_user(), *(remove_stale(state) if state is not None else ())}
    for path in sorted(removed.union(remove_stale_of_service(settings))):
        print(_printable(path))
    return 0


def _printable(path: Path) -> str:
    """Return a path on one line of text; the user of a service may have given any name."""
    text = str(path)
    return text if text.isprintable() else ascii(text)
