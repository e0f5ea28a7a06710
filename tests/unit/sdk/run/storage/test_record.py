"""Records as lines of JSON."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.run.storage.codec import read_record, record_line
from i2s_sdk.run.storage.record import Failure, FirstError, Outcome, Record, RepairNote, TokenUsage
from i2s_wire.render.rendering import Verdict
from sample_records import flat_record

TEXT = st.text(max_size=20)
SHARE = st.floats(-10, 10)
RECORDS = st.builds(
    flat_record,
    id=TEXT,
    task=TEXT,
    subset=TEXT,
    difficulty=TEXT,
    outcome=st.sampled_from(Outcome),
    verdict=st.none() | st.sampled_from(Verdict),
    verdict_before_repair=st.none() | st.sampled_from(Verdict),
    metrics=st.dictionaries(TEXT, st.none() | SHARE, max_size=3),
    undefined=st.dictionaries(TEXT, TEXT, max_size=2),
    repairs=st.lists(st.builds(RepairNote, TEXT, TEXT, TEXT), max_size=3).map(tuple),
    message=TEXT,
    error=st.none() | st.builds(FirstError, TEXT, TEXT, st.integers(0, 9)),
    completion=st.none() | TEXT,
    structure=st.none() | TEXT,
    failure=st.none() | st.builds(Failure, TEXT, TEXT),
    reference_sha256=TEXT,
    rendering_sha256=TEXT,
    document_sha256=TEXT,
    width=st.integers(0, 9),
    height=st.integers(0, 9),
    pages=st.integers(0, 9),
    engine_digest=TEXT,
    isolation=TEXT,
    seconds=st.dictionaries(st.sampled_from(("generate", "render", "score")), SHARE),
    finish=TEXT,
    usage=st.builds(TokenUsage, st.none() | st.integers(0, 9), st.none() | st.integers(0, 9)),
    cost=st.none() | SHARE,
    cached=st.booleans(),
    attempts=st.integers(0, 9),
)


@given(RECORDS)
def test_a_record_survives_its_line(record: Record) -> None:
    line = json.dumps(record_line(record))
    assert "\n" not in line
    assert read_record(json.loads(line)) == record


def test_a_field_of_a_later_version_is_left_out() -> None:
    record = flat_record("a", "latex", "equation", "", outcome=Outcome.CANCELLED)
    assert read_record({**record_line(record), "mood": 1.5}) == record
