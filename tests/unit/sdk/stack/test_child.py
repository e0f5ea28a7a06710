"""A start that takes long says how far the service is, in the words of its log."""

import asyncio
import json
import logging

from i2s_sdk.stack import child as child_module
from i2s_sdk.stack.child import Child, last_progress
from i2s_sdk.stack.command import ServiceCommand


class Service(logging.Handler):
    """Stands for a service: whenever its start is said to take long, its log goes on; at last it serves."""

    def __init__(self, child, lines):
        super().__init__()
        self.said, self._log, self._lines = [], child.log, list(lines)
        self.serving = asyncio.get_running_loop().create_future()

    def emit(self, record):
        self.said.append(record.getMessage())
        if self._lines:
            self._log.write_text(self._lines.pop(0))
        else:
            self.serving.set_result(None)


async def test_each_new_message_of_the_log_is_said_once(tmp_path, monkeypatch):
    monkeypatch.setattr(child_module, "_QUIET_SECONDS", 0.001)
    child = Child(ServiceCommand("render-latex", None, program=("true",)), tmp_path)
    lines = [json.dumps({"progress": f"files read: {done} of 2"}) + "\n" for done in (1, 2)]
    service = Service(child, lines)
    monkeypatch.setattr(child_module._log, "handlers", [service])
    await child._first((service.serving,), 60.0)
    first, *then = service.said
    assert "is getting ready" in first
    assert str(child.log) in first
    assert then == [
        "i2s-sdk render-latex is getting ready: files read: 1 of 2",
        "i2s-sdk render-latex is getting ready: files read: 2 of 2",
    ]


async def test_without_progress_the_time_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(child_module, "_QUIET_SECONDS", 0.001)
    monkeypatch.setattr(child_module, "_SILENT_SECONDS", 0.0)
    service = Service(
        child := Child(ServiceCommand("metrics", None, program=("true",)), tmp_path), ["no JSON"]
    )
    monkeypatch.setattr(child_module._log, "handlers", [service])
    await child._first((service.serving,), 60.0)
    assert service.said[1] == "i2s-sdk metrics is getting ready: since 0 s"


def test_the_last_progress_of_a_log_is_found_before_other_lines(tmp_path):
    log = tmp_path / "service.log"
    assert last_progress(log) == ""
    log.write_text('{"progress": "1 of 2"}\n{"progress": "2 of 2"}\n{"message": "m"}\nplain\n[1]\n')
    assert last_progress(log) == "2 of 2"
