"""Names of the files that the answer to an instance may use."""

from __future__ import annotations

from i2s_sdk.errors import DataError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.site_files import inside


def asset_names(instance: Instance) -> tuple[str, ...]:
    """Return the names of the files that an answer may use.

    Raises:
        DataError: One is no relative name.
    """
    try:
        return tuple(dict.fromkeys(inside(one.name) for one in instance.assets))
    except ValueError as error:
        raise DataError(instance.file, 0, f"asset of instance {instance.id!r}: {error}") from None
