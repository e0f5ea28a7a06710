"""The errors of statuses."""

from __future__ import annotations

import grpc

from i2s_client.errors import ServiceFaultError
from i2s_client.retry import deserves_another_attempt
from i2s_client.status import stream_error


def test_a_job_that_was_killed_each_time_is_a_fault_of_the_service_and_not_sent_again() -> None:
    error = stream_error(grpc.StatusCode.ABORTED, "killed, 3 times in a row", 0, "a:1", "RenderStream")
    assert isinstance(error, ServiceFaultError)
    assert not deserves_another_attempt(error)
    assert "killed, 3 times in a row" in error.message
    assert error.exit_code == 1
