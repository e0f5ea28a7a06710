"""What holds for all tests of the security suite."""

from __future__ import annotations

import pytest

from recorded_verdicts import register


def pytest_configure(config: pytest.Config) -> None:
    register(config)
