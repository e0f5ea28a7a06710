import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_metrics import frames
from i2s_metrics.model import Failure, FailureKind, Job, Profile, Score, SizePolicy, Value

jobs = st.builds(
    Job,
    st.binary(max_size=99),
    st.binary(max_size=99),
    st.sampled_from(SizePolicy),
    st.sampled_from(Profile),
    st.lists(st.text()).map(tuple),
)
numbers = st.floats(allow_nan=False)
outcomes = st.one_of(
    st.builds(Value, numbers, st.dictionaries(st.text(), numbers)),
    st.builds(Failure, st.sampled_from(FailureKind), st.text()),
)
scores = st.builds(Score, st.lists(outcomes).map(tuple), st.integers(0), st.integers(0), numbers)


@given(jobs)
def test_a_job_arrives_as_it_was_sent(job):
    assert frames.unpack_job(frames.pack_job(job)) == job


@given(scores)
def test_a_score_arrives_as_it_was_sent(score):
    assert frames.unpack_score(frames.pack_score(score)) == score


def test_infinite_values_survive():
    score = Score((Value(-math.inf),), 1, 1, 0.5)
    assert frames.unpack_score(frames.pack_score(score)) == score


def test_a_fault_is_raised_with_its_traceback():
    with pytest.raises(frames.WorkerError, match="line 3"):
        frames.unpack_score(frames.pack_fault("line 3"))


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"outcomes": [{"value": "1", "parts": {}}], "width": 1, "height": 1, "cpu_seconds": 0.1}',
        b'{"outcomes": [{"value": 1.0, "parts": []}], "width": 1, "height": 1, "cpu_seconds": 0.1}',
        b'{"outcomes": [{"kind": 99, "message": ""}], "width": 1, "height": 1, "cpu_seconds": 0.1}',
        b'{"outcomes": [3], "width": 1, "height": 1, "cpu_seconds": 0.1}',
    ],
)
def test_an_answer_that_makes_no_sense_is_a_fault_of_the_worker(answer):
    with pytest.raises(frames.WorkerError):
        frames.unpack_score(answer)


def test_frames_say_their_length():
    framed = frames.framed(b"abc")
    assert framed == frames.LENGTH.pack(3) + b"abc"
    assert json.loads(frames.pack_fault("x")) == {"fault": "x"}
