"""Where the logs of services go that one short command starts."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from i2s_sdk.errors import RequestRefusedError, UsageError


@contextmanager
def passing_logs() -> Iterator[Path]:
    """Yield a new folder that is removed at the end.

    It is kept if something failed that its logs can explain: something was raised, which was not the
    caller's mistake, and there are logs.
    """
    folder = Path(tempfile.mkdtemp(prefix="i2s-logs-"))
    explains = False
    try:
        yield folder
    except (UsageError, RequestRefusedError):
        raise
    except BaseException:
        explains = any(folder.glob("*.log"))
        raise
    finally:
        if not explains:
            shutil.rmtree(folder, ignore_errors=True)
