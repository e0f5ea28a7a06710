"""No key that serves TLS may be one that jobs can read, which matters in the tier container."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_chassis.errors import StartError
from i2s_chassis.renderer import settings


def test_a_key_that_all_users_may_read_is_refused_by_name(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.write_text("secret")
    key.chmod(0o644)
    with pytest.raises(StartError, match=r"key\.pem may be read by all users"):
        settings._check_closed(key)


def test_a_closed_key_and_none_at_all_are_right(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    key.write_text("secret")
    key.chmod(0o440)
    settings._check_closed(key)
    settings._check_closed(None)
