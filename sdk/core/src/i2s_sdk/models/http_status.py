"""The outcome of an attempt by the response of a model's server: statuses, their headers and words."""

from __future__ import annotations

import email.utils
import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from i2s_sdk.models.errors import ModelAccessError
from i2s_sdk.models.provider import (
    AttemptError,
    FaultError,
    InputRejectedError,
    RejectedError,
    ThrottledError,
    one_line,
)

#: Codes of 429 that no pause mends.
_NO_MONEY = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
#: Parameters that some servers refuse, as they or their vendors write them.
_FURTHER_SAMPLING = re.compile("top_?[pk]|repetition_?penalty", re.IGNORECASE)
_LATER = frozenset({408, 409, 425})
#: Statuses by which a server rejects one input, unless it says that no request of this form is accepted.
_OF_AN_INPUT = frozenset({400, 413, 422})
#: Codes of errors that every request of the same form would have.
_CODES_OF_ALL = frozenset(
    {"unknown_parameter", "unsupported_parameter", "unsupported_value", "model_not_found", "invalid_api_key"}
)
#: Words by which servers say that the length or an image of this input is at fault.
_INPUT_WORDS = re.compile(
    r"\bcontext\b|\bmessages?[.\[]|\bimages?\b|\btoo long\b|input (length|token)",
    re.IGNORECASE,
)
#: Words by which servers say that a parameter, the model or the account is at fault, whatever the input.
_REQUEST_WORDS = re.compile(
    r"unrecognized|unknown (name|parameter|field|argument)|unsupported (parameter|value)"
    r"|extra (inputs|fields)|unexpected (keyword|field|argument)|not permitted|api key|credit|billing|quota"
    r"|\bmodel\b.{0,120}\b(not (found|exist|supported|available)|deprecated|retired)|no such model"
    r"|temperature|top_?[pk]\b|repetition_?penalty|max_?(completion_?|output_?)?tokens|response_?format"
    r"|json_?schema|reasoning_?effort|user location",
    re.IGNORECASE,
)
_NOBODY = {
    401: "the key is not accepted",
    402: "the account has to be paid",
    403: "the key may not use this model",
    404: "there is no such model or no such address",
}


@dataclass(frozen=True, slots=True)
class HttpFailure:
    """A response with a status other than 2xx."""

    status: int  #: the status code of HTTP
    words: str  #: what the server says
    headers: Mapping[str, str] = field(default_factory=dict)
    code: object = None  #: the server's own name of the failure, if it has one


def status_error(
    status: int,
    headers: Mapping[str, str],
    message: object,
    code: object = None,
    *,
    hint: str = "",
) -> AttemptError | ModelAccessError:
    """Return the error of an attempt that was answered with a status other than 2xx.

    Args:
        status: The status code of HTTP.
        headers: Headers of the answer.
        message: What the server said.
        code: The server's own name of the failure, if it has one.
        hint: What a person can do if the key or the name is wrong.
    """
    said = one_line(message)
    if status in _NOBODY:
        return ModelAccessError(f"{_NOBODY[status]} (HTTP {status}: {said}){hint}")
    if status == 429 and code in _NO_MONEY:
        return ModelAccessError(f"the account has no more to spend (HTTP 429: {said})")
    line = f"HTTP {status}: {said}"
    if status == 429:
        return ThrottledError(line, retry_after(headers))
    if status in _LATER or not 400 <= status < 500:
        return FaultError(line, retry_after(headers))
    if "temperature" in line:
        line += "; --temperature none leaves it to the server"
    elif _FURTHER_SAMPLING.search(line):
        line += "; --temperature none leaves all sampling to the server"
    return InputRejectedError(line) if rejects_input(status, said, code) else RejectedError(line)


def rejects_input(status: int, message: str, code: object = None) -> bool:
    """Return whether a server rejects one input, rather than every request of its form.

    The protocols do not tell the two apart, so that the words decide: a message that names a parameter, the
    model or the account is about every request; what names a length or an image, or nothing of both, is about
    the input.

    Args:
        status: The status code of HTTP.
        message: What the server said.
        code: The server's own name of the failure, if it has one.
    """
    if status not in _OF_AN_INPUT or code in _CODES_OF_ALL:
        return False
    if status == 413 or _INPUT_WORDS.search(message):
        return True
    return not _REQUEST_WORDS.search(message)


def server_words(body: object, otherwise: object) -> str:
    """Return the words of a server about a failure, in the forms that servers of all protocols have.

    Args:
        body: The body of the answer: a text, or what its JSON holds.
        otherwise: What to return if it says nothing.
    """
    match body:
        case (
            {"error": {"message": str(words)}} | {"message": str(words)} | {"error": str(words)} | str(words)
        ):
            pass
        case {**rest} if rest:
            words = json.dumps(rest)
        case _:
            words = ""
    return words.strip() or str(otherwise)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that ``Retry-After`` (RFC 9110: seconds or a date) or ``retry-after-ms`` ask for."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        seconds = _seconds(text, scale)
        if seconds is not None:
            return seconds
    return None


def _seconds(text: str, scale: float) -> float | None:
    try:
        seconds = float(text) * scale
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
        return max(0.0, seconds)
    return seconds if 0 <= seconds < math.inf else None


#: The packages by which the vendors' packages reach a server.
_TRANSPORTS = frozenset({"httpx", "httpx2", "httpcore", "httpcore2", "h11", "aiohttp"})


def transport_fault(error: Exception, *known: type[Exception]) -> Exception:
    """Return a failure below HTTP as a fault that deserves another attempt; all else as it is.

    Args:
        error: The exception that was raised by a vendor's package.
        known: Exceptions by which that package says that there was no connection or no answer in time.
    """
    below = type(error).__module__.partition(".")[0] in _TRANSPORTS
    if not below and not isinstance(error, (*known, OSError, TimeoutError)):
        return error
    cause = error.__cause__ or error
    return FaultError(f"no connection, or it was lost: {type(cause).__name__}: {one_line(cause)}")


#: The message about a stream of a protocol of which none is read.
STREAMED = "the server streams its answer although it was not asked to: turn that off there"

#: Beginnings of the lines of an event stream.
_EVENT_FIELDS = ("data:", "event:", "id:", "retry:", ":")


def is_event_stream(body: str) -> bool:
    """Return whether a body is an event stream (server-sent events) rather than one JSON value."""
    return body.lstrip().startswith(_EVENT_FIELDS)
