"""Reading the files of an instance."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from i2s_sdk.errors import DataError
from i2s_sdk.instances.content import Content
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.site_files import inside, read_tar
from i2s_sdk.tasks.registry import task_spec


def read_content(instance: Instance) -> Content:
    """Return what the files of an instance hold.

    Raises:
        DataError: One cannot be read, or an archive is not what it should be; names the file.
    """
    structure = _read(instance.structure) if instance.structure is not None else None
    site = None
    if structure is not None and task_spec(instance.task).structure_is_site:
        try:
            site = read_tar(structure)
        except ValueError as error:
            raise DataError(instance.structure or instance.file, 0, str(error)) from None
    return Content(
        reference=_read(instance.image) if instance.image is not None else b"",
        structure=structure.decode("utf-8", "replace") if structure is not None and site is None else None,
        site=site,
        assets=_assets(instance, site or {}),
        text=instance.text,
        target=instance.target,
        inputs=instance.inputs,
    )


def _assets(instance: Instance, site: Mapping[str, bytes]) -> dict[str, bytes]:
    assets: dict[str, bytes] = {}
    for asset in instance.assets:
        where = asset.path or instance.structure or instance.file
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
