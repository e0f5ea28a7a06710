import math

import pytest

from i2s_metrics.frames import WorkerError
from i2s_metrics.model import NetworkComparison
from i2s_metrics.networks import messages
from i2s_metrics.networks.messages import Description, NetworkAnswer


@pytest.mark.parametrize("comparison", NetworkComparison)
def test_a_request_arrives_as_it_was_sent(comparison, drawn):
    inputs = drawn(comparison)
    assert messages.unpack_request(messages.pack_request(7, inputs)) == (7, inputs)


def test_a_drop_is_a_request_without_inputs():
    assert messages.unpack_request(messages.pack_drop(7)) == (7, None)


def test_answers_faults_and_descriptions_arrive_as_they_were_sent():
    assert messages.unpack_answer(messages.pack_answer(3, NetworkAnswer(0.25, 0.1))) == (
        3,
        NetworkAnswer(0.25, 0.1),
    )
    number, answer = messages.unpack_answer(messages.pack_answer(3, NetworkAnswer(math.nan, 0.1)))
    assert number == 3
    assert math.isnan(answer.value)
    number, fault = messages.unpack_answer(messages.pack_fault("line 3", 4))
    assert (number, str(fault)) == (4, "line 3")
    description = Description("cuda:0 (X)", "float32")
    assert messages.unpack_description(messages.pack_description(description)) == description
    with pytest.raises(WorkerError, match="no GPU"):
        messages.unpack_description(messages.pack_fault("no GPU"))


@pytest.mark.parametrize(
    "frame",
    [b"", b"[]", b"{}", b'{"number": 1}', b'{"number": 1, "value": "1", "cpu_seconds": 0.1}', b"\xff"],
)
def test_an_answer_that_makes_no_sense_is_a_fault(frame):
    with pytest.raises(WorkerError):
        messages.unpack_answer(frame)
