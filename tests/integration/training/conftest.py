"""One open round trip for all tests of the integrations."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from i2s_sdk import Settings
from i2s_training import RoundTrip


@pytest.fixture(scope="session")
def trip(running: Settings) -> Iterator[RoundTrip]:
    with RoundTrip(settings=running) as opened:
        yield opened
