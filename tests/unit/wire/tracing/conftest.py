from __future__ import annotations

from collections.abc import Iterator

import pytest

from recorded_spans import RecordedSpans, recorded


@pytest.fixture
def spans() -> Iterator[RecordedSpans]:
    with recorded() as found:
        yield found
