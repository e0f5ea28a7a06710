import asyncio
import gc
import json
import logging
import weakref

import pytest

from i2s_chassis.callers.audit import AuditEntry
from i2s_chassis.errors import Status
from i2s_chassis.server.logs import configure_logging, current_context, log_context


@pytest.fixture
def log(capsys):
    """Configure logging; returns what reads the lines written since."""
    root = logging.getLogger()
    before = root.handlers[:], root.level

    def configured(style: str, level: str = "info"):
        configure_logging("echo", level, style)
        return lambda: capsys.readouterr().err

    yield configured
    root.handlers[:], level = before
    root.setLevel(level)


def test_line_of_json_has_time_level_service_and_context(log):
    written = log("json")
    with log_context(request_id="r1", source_sha256="ab"):
        logging.getLogger("x.y").info("done in %d", 3, extra={"fields": {"seconds": 0.5}})
    line = json.loads(written())
    assert line.pop("time").endswith("+00:00")
    assert line == {
        **{"level": "info", "service": "echo", "logger": "x.y", "message": "done in 3"},
        **{"request_id": "r1", "source_sha256": "ab", "seconds": 0.5},
    }


def test_a_flood_of_refusals_is_ten_lines_and_their_number(log, monkeypatch):
    written, now = log("json"), [1000.0]

    class Record(logging.LogRecord):
        def __init__(self, *args, **named):
            super().__init__(*args, **named)
            self.created = now[0]

    monkeypatch.setattr(logging, "_logRecordFactory", Record)
    for _ in range(500):
        AuditEntry().log("call", Status.RESOURCE_EXHAUSTED, 0.0)
        AuditEntry(slot_seconds=1.0).log("call", Status.DEADLINE_EXCEEDED, 1.0)
    with log_context(caller="caller:b"):
        AuditEntry().log("call", Status.RESOURCE_EXHAUSTED, 0.0)
    now[0] += 61
    AuditEntry().log("call", Status.OK, 0.1)
    lines = [json.loads(line) for line in written().splitlines()]
    refused = [line for line in lines if line["status"] == "RESOURCE_EXHAUSTED"]
    assert len(refused) == 10 + 1 + 1
    assert [line["repeated"] for line in refused if "repeated" in line] == [490]
    assert sum(line["status"] == "DEADLINE_EXCEEDED" for line in lines) == 500, "work is never left out"


def test_equal_errors_have_ten_tracebacks_and_are_counted_at_the_end(log):
    written = log("json")
    for _ in range(30):
        try:
            raise ValueError("x")
        except ValueError:
            logging.getLogger("a").exception("unexpected failure")
    (handler,) = logging.getLogger().handlers
    handler.close()
    lines = [json.loads(line) for line in written().splitlines()]
    assert sum("traceback" in line for line in lines) == 10
    assert lines[-1]["repeated"] == 20


def test_a_message_that_is_no_text_is_a_line_and_an_error_keeps_nothing_alive(log):
    written = log("json")
    logging.getLogger("a").warning({"a": 1})
    assert json.loads(written())["message"] == "{'a': 1}"

    class Held:
        pass

    def fail():
        held = Held()
        references.append(weakref.ref(held))
        raise ValueError

    references = []
    for _ in range(15):
        try:
            fail()
        except ValueError:
            logging.getLogger("a").exception("failed")
    gc.collect()
    assert all(reference() is None for reference in references)


def test_context_cannot_forge_level_or_message(log):
    written = log("json")
    with log_context(message="forged", level="debug"):
        logging.getLogger().error("true")
    line = json.loads(written())
    assert (line["message"], line["level"]) == ("true", "error")


def test_hostile_value_stays_on_one_line_and_is_bounded(log):
    written = log("json")
    with log_context(name='x\n{"level":"error"}' + "y" * 10_000):
        logging.getLogger().info("named")
    text = written()
    assert text.count("\n") == 1
    assert len(text) < 3000
    written = log("text")
    with log_context(name="x\nERROR forged"):
        logging.getLogger().info("named")
    assert "\nERROR" not in written()


def test_traceback_is_a_field(log):
    written = log("json")
    try:
        raise KeyError("k")
    except KeyError:
        logging.getLogger().exception("failed")
    assert "KeyError: 'k'" in json.loads(written())["traceback"]


def test_text_is_for_people(log):
    written = log("text")
    with log_context(request_id="r1"):
        logging.getLogger().warning("careful")
    assert "WARNING careful request_id='r1'" in written()


def test_level_is_obeyed(log):
    written = log("json", "error")
    logging.getLogger().warning("unheard")
    assert written() == ""


async def test_context_follows_the_tasks_begun_in_it_and_no_others():
    async def seen() -> dict:
        return dict(current_context())

    with log_context(id="outer"):
        outer = asyncio.create_task(seen())
        with log_context(id="inner", more=1):
            inner = asyncio.create_task(seen())
    assert await outer == {"id": "outer"}
    assert await inner == {"id": "inner", "more": 1}
    assert await asyncio.create_task(seen()) == {}
