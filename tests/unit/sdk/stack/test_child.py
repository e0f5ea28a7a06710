"""A start that takes long says how far the service is; one that dies each time leaves the others alone."""

import asyncio
import json
import logging
import sys

import pytest

from i2s_sdk.errors import ServiceStartError
from i2s_sdk.stack import child as child_module
from i2s_sdk.stack.child import Child, bound_log, last_progress, local_services, open_private
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
    monkeypatch.setattr(child_module, "QUIET_SECONDS", 0.001)
    child = Child(ServiceCommand("render-latex", None, program=("true",)), tmp_path)
    lines = [json.dumps({"progress": f"files read: {done} of 2"}) + "\n" for done in (1, 2)]
    service = Service(child, lines)
    monkeypatch.setattr(child_module._log, "handlers", [service])
    await child._first((service.serving,), 60.0)
    first, *then = service.said
    assert first == f"i2s-sdk render-latex is getting ready (log: {child.log})"
    assert then == [
        "i2s-sdk render-latex is getting ready: files read: 1 of 2",
        "i2s-sdk render-latex is getting ready: files read: 2 of 2",
    ]


async def test_without_progress_the_time_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(child_module, "QUIET_SECONDS", 0.001)
    monkeypatch.setattr(child_module, "SILENT_SECONDS", 0.0)
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


#: Serves once a file is there, and ends before.
_SERVICE = """
import json, os, pathlib, signal, sys
if not pathlib.Path(sys.argv[1]).exists():
    sys.exit("there is no file")
announce = pathlib.Path(sys.argv[sys.argv.index("--announce") + 1])
announce.with_suffix(".new").write_text(json.dumps({"address": "127.0.0.1:1", "pid": os.getpid()}))
announce.with_suffix(".new").replace(announce)
signal.pause()
"""


def service(name, file):
    return ServiceCommand(name, None, program=(sys.executable, "-c", _SERVICE, str(file)))


@pytest.fixture
def without_pauses(monkeypatch):
    monkeypatch.setattr(child_module, "_pause", lambda deaths: 0.0)


async def test_a_service_that_dies_at_each_start_is_named_and_tried_again(tmp_path, without_pauses):
    here, later = tmp_path / "here", tmp_path / "later"
    here.touch()
    told, again, back = [], asyncio.Event(), asyncio.Event()

    def failing(name, reason):
        told.append((name, reason))
        (back if reason is None else again).set()

    commands = [service("good", here), service("bad", later)]
    async with local_services(commands, tmp_path / "logs", 60.0, on_failing=failing) as children:
        assert set(children) == {"good", "bad"}
        good = children["good"].pid
        again.clear()
        await again.wait()  # at least the second time
        later.touch()
        await back.wait()
        assert children["good"].pid == good
        assert children["bad"].address == "127.0.0.1:1"
    (name, reason), *_, last = told
    assert name == "bad"
    assert "ended with exit code 1 before it served" in reason
    assert "there is no file" in reason
    assert last == ("bad", None)


async def test_if_no_service_can_be_started_the_start_ends(tmp_path, without_pauses):
    commands = [service("bad", tmp_path / "nothing")]
    with pytest.raises(ServiceStartError, match="ended with exit code 1"):
        async with local_services(commands, tmp_path / "logs", 60.0, on_failing=lambda *_: None):
            raise AssertionError("nothing serves")


async def test_without_anyone_to_tell_a_service_that_dies_again_and_again_ends_the_block(
    tmp_path, without_pauses
):
    here = tmp_path / "here"
    here.touch()

    async def hold():
        async with local_services([service("good", here)], tmp_path / "logs", 60.0) as children:
            here.unlink()
            children["good"]._process.kill()
            await asyncio.Event().wait()

    with pytest.raises(ServiceStartError, match="died 6 times in a row"):
        await hold()


def test_a_log_that_is_too_long_begins_anew_and_one_before_is_kept(tmp_path):
    log = tmp_path / "a.log"
    with open(log, "ab", opener=open_private) as writer:
        for text in (b"first", b"second", b"third"):
            writer.write(text)
            writer.flush()
            bound_log(log, most=4)
        writer.write(b"4th")
        writer.flush()
        bound_log(log, most=4)
    before = tmp_path / "a.log.1"
    assert (log.read_bytes(), before.read_bytes()) == (b"4th", b"third")
    assert {one.stat().st_mode & 0o777 for one in (log, before)} == {0o600}
