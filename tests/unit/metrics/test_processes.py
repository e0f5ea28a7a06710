"""What worker processes write to standard error stands in the log: printable, and no more than a limit."""

from __future__ import annotations

import pytest

from i2s_metrics.processes import ErrorLog, printable

HOSTILE = b'\x1b]0;owned\x07 \xff\xc2\x9b31m \xe2\x80\xaetxt\r{"level": 1}'


@pytest.fixture
def logged(caplog):
    """Returns what stands in the log: fields of each record."""
    return lambda: [record.fields for record in caplog.records if hasattr(record, "fields")]


def test_lines_are_logged_one_by_one(logged):
    log = ErrorLog(7, 1000)
    for part in (b"one\ntw", b"o\n", b"\nlast"):
        log.write(part)
    log.close()
    assert logged() == [{"pid": 7, "text": text} for text in ("one", "two", "last")]


def test_nothing_that_steers_a_terminal_or_ends_a_line_comes_through():
    assert printable(HOSTILE) == r'\x1b]0;owned\x07 \xff\x9b31m \u202etxt\r{"level": 1}'


def test_a_flood_is_bounded_and_counted(logged):
    now = [0.0]
    log = ErrorLog(7, 3000, clock=lambda: now[0])
    for _ in range(100):
        log.write(b"x" * 1000)
    assert sum(len(fields["text"]) for fields in logged()) <= 3000
    now[0] = 60.0
    log.write(b"later\n")
    log.close()
    texts = [fields.get("text", "") for fields in logged()]
    assert sum(map(len, texts)) == 3000 + len("later")
    assert {"pid": 7, "discarded_bytes": 97_000} in logged()


def test_of_nothing_that_may_be_logged_the_number_of_bytes_is(logged):
    log = ErrorLog(7, 0)
    log.write(b"12345\n")
    log.close()
    assert logged() == [{"pid": 7, "discarded_bytes": 6}]
