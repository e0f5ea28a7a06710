"""The vendors of models, and the base of the providers that ask their servers.

A provider of a vendor says what a request has and how a response is read, of single calls and of batches. The
rest is here: address, key and package, clients and their connections, and the outcome of a failed request by
its status, its headers and the words of the server.
"""

from __future__ import annotations

import abc
import asyncio
import contextlib
import email.utils
import importlib
import json
import math
import os
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from http import HTTPStatus
from types import ModuleType
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from i2s_sdk.errors import I2SError, UsageError, require_package
from i2s_sdk.json_text import read_json
from i2s_sdk.models.completion import ModelAccessError
from i2s_sdk.models.completion_bound import (
    TOO_LONG,
    AnswerTooLongError,
    LongLine,
    bounded_lines,
    most_bytes,
    read_bounded,
)
from i2s_sdk.models.options import ModelOptions, public_address
from i2s_sdk.models.provider import (
    Answer,
    AttemptError,
    FaultError,
    InputRejectedError,
    ModelProvider,
    RejectedError,
    ThrottledError,
    one_line,
)
from i2s_sdk.models.question import ReadQuestion

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


#: Sent where a server of one's own wants no key; its protocol wants some.
NO_KEY = "none"


@dataclass(frozen=True, slots=True)
class Vendor:
    """A vendor."""

    base_url: str  #: address of its own server
    keys: tuple[str, ...]  #: environment variables that hold the key; the first that is set counts
    package: str  #: its SDK, as it is imported
    extra: str  #: the extra of i2s-sdk that installs the package

    def is_own(self, base_url: str) -> bool:
        """Return whether an address is that of its own server."""
        return base_url.rstrip("/") == self.base_url

    def key(self, model: str, options: ModelOptions) -> str:
        """Return the key of a model.

        The key of a vendor is for the vendor; a server of another address gets it only by ``key_env``.

        Args:
            model: Model as the user named it.
            options: Options with address and variable, if they are not the vendor's.

        Raises:
            UsageError: The variable is not set; says the command that sets it.
        """
        if options.key_env is None and not self.is_own(options.base_url or self.base_url):
            return NO_KEY
        names = (options.key_env,) if options.key_env else self.keys
        for name in names:
            if os.environ.get(name):
                return os.environ[name]
        raise UsageError(f"model {model!r} needs a key: export {names[0]}=YOUR_KEY")

    def key_hint(self, options: ModelOptions) -> str:
        """Return the advice for a server that does not accept the key or the name."""
        if options.key_env:
            return f"; the key is that of {options.key_env}"
        if options.base_url and not self.is_own(options.base_url):
            return "; no key was sent: name the variable that holds it with --key-env NAME"
        return f"; the key is that of {' or '.join(self.keys)}"


VENDORS: Mapping[str, Vendor] = {
    "openai": Vendor("https://api.openai.com/v1", ("OPENAI_API_KEY",), "openai", "openai"),
    "anthropic": Vendor("https://api.anthropic.com", ("ANTHROPIC_API_KEY",), "anthropic", "anthropic"),
    "google": Vendor(
        "https://generativelanguage.googleapis.com",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "google.genai",
        "google",
    ),
}


def require_temperature_or_top_p(name: str, options: ModelOptions) -> None:
    """Check the options of a model that refuses top_p together with a temperature, as those of Anthropic do.

    Raises:
        UsageError: Both are given.
    """
    if options.top_p is not None and options.temperature is not None:
        raise UsageError(f"model {name!r} takes one of the two: give --top-p with --temperature none")


C = TypeVar("C")


class PerLoop(Generic[C]):
    """Makes a client when a loop first needs one.

    Args:
        make: The function that makes a client.
        close: Closes it.
    """

    def __init__(self, make: Callable[[], C], close: Callable[[C], Awaitable[object]]) -> None:
        self._make, self._close = make, close
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, C] = WeakKeyDictionary()

    def get(self) -> C:
        """Return the client of the running loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = self._make()
        return self._clients[loop]

    async def close(self) -> None:
        """Close the client of the running loop, if there is one."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await self._close(client)


class StreamedResponse(Protocol):
    """A response whose body is read in chunks, as the vendors' packages have it."""

    def iter_bytes(self) -> AsyncIterator[bytes]:
        """Yield the chunks of the body."""
        ...


#: A request of a vendor's package, whose response is open within the block.
ResponseContext = AbstractAsyncContextManager[StreamedResponse]


class ClientProvider(ModelProvider, Generic[C]):
    """Asks a server through a package that holds connections, one client of it for each event loop.

    The retries of the package are off, since retries are made in one place.

    Args:
        model: Name of the model, as the server has it.
        options: Options of the calls.
    """

    repeatable = True
    hint = ""  #: what to do if the server does not accept the key or the name

    def __init__(self, model: str, options: ModelOptions) -> None:
        self.model, self.options = model, options
        self.parameters = options.parameters
        self.clients: PerLoop[C] = PerLoop(self.open_client, self.close_client)

    @abc.abstractmethod
    def open_client(self) -> C:
        """Return a client of the package."""

    @abc.abstractmethod
    async def close_client(self, client: C) -> None:
        """Close the connections of a client."""

    @abc.abstractmethod
    async def answer(self, question: ReadQuestion) -> Answer:
        """Return the answer to a question; any exception of the package ends the attempt.

        Raises:
            AnswerTooLongError: The response is longer than a completion can be.
            AttemptError: The response holds no answer.
        """

    @abc.abstractmethod
    def http_failure(self, error: Exception) -> HttpFailure | None:
        """Return the response that an exception of the package stands for; None if it is another failure."""

    def connection_errors(self) -> tuple[type[Exception], ...]:
        """Return the exceptions of the package that say that the server was not reached or was too slow."""
        return ()

    def refusal(self, failure: HttpFailure) -> Answer | None:
        """Return the answer if a filter refuses the question itself; None for any other failure."""
        return None

    def error_of(self, error: Exception) -> Exception:
        """Return the AttemptError or ModelAccessError of an exception of the package; all else as it is."""
        failure = self.http_failure(error)
        if failure is not None:
            return status_error(failure.status, failure.headers, failure.words, failure.code, hint=self.hint)
        return transport_fault(error, *self.connection_errors())

    async def ask(self, question: ReadQuestion) -> Answer:
        """Make one attempt; see ``Provider``."""
        try:
            return await self.answer(question)
        except AnswerTooLongError:
            return TOO_LONG
        except (AttemptError, ModelAccessError):
            raise
        except Exception as error:
            failure = self.http_failure(error)
            refused = self.refusal(failure) if failure is not None else None
            if refused is None:
                raise self.error_of(error) from None
            return refused

    async def close(self) -> None:
        """Close the connections."""
        await self.clients.close()


class VendorProvider(ClientProvider[C]):
    """Asks a model of a vendor in ``VENDORS``, or of another server with the same protocol.

    Args:
        model: Name of the model, as the server has it.
        options: Options of the calls.

    Raises:
        UsageError: The package or the key is missing.
    """

    preflight = True

    def __init__(self, model: str, options: ModelOptions) -> None:
        super().__init__(model, options)
        vendor, name = VENDORS[self.vendor], f"{self.vendor}/{model}"
        require_package(vendor.package, vendor.extra, f"model {name!r}")
        self.address, self.key = options.base_url or vendor.base_url, vendor.key(name, options)
        self.base_url = public_address(self.address)
        self.is_vendors_own = vendor.is_own(self.base_url)
        self.hint = vendor.key_hint(options)


class Closable(Protocol):
    """A client with connections."""

    async def close(self) -> None:
        """Close them."""


S = TypeVar("S", bound=Closable)


class StainlessProvider(VendorProvider[S]):
    """Asks through a package of the generator Stainless, as OpenAI's and Anthropic's are.

    Their clients, exceptions and streamed responses are alike, so that they are handled here.
    """

    @property
    def _package(self) -> ModuleType:
        return importlib.import_module(VENDORS[self.vendor].package)

    def client_arguments(self) -> dict[str, Any]:
        """Return the arguments of a client of the package."""
        from i2s_client.connection import is_loopback  # which imports gRPC

        options = self.options
        timeout = self._package.Timeout(options.longest_attempt_seconds, connect=options.call_seconds)
        arguments = {"api_key": self.key, "base_url": self.address, "timeout": timeout, "max_retries": 0}
        if is_loopback(f"{urlsplit(self.base_url).hostname}:"):  # no proxy of the environment is asked
            direct = dict.fromkeys(("all://", "http://", "https://"))  # Anthropic's reads proxies in any case
            arguments["http_client"] = self._package.DefaultAsyncHttpxClient(trust_env=False, mounts=direct)
        return arguments

    async def close_client(self, client: S) -> None:
        """Close the connections of a client."""
        await client.close()

    @abc.abstractmethod
    def request(self, question: ReadQuestion) -> dict[str, Any]:
        """Return the request of a question, as arguments of the vendor's package."""

    @abc.abstractmethod
    def batch_api(self) -> BatchApi:
        """Return the batch API of the vendor."""

    async def body(self, response: ResponseContext) -> str:
        """Return the body of a response.

        Raises:
            AnswerTooLongError: It is longer than a completion can be.
        """
        async with response as raw:
            read = await read_bounded(raw.iter_bytes(), most_bytes(self.options.completion_characters))
        return read.decode("utf-8", "replace")

    def http_failure(self, error: Exception) -> HttpFailure | None:
        """Return the response that an exception of the package stands for."""
        if not isinstance(error, self._package.APIStatusError):
            return None
        words, code = server_words(error.body, error.message), self.error_code(error.body)
        return HttpFailure(error.status_code, words, error.response.headers, code)

    def error_code(self, body: object) -> object:
        """Return the server's own name of a failure, if it has one."""
        return None

    def connection_errors(self) -> tuple[type[Exception], ...]:
        """Return the exceptions of the package that say that the server was not reached."""
        return (self._package.APIConnectionError,)


class BatchGoneError(FaultError):
    """The vendor does not know a batch any more."""


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """One question of a batch."""

    key: str  #: the name of the question in the batch: its SHA-256, see ``question_key``
    body: dict[str, Any]  #: the request as of a single call, without its fields of HTTP
    headers: dict[str, str]  #: headers that a single call would have beside the usual ones


@dataclass(frozen=True, slots=True)
class BatchState:
    """The state of a batch."""

    ended: bool  #: whether there is nothing to wait for any more
    answered: int  #: number of questions that are answered, or have failed
    fault: AttemptError | None = None  #: why the batch failed as a whole; None if it did not


#: The result of one question.
BatchResult = Answer | AttemptError


class BatchApi(abc.ABC):
    """The batch API of a vendor. Exceptions of the vendor's package pass; see ``failures`` and ``results``.

    Args:
        provider: The provider of single calls whose requests are sent, and which has the connections.
    """

    most_bytes: int  #: the most bytes of the requests of a batch
    most_requests: int  #: the most requests of a batch

    def __init__(self, provider: StainlessProvider[Any]) -> None:
        self.provider = provider

    @abc.abstractmethod
    async def send(self, name: str, requests: Sequence[BatchRequest]) -> str:
        """Send a batch and return its id.

        Args:
            name: A name of our own for it, by which ``find`` can find it.
            requests: The questions; their keys differ.
        """

    async def find(self, name: str) -> str | None:
        """Return the id of a batch that was sent with a name; None if the vendor knows none, or no names."""
        return None

    @abc.abstractmethod
    async def state(self, batch: str) -> BatchState:
        """Return the state of a batch."""

    @abc.abstractmethod
    def streams(self, batch: str) -> AsyncIterator[ResponseContext]:
        """Yield the files of JSON lines with the results of a batch that has ended."""

    @abc.abstractmethod
    def result(self, line: dict[str, Any]) -> BatchResult:
        """Return the result of the question of a line.

        Raises:
            AttemptError: It holds no answer.
        """

    @contextlib.contextmanager
    def failures(self, batch: str = "") -> Iterator[None]:
        """Raise what an exception of the vendor's package means, in place of it.

        Args:
            batch: The batch that is asked about; empty if there is none yet.

        Raises:
            BatchGoneError: The vendor does not know the batch any more.
            AttemptError: There was no answer.
            ModelAccessError: There will be none.
        """
        try:
            yield
        except (AttemptError, I2SError):
            raise
        except Exception as error:
            failure = self.provider.http_failure(error)
            if batch and failure is not None and failure.status == HTTPStatus.NOT_FOUND:
                raise BatchGoneError(f"the batch {batch} is not known any more") from None
            raise self.provider.error_of(error) from None

    async def results(self, batch: str) -> AsyncIterator[tuple[str, BatchResult]]:
        """Yield the result of each question of a batch that has ended, by its key; fails as ``failures``."""
        with self.failures(batch):
            async for stream in self.streams(batch):
                async with stream as raw:
                    most = self.provider.options.completion_characters
                    async for line in bounded_lines(raw.iter_bytes(), most):
                        if line:
                            yield self._read_result(line)

    def _read_result(self, line: bytes | LongLine) -> tuple[str, BatchResult]:
        """Return the key of the question of a line, and its result.

        Raises:
            FaultError: The line is not that of a result.
        """
        if isinstance(line, LongLine):
            return line.texts.get("custom_id", ""), TOO_LONG
        try:
            entry = read_json(line)
        except ValueError:
            entry = None
        match entry:
            case {"custom_id": str(key)}:
                try:
                    return key, self.result(entry)
                except AttemptError as error:
                    return key, error
        said = one_line(line[:200].decode("utf-8", "replace"), 80)
        raise FaultError(f"a line of the results is none: {said!r}")
