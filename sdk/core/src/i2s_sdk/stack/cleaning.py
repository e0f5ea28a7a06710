"""Removes what services that were killed have left in the system's temporary folder."""

from __future__ import annotations

import logging
import os
import subprocess
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor

from i2s_sdk.errors import CommandMissingError
from i2s_sdk.stack.command import child_environment, find_program, program_name

_log = logging.getLogger(__name__)

_SECONDS = 60.0


def remove_left_folders(services: Collection[str]) -> tuple[str, ...]:
    """Remove the work folders of killed services, and return their paths; services that run keep theirs.

    The renderers know what they make; each that is installed is asked by its subcommand ``clean``, all at
    the same time, with the settings that it would be started with. One that fails is logged and has no other
    effect.

    Args:
        services: Names of renderers.
    """
    with ThreadPoolExecutor(max_workers=max(1, len(services))) as threads:
        return tuple(path for removed in threads.map(_removed_by, services) for path in removed)


def _removed_by(name: str) -> Sequence[str]:
    """Ask one renderer to remove what is left of it, and return the paths."""
    try:
        program = find_program(name)
    except CommandMissingError:
        return ()
    try:
        cleaned = subprocess.run(
            [program, "clean"],
            env=child_environment(name, os.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        _log.warning("%s clean failed: %s", program_name(name), error)
        return ()
    return cleaned.stdout.splitlines()
