"""Records what became of every source that a test of the security suite has rendered, converted or built.

I2S_RECORD_VERDICTS names the file that gets a line of JSON for each result; if it is unset, nothing changes.
Tests call engines in their own process, and services by the stub of gRPC: there the results are taken.
"""

from __future__ import annotations

import contextvars
import functools
import hashlib
import json
import os
import re
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

VARIABLE = "I2S_RECORD_VERDICTS"
#: Variable with what stands in place of the kind of user, such as "container".
USER = "I2S_RECORD_USER"
#: Methods whose results are recorded, by their module.
METHODS = {
    "i2s_render_latex.engine": "LatexRenderer.render",
    "i2s_render_html.engine": "HtmlEngine.render",
    "i2s_render_html.jekyll.builder": "JekyllBuilder.build",
    "i2s_render_lilypond.engine": "LilypondEngine.render",
    "i2s_render_python.engine": "PythonEngine.render",
    "i2s_documents.conversion": "Converter.convert",
    "i2s_documents.pages": "PageRenderer.draw",
}
STUB = ("i2s.render.v1.render_pb2_grpc", "RenderServiceStub")
#: Mark of a test whose results may differ between two runs on one machine, with the reason.
RACING = "racing"

_TIERS = ("namespace", "landlock", "strongest")
_LIMIT = re.compile(r"limit of .*?(CPU seconds|on the clock|bytes of memory|processes|files)|(signal \w+)")
#: Names of temporary folders and ports of the loopback that attacks aim at, which differ in each run.
_AIMS = re.compile(rb"(?:i2s-nobody-[a-z0-9_]{8}/)?i2s-[a-z]+-[a-z0-9_]{8}|(?<=127\.0\.0\.1:)\d+")
_inside = contextvars.ContextVar("inside", default=False)


@dataclass(frozen=True)
class Outcome:
    """What became of one source.

    Attributes:
        verdict: Name of the verdict, of the exception or of the status.
        limit: Limit or signal that ended it, as far as it is named; else empty.
        pictures: SHA-256 of each image, or of what there is in place of images.
    """

    verdict: str
    limit: str = ""
    pictures: tuple[str, ...] = ()


def outcomes(result: Any) -> Iterator[Outcome]:
    """Yield what a result of a renderer, a converter or a builder says; nothing if it has no verdict."""
    if hasattr(result, "converted"):
        for one in result.converted:
            verdict = "CONVERTED" if one.verdict is None else one.verdict.name
            # Pandoc breaks lines at a width, so the length of what an attack aims at decides where they end.
            html = () if one.html is None else (b" ".join(_AIMS.sub(b"AIM", one.html.encode()).split()),)
            yield Outcome(verdict, _limit(one.reason), _digests(html))
    elif hasattr(result, "cause"):
        built = sorted((result.files or {}).items())
        yield Outcome(
            result.cause.name, "", _digests_of_texts(f"{name}\0".encode() + text for name, text in built)
        )
    elif hasattr(result, "verdict"):
        pages = [page.image for page in result.pages] if hasattr(result, "pages") else _pngs(result)
        yield Outcome(_verdict_name(result), _limit(result.message), _digests(pages))


def _pngs(result: Any) -> list[bytes]:
    return [picture.png for picture in result.pictures]


def _verdict_name(result: Any) -> str:
    if hasattr(result.verdict, "name"):
        return str(result.verdict.name)
    name: str = result.DESCRIPTOR.fields_by_name["verdict"].enum_type.values_by_number[result.verdict].name
    return name.removeprefix("VERDICT_")


def _limit(message: str) -> str:
    found = _LIMIT.search(message)
    return (found[1] or found[2]) if found else ""


def _digests(contents: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(hashlib.sha256(one).hexdigest() for one in contents)


def _digests_of_texts(texts: Iterable[bytes]) -> tuple[str, ...]:
    return _digests(_AIMS.sub(b"AIM", text) for text in texts)


@dataclass(frozen=True)
class RecordedTest:
    """A test, as it is recorded.

    Attributes:
        name: Its identifier without the tier.
        tier: Tier of its parameters; empty if they have none.
        racing: Reason why its verdicts may differ between two runs; empty if they may not.
    """

    name: str
    tier: str
    racing: str = ""


def recorded_test(item: pytest.Item) -> RecordedTest:
    """Return how a test is recorded."""
    name, bracket, parameters = item.nodeid.partition("[")
    words = parameters.removesuffix("]").split("-")
    tier = next((word for word in words if word in _TIERS), "")
    if tier:
        words.remove(tier)
    mark = item.get_closest_marker(RACING)
    racing = str(mark.args[0]) if mark is not None else ""
    return RecordedTest(name + (f"[{'-'.join(words)}]" if bracket and words else ""), tier, racing)


class Recorder:
    """Appends results to a file while a test runs; what fixtures render is not recorded."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._test: RecordedTest | None = None
        self._calls = 0

    def begin(self, test: RecordedTest) -> None:
        """Take what follows for results of a test."""
        self._test, self._calls = test, 0

    def end(self) -> None:
        """Record nothing until the next test begins."""
        self._test = None

    def next_call(self) -> Callable[[Outcome], None] | None:
        """Return what records the results of the call that begins; None between tests."""
        if (test := self._test) is None:
            return None
        self._calls += 1
        call, results = self._calls, iter(range(1, sys.maxsize))

        def record(outcome: Outcome) -> None:
            self._write(test, f"{call}.{next(results)}", outcome)

        return record

    def _write(self, test: RecordedTest, ordinal: str, outcome: Outcome) -> None:
        line = {
            "test": test.name,
            "tier": test.tier,
            "user": os.environ.get(USER) or ("root" if os.geteuid() == 0 else "ordinary"),
            "ordinal": ordinal,
            "verdict": outcome.verdict,
            "limit": outcome.limit,
            "pictures": outcome.pictures,
            "racing": test.racing,
        }
        append(self._file, json.dumps(line).encode() + b"\n")

    @pytest.hookimpl
    def pytest_collection_finish(self) -> None:
        """Record results of all engines and stubs that the collected tests have imported."""
        for module, method in METHODS.items():
            if (found := sys.modules.get(module)) is not None:
                owner, name = method.split(".")
                _replace(getattr(found, owner), name, self._recording)
        module, stub = STUB
        if (found := sys.modules.get(module)) is not None:
            _replace(getattr(found, stub), "__init__", self._with_recording_channel)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Know which test it is that gets results."""
        self.begin(recorded_test(item))
        try:
            return (yield)
        finally:
            self.end()

    def _recording(self, method: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        @functools.wraps(method)
        async def recorded(*args: Any, **more: Any) -> Any:
            # An engine that calls another one has one result.
            record = None if _inside.get() else self.next_call()
            if record is None:
                return await method(*args, **more)
            token = _inside.set(True)
            try:
                result = await method(*args, **more)
            except Exception as error:
                record(Outcome(f"raised {type(error).__name__}"))
                raise
            finally:
                _inside.reset(token)
            for outcome in outcomes(result):
                record(outcome)
            return result

        return recorded

    def _with_recording_channel(self, init: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(init)
        def made(stub: Any, channel: Any) -> None:
            init(stub, _RecordingChannel(channel, self))

        return made


class _RecordingChannel:
    """A channel of gRPC whose responses are recorded when they are read."""

    def __init__(self, channel: Any, recorder: Recorder) -> None:
        self._channel, self._recorder = channel, recorder

    def __getattr__(self, kind: str) -> Callable[..., Any]:
        method = getattr(self._channel, kind)

        def made(path: str, **given: Any) -> Any:
            read = given.pop("response_deserializer")
            return method(path, response_deserializer=lambda raw: self._read(read(raw)), **given)

        return made

    def _read(self, response: Any) -> Any:
        fields = response.DESCRIPTOR.fields_by_name
        rendering = response if "verdict" in fields else getattr(response, "response", None)
        if rendering is not None and rendering.verdict and (record := self._recorder.next_call()) is not None:
            for outcome in outcomes(rendering):
                record(outcome)
        return response


def append(file: str, lines: bytes) -> None:
    """Append lines to a recording, by one call of the system: several test processes append to one file."""
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, lines)
    finally:
        os.close(descriptor)


def _replace(owner: type, name: str, wrap: Callable[..., Any]) -> None:
    method = getattr(owner, name)
    if not hasattr(method, "__wrapped__"):
        setattr(owner, name, wrap(method))


def register(config: pytest.Config) -> None:
    """Record if the environment names a file."""
    if file := os.environ.get(VARIABLE):
        config.pluginmanager.register(Recorder(file), "recorded verdicts")
