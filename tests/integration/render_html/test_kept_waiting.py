"""A page is not charged for the time in which the machine keeps those waiting who answer its requests."""

from __future__ import annotations

import pytest

from busy_machine import crowded_processor
from i2s.render.v1 import render_pb2 as pb

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

PAGE = b"<script>for (;;) { const x = new XMLHttpRequest(); x.open('GET', '/', false); x.send() }</script>"


async def test_a_page_that_asks_without_end_ends_by_its_cpu_seconds_on_a_busy_machine_too(started):
    service, pid = started
    source = pb.SiteSource(files=[pb.File(path="index.html", content=PAGE)])
    limits = pb.Limits(cpu_seconds=1.5, wall_seconds=6)
    with crowded_processor(pid, 15):
        answer = await service.Render(pb.RenderRequest(id="one", site=source, limits=limits))
    assert answer.verdict == pb.VERDICT_TIME_LIMIT
    assert "CPU seconds" in answer.message, (answer.message, answer.usage)
    assert answer.usage.waited_seconds > 0
