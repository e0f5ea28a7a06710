import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_metrics import frames
from i2s_metrics.model import ComparisonJob, Draft, Inputs, MetricValue, NetworkComparison
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import MetricFailure, MetricFailureKind, SizePolicy

jobs = st.builds(
    ComparisonJob,
    st.binary(max_size=99),
    st.binary(max_size=99),
    st.sampled_from(SizePolicy),
    st.sampled_from(Profile),
    st.lists(st.text()).map(tuple),
)
numbers = st.floats(allow_nan=False)
comparisons = st.sampled_from(NetworkComparison)
outcomes = st.one_of(
    comparisons.map(lambda kind: Inputs(kind, bytes(kind.nbytes), b"\x07" * kind.nbytes)),
    st.builds(MetricValue, numbers, st.dictionaries(st.text(), numbers)),
    st.builds(MetricFailure, st.sampled_from(MetricFailureKind), st.text()),
)
drafts = st.builds(Draft, st.lists(outcomes).map(tuple), st.integers(0), st.integers(0), numbers)


@given(jobs)
def test_a_job_arrives_as_it_was_sent(job):
    assert frames.unpack_job(frames.pack_job(job)) == job


@given(drafts)
def test_a_draft_arrives_as_it_was_sent(draft):
    assert frames.unpack_draft(frames.pack_draft(draft)) == draft


def test_pictures_for_networks_fit_into_an_answer():
    inputs = tuple(Inputs(kind, bytes(kind.nbytes), bytes(kind.nbytes)) for kind in NetworkComparison)
    assert len(frames.pack_draft(Draft(inputs, 1, 1, 0.0))) < frames.MOST_ANSWER_BYTES


def test_infinite_values_survive():
    draft = Draft((MetricValue(-math.inf),), 1, 1, 0.5)
    assert frames.unpack_draft(frames.pack_draft(draft)) == draft


def test_a_fault_is_raised_with_its_traceback():
    with pytest.raises(frames.WorkerError, match="line 3"):
        frames.unpack_draft(frames.pack_fault("line 3"))


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
        b'{"outcomes": [{"comparison": "lpips"}], "width": 1, "height": 1, "cpu_seconds": 0.1}',
        b'{"outcomes": [{"comparison": "love"}], "width": 1, "height": 1, "cpu_seconds": 0.1}',
    ],
)
def test_an_answer_that_makes_no_sense_is_a_fault_of_the_worker(answer):
    with pytest.raises(frames.WorkerError):
        frames.unpack_draft(frames.framed(answer))


@pytest.mark.parametrize(
    "frame", [b"", b"1234567", frames.framed(b"{}")[:-1], frames.LENGTH.pack(99) + b"{}"]
)
def test_a_frame_that_is_no_answer_is_a_fault_of_the_worker(frame):
    with pytest.raises(frames.WorkerError):
        frames.unpack_draft(frame)


def test_bytes_behind_an_answer_are_a_fault_of_the_worker():
    with pytest.raises(frames.WorkerError, match="longer"):
        frames.unpack_draft(frames.pack_draft(Draft((), 1, 1, 0.5)) + b"x")


def test_frames_say_their_length():
    framed = frames.framed(b"abc")
    assert framed == frames.LENGTH.pack(3) + b"abc"
    assert json.loads(frames.pack_fault("x")[frames.LENGTH.size :]) == {"fault": "x"}
