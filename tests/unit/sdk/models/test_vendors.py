"""What a status means for the next attempt."""

from __future__ import annotations

import email.utils
import time

import pytest

from i2s_sdk.models.completion import ModelAccessError
from i2s_sdk.models.provider import (
    FaultError,
    InputRejectedError,
    RejectedError,
    ThrottledError,
)
from i2s_sdk.models.vendors import retry_after, status_error, transport_fault


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, InputRejectedError), (401, ModelAccessError), (402, ModelAccessError), (403, ModelAccessError),
     (404, ModelAccessError), (405, RejectedError), (408, FaultError), (409, FaultError), (425, FaultError),
     (413, InputRejectedError), (422, InputRejectedError), (429, ThrottledError), (500, FaultError),
     (502, FaultError), (503, FaultError), (529, FaultError), (302, FaultError)],
)  # fmt: skip
def test_each_status_has_one_meaning(status: int, kind: type[Exception]) -> None:
    assert type(status_error(status, {}, "why")) is kind


def test_an_empty_account_is_not_waited_for() -> None:
    assert isinstance(status_error(429, {}, "why", "insufficient_quota"), ModelAccessError)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({}, None), ({"retry-after": "3"}, 3.0), ({"retry-after": "0.5"}, 0.5), ({"retry-after": "-1"}, None),
     ({"retry-after": "soon"}, None), ({"retry-after": "nan"}, None), ({"retry-after": "inf"}, None),
     ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
     ({"retry-after-ms": "x", "retry-after": "1"}, 1.0),
     ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0)],
)  # fmt: skip
def test_retry_after_is_seconds(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_retry_after_may_be_a_date() -> None:
    later = email.utils.formatdate(time.time() + 100, usegmt=True)
    assert retry_after({"retry-after": later}) == pytest.approx(100, abs=30)


def test_what_a_server_said_is_one_bounded_line() -> None:
    error = status_error(500, {}, "<html>\n" + "x" * 5000)
    assert isinstance(error, FaultError)
    assert "\n" not in error.message
    assert len(error.message) < 330


def test_a_temperature_that_is_not_accepted_says_how_to_leave_it_out() -> None:
    error = status_error(400, {}, "Unsupported value: 'temperature'")
    assert isinstance(error, RejectedError)
    assert error.message.endswith("--temperature none leaves it to the server")


def test_faults_of_ours_are_not_taken_for_those_of_the_network() -> None:
    ours = KeyError("a")
    assert transport_fault(ours) is ours
    assert isinstance(transport_fault(ConnectionResetError("gone")), FaultError)
    assert isinstance(transport_fault(ours, KeyError), FaultError)


@pytest.mark.parametrize("status", [429, 408, 425, 500, 503])
def test_what_the_server_asks_for_is_in_the_failure(status: int) -> None:
    error = status_error(status, {"retry-after": "7"}, "why")
    assert isinstance(error, FaultError | ThrottledError)
    assert error.retry_after_seconds == 7.0


@pytest.mark.parametrize("name", ["top_p", "top_k", "topK", "repetition_penalty"])
def test_another_value_of_sampling_that_is_not_accepted_says_how_to_leave_it_out(name: str) -> None:
    error = status_error(400, {}, f"{name}: Extra inputs are not permitted")
    assert isinstance(error, RejectedError)
    assert error.message.endswith("--temperature none leaves all sampling to the server")


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (400, None, "Invalid image: cannot be decoded"),
        (400, "context_length_exceeded", "This model's maximum context length is 4096 tokens"),
        (400, None, "'max_tokens' is too large: 2000. This model's maximum context length is 4096 tokens"),
        (400, None, "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum"),
        (400, None, "prompt is too long: 210000 tokens > 200000 maximum"),
        (400, None, "At most 1 image(s) may be provided in one request."),
        (400, None, "The input token count (1200000) exceeds the maximum number of tokens allowed"),
        (400, None, "Bad Request"),
        (413, None, "Request Entity Too Large: max_tokens"),
        (422, None, "Unable to process input image"),
    ],
)
def test_a_server_that_rejects_one_input_is_told_from_one_that_rejects_every_request(
    status: int, code: str | None, message: str
) -> None:
    found = status_error(status, {}, message, code)
    assert isinstance(found, InputRejectedError)
    assert message in found.message


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (400, "unsupported_value", "'temperature' does not support 0 with this model."),
        (400, "unsupported_parameter", "Use the other one instead."),
        (400, None, "Unrecognized request argument supplied: top_k"),
        (400, None, "The model `x` does not exist or is not available"),
        (400, None, "API key not valid. Please pass a valid API key."),
        (400, None, "Your credit balance is too low to access the API."),
        (400, None, 'Invalid JSON payload received. Unknown name "top_k": Cannot find field.'),
        (422, None, "[{'loc': ['body', 'min_p'], 'msg': 'Extra inputs are not permitted'}]"),
        (405, None, "Method Not Allowed"),
    ],
)
def test_a_request_that_no_input_would_mend_is_no_rejected_input(
    status: int, code: str | None, message: str
) -> None:
    found = status_error(status, {}, message, code)
    assert isinstance(found, RejectedError)
    assert not isinstance(found, InputRejectedError)
