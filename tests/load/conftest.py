"""Tests on a machine with eight times the work that it has processors for; chosen by I2S_REQUIRE_LOAD."""

from __future__ import annotations

from pathlib import Path

import pytest

from chosen import why_not

HERE = Path(__file__).parent
#: Time limit of a test without one of its own; a part of the attacks has one above those of its tests.
TEST_SECONDS = 3600


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = why_not("I2S_REQUIRE_LOAD", "test-load")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.load)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(TEST_SECONDS))
            if reason is not None:
                item.add_marker(pytest.mark.skip(reason=f"NOT TESTED UNDER LOAD: {reason}"))
