"""Standard error of real worker processes, from the process to the log of the service."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
from io import StringIO

import pytest

from i2s_chassis.jail.own_process import WorkerNeeds
from i2s_chassis.server.logs import JsonFormatter
from i2s_metrics.processes import WorkerLostError, printable, start
from worker_errors import crashes, writes

pytestmark = pytest.mark.integration

HOSTILE = b'\x1b]0;owned\x07 \xff\xc2\x9b31m \xe2\x80\xaetxt\r{"level": 1}'


@pytest.fixture
def logged(caplog):
    """Returns what stands in the log: fields of each record."""
    return lambda: [record.fields for record in caplog.records if hasattr(record, "fields")]


@pytest.mark.parametrize("needs", [WorkerNeeds(), None], ids=["confined", "not confined"])
async def test_what_a_process_writes_is_a_field_of_one_line(needs, capfd):
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(lambda record: setattr(record, "context", getattr(record, "fields", {})) or True)
    handler.setFormatter(JsonFormatter("metrics"))
    logging.getLogger("i2s_metrics").addHandler(handler)
    try:
        child = await start(writes, HOSTILE, needs)
        assert await child.receive(100) == b"done"
        await child.end()
    finally:
        logging.getLogger("i2s_metrics").removeHandler(handler)
    (line,) = stream.getvalue().splitlines()
    assert json.loads(line)["text"] == printable(HOSTILE)
    assert "owned" not in capfd.readouterr().err


async def test_a_process_that_writes_without_end_is_not_kept_waiting_for_a_reader(logged):
    child = await start(writes, b"x" * 1_000_000, WorkerNeeds(), 1000)
    async with asyncio.timeout(60):
        assert await child.receive(100) == b"done"
    await child.end()
    assert {fields["discarded_bytes"] for fields in logged() if "discarded_bytes" in fields} == {999_000}


async def test_a_process_that_crashes_says_where(logged):
    child = await start(crashes, b"", WorkerNeeds())
    await child.send(b"now")
    with pytest.raises(WorkerLostError):
        await child.receive(100)
    await child.end()
    texts = [fields["text"] for fields in logged()]
    assert texts[0] == "Fatal Python error: Segmentation fault"
    assert any("in crashes" in text for text in texts), texts


async def test_a_process_that_is_killed_from_outside_says_nothing(logged):
    child = await start(writes, b"", WorkerNeeds())
    os.kill(child.process.pid, signal.SIGKILL)
    await child.end()
    assert logged() == []
