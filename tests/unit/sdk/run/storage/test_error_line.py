"""The line of an answer in the line of a record."""

from __future__ import annotations

import json

from i2s_sdk.run.storage.codec import read_record, record_line
from i2s_sdk.run.storage.record import FirstError, Outcome
from sample_records import flat_record


def test_a_record_has_the_line_of_the_answer_if_it_is_known_and_earlier_ones_are_read() -> None:
    known, unknown = (FirstError("Undefined", "OTHER", 163, own) for own in (2, 0))
    plain = {"message": "Undefined", "kind": "OTHER", "line": 163}
    for error, fields in ((known, plain | {"answer_line": 2}), (unknown, plain)):
        record = flat_record("a", "latex", "equation", "", outcome=Outcome.SCORED, error=error)
        line = json.loads(json.dumps(record_line(record)))
        assert line["error"] == fields
        assert read_record(line) == record
