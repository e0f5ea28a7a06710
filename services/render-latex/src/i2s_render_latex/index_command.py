"""The index command: build the index of the TeX tree, prepare fonts and formats, or ask the index."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from i2s_render_latex.installation import find_installation
from i2s_render_latex.preparation import prepare_fonts, unpack_formats
from i2s_render_latex.settings import IndexSettings
from i2s_render_latex.state import open_index, prepare_folder, rebuild_index, state_folder
from i2s_render_latex.texindex import TexIndex, load_command
from i2s_wire.render.source_error import Provider


def index_command(settings: IndexSettings) -> int:
    """Build the index and prepare the fonts and formats of engines, or print what would define some names.

    Returns:
        The exit code: 0, or 1 if nothing defines one of the names.

    Raises:
        StartError: The index cannot be built.
    """
    folder = state_folder(settings.state_dir)
    prepare_folder(folder)
    index = open_index(folder) if settings.lookup or settings.once else None
    if index is None:
        summary = rebuild_index(folder)
        counts = f"{summary.names} names of {summary.units} packages, classes and libraries"
        print(f"{summary.path}: {counts} in {summary.seconds:.0f} s", file=sys.stderr)
        index = TexIndex.load(summary.path)
    if not settings.lookup:
        asyncio.run(_prepare(folder))
        return 0
    found = [_describe(index, name) for name in settings.lookup]
    print("\n".join(text for text, _ in found))
    return 0 if all(known for _, known in found) else 1


async def _prepare(folder: Path) -> None:
    installation = find_installation()
    await prepare_fonts(folder, installation)
    await unpack_formats(folder, installation)


def _describe(index: TexIndex, name: str) -> tuple[str, bool]:
    asked = (
        ("command", index.providers_of_command),
        ("environment", index.providers_of_environment),
        ("key", index.providers_of_key),
        ("file", index.providers_of_file),
    )
    lines = [f"{name}:"]
    for kind, providers_of in asked:
        providers: tuple[Provider, ...] = providers_of(name)
        if providers:
            lines.append(f"  {kind}: {' '.join(map(load_command, providers))}")
    return "\n".join(lines if len(lines) > 1 else [f"{name}: nothing installed defines it"]), len(lines) > 1
