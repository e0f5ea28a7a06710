"""What the files of an instance hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from i2s_sdk.data.instance import Instance
from i2s_sdk.data.site_files import inside, read_tar
from i2s_sdk.errors import DataError


@dataclass(frozen=True, slots=True)
class Content:
    """The files of an instance, read.

    Attributes:
        reference: The picture, encoded.
        structure: The ground truth where it is text: LaTeX, LilyPond.
        site: The ground truth where it is a site: its files by relative name, assets among them.
        assets: Files that the answer may use, by name.
        text: Of the picture, where the data set gives it.
    """

    reference: bytes = field(repr=False)
    structure: str | None = None
    site: Mapping[str, bytes] | None = None
    assets: Mapping[str, bytes] = field(default_factory=dict)
    text: str | None = None


def read_content(instance: Instance) -> Content:
    """Return what the files of an instance hold.

    Raises:
        DataError: One cannot be read, or an archive is not what it should be; names the file.
    """
    structure = _read(instance.structure) if instance.structure is not None else None
    site = None
    if structure is not None and instance.task == "webpage":
        try:
            site = read_tar(structure)
        except ValueError as error:
            raise DataError(instance.structure or instance.image, 0, str(error)) from None
    return Content(
        reference=_read(instance.image),
        structure=structure.decode("utf-8", "replace") if structure is not None and site is None else None,
        site=site,
        assets=_assets(instance, site or {}),
        text=instance.text,
    )


def _assets(instance: Instance, site: Mapping[str, bytes]) -> dict[str, bytes]:
    assets: dict[str, bytes] = {}
    for asset in instance.assets:
        where = asset.path or instance.structure or instance.image
        try:
            name = inside(asset.name)
        except ValueError as error:
            raise DataError(where, 0, f"asset of instance {instance.id!r}: {error}") from None
        if asset.path is not None:
            assets[name] = _read(asset.path)
        elif name in site:
            assets[name] = site[name]
        else:
            raise DataError(
                where, 0, f"asset {asset.name!r} of instance {instance.id!r} is not in the archive"
            )
    return assets


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(path, 0, f"cannot be read: {error.strerror}") from None
