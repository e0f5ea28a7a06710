"""Worker processes for scorers whose time and memory depend on what a model wrote, and their conversions.

A sample that takes more CPU time or memory than it may is not usable, with the reason. What the process
itself used decides that, never the clock, so a loaded machine changes nothing. A process that ends in another
way is no result: the sample is scored once more in a new one, and after that the failure is ours.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import logging
import os
import pickle
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from i2s_sdk.errors import ScorerError
from i2s_sdk.json_text import JsonFields, plain_fields, read_json
from i2s_sdk.scoring.scorer import (
    DEFAULT_LIMITS,
    Conversion,
    ConvertingScorer,
    MetricValues,
    NotUsable,
    Scorable,
    Scorer,
    ScorerLimits,
    limits_of,
)
from i2s_sdk.scoring.worker import ScoringRequest
from i2s_sdk.visible import visible

_log = logging.getLogger(__name__)

#: The longest line that a worker may answer.
_LINE_BYTES = 1 << 26
#: Of what a worker writes to standard error, bytes that are logged, and seconds to wait for the last of it.
_LOGGED_BYTES, _LAST_SECONDS = 1 << 12, 1.0
#: Seconds on the clock for a second of CPU time, and for the start: what is silent for longer hangs.
_CLOCK_PER_CPU_SECOND, _CLOCK_SECONDS = 20.0, 120.0


class ScorerWorkers:
    """Runs scorers: those that need limits in processes of their own, the others in threads.

    Args:
        limits: Limits of each sample; a scorer may have lower ones (``LimitedScorer``).
        processes: The most that are at work at the same time; 0 is one for each processor.
    """

    def __init__(self, limits: ScorerLimits = DEFAULT_LIMITS, processes: int = 0) -> None:
        self._limits = limits
        self._places = asyncio.Semaphore(processes or os.cpu_count() or 1)
        self._idle: dict[bytes, list[_Worker]] = {}

    async def score(self, scorer: Scorer, sample: Scorable) -> MetricValues | NotUsable:
        """Return the values of a sample, or why it has none.

        Raises:
            ScorerError: The scorer has a fault, or its process was killed twice by somebody else.
        """
        if not scorer.in_worker:
            return await asyncio.to_thread(scorer.score, sample)
        return _values(
            scorer, await self._said(scorer, ScoringRequest.SCORE, sample), self._limits_of(scorer)
        )

    async def conversions(
        self, scorer: ConvertingScorer, sample: Scorable
    ) -> tuple[Conversion, ...] | NotUsable:
        """Return the texts that a sample needs converted, or why it cannot be scored.

        Raises:
            ScorerError: See ``score``.
        """
        if not scorer.in_worker:
            return await asyncio.to_thread(scorer.conversions, sample)
        said = await self._said(scorer, ScoringRequest.CONVERSIONS, sample)
        if isinstance(said.get("conversions"), list):
            return tuple(Conversion(kind, text) for kind, text in said["conversions"])
        return _not_usable(scorer, said, self._limits_of(scorer))

    def _limits_of(self, scorer: Scorer) -> ScorerLimits:
        return limits_of(scorer, self._limits)

    async def _said(self, scorer: Scorer, request: ScoringRequest, sample: Scorable) -> dict[str, Any]:
        """Return what a worker says, the second one if the first is lost.

        Raises:
            ScorerError: Both were lost.
        """
        program = base64.b64encode(pickle.dumps(scorer))
        async with self._places:
            for attempt in (1, 2):
                said = await self._asked(program, request, sample, self._limits_of(scorer))
                if said is not None:
                    return said
                _log.warning("the worker of scorer %s was lost (attempt %d)", scorer.name, attempt)
        raise ScorerError(f"scorer {scorer.name}: its process was killed, or hung, twice on {sample.id!r}")

    async def close(self) -> None:
        """End the processes; those at work are killed."""
        workers = [worker for idle in self._idle.values() for worker in idle]
        self._idle.clear()
        for worker in workers:
            await worker.close()

    async def _asked(
        self, program: bytes, request: ScoringRequest, sample: Scorable, limits: ScorerLimits
    ) -> dict[str, Any] | None:
        """Return what a worker says; None if it was lost."""
        idle = self._idle.setdefault(program, [])
        worker = idle.pop() if idle else await _Worker.started(program, limits)
        said = None
        try:
            said = await worker.ask({"request": str(request), "sample": plain_fields(sample)})
        finally:
            if said is None or not said.keys() & {"metrics", "not_usable", "conversions"}:
                await worker.close()
            else:
                idle.append(worker)
        return said


class _Worker:
    """A process that answers one sample at a time."""

    def __init__(self, process: asyncio.subprocess.Process, limits: ScorerLimits) -> None:
        self._process = process
        self._logging = asyncio.create_task(_log_errors(process))
        self._seconds = _CLOCK_SECONDS + _CLOCK_PER_CPU_SECOND * limits.cpu_seconds

    @classmethod
    async def started(cls, program: bytes, limits: ScorerLimits) -> _Worker:
        process = await asyncio.create_subprocess_exec(
            # -P: no module is taken from the working folder, which may be somebody's download.
            sys.executable, "-P", "-m", "i2s_sdk.scoring.worker",
            str(limits.cpu_seconds), str(limits.memory_bytes),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            limit=_LINE_BYTES, start_new_session=True,
        )  # fmt: skip
        worker = cls(process, limits)
        worker._write(program)
        return worker

    async def ask(self, question: dict[str, Any]) -> dict[str, Any] | None:
        """Return what the worker says of a sample; None if it is lost: killed, silent, or not to be read."""
        assert self._process.stdout is not None
        self._write(json.dumps(question).encode())
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), self._seconds)
        except (TimeoutError, ValueError):  # silent for too long, or a line without end
            return None
        if line.endswith(b"\n"):
            try:
                said = read_json(line)
            except ValueError:
                return None
            return said if isinstance(said, dict) else None
        code = await self._process.wait()
        if code >= 0:
            return {"fault": f"its process ended with exit code {code}; the log says why"}
        return {"limit": "cpu"} if code == -signal.SIGXCPU else None

    async def close(self) -> None:
        """End the process, whatever it does."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        await asyncio.wait((self._logging,), timeout=_LAST_SECONDS)
        self._logging.cancel()

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")


async def _log_errors(process: asyncio.subprocess.Process) -> None:
    """Log what a worker writes to standard error, up to a bound; answers have a hand in it."""
    assert process.stderr is not None
    left = _LOGGED_BYTES
    while text := await process.stderr.read(_LOGGED_BYTES):
        if left > 0:
            _log.warning("scorer: %s", visible(text[:left].decode(errors="replace").rstrip()))
        left -= len(text)


def _values(scorer: Scorer, said: Mapping[str, Any], limits: ScorerLimits) -> MetricValues | NotUsable:
    """Return the values that a worker said.

    Raises:
        ScorerError: The scorer has a fault.
    """
    if "metrics" in said:
        return JsonFields(said).read_as(MetricValues)
    return _not_usable(scorer, said, limits)


def _not_usable(scorer: Scorer, said: Mapping[str, Any], limits: ScorerLimits) -> NotUsable:
    """Return why a worker said that a sample cannot be scored.

    Raises:
        ScorerError: The scorer has a fault.
    """
    match said:
        case {"not_usable": str(reason)}:
            return NotUsable(reason)
        case {"limit": "cpu"}:
            return NotUsable(
                f"scoring it ({scorer.name}) takes more than {limits.cpu_seconds:g} s of CPU time",
                by_limit=True,
            )
        case {"limit": "memory"}:
            return NotUsable(
                f"scoring it ({scorer.name}) takes more than {limits.memory_bytes >> 20} MiB", by_limit=True
            )
        case {"limit": "depth"}:
            return NotUsable(f"it is nested too deeply to be scored ({scorer.name})", by_limit=True)
    raise ScorerError(f"scorer {scorer.name} failed: {said.get('fault', said)}")


#: How often a scorer may ask for more; that of READOC asks twice: for pipe tables, then for LaTeX tables.
_ROUNDS = 8


class TextConverter(Protocol):
    """Something that does conversions, such as the documents service."""

    async def __call__(self, conversions: Sequence[Conversion]) -> Mapping[str, str | None]:
        """Return the results by key; None for a text that cannot be converted.

        Raises:
            ServiceError: The service does not answer.
        """
        ...


@dataclass(frozen=True, slots=True)
class ConversionFetcher:
    """Fetches what the scorers of a task need."""

    #: Run the scorers that need limits.
    workers: ScorerWorkers
    #: Converts texts; None if no scorer of the task needs that.
    convert: TextConverter | None = None

    async def completed(self, scorer: Scorer, sample: Scorable) -> Scorable | NotUsable:
        """Return the sample with everything that the scorer needs converted, or why it cannot be scored.

        Raises:
            ScorerError: The scorer has a fault, or asks for ever.
            ServiceError: The service that converts does not answer.
        """
        if not isinstance(scorer, ConvertingScorer):
            return sample
        for _ in range(_ROUNDS):
            wanted = await self.workers.conversions(scorer, sample)
            if isinstance(wanted, NotUsable):
                return wanted
            if not wanted:
                return sample
            if self.convert is None:
                raise ScorerError(f"scorer {scorer.name} needs the documents service, which is not here")
            converted = await self.convert(
                tuple({conversion.key: conversion for conversion in wanted}.values())
            )
            sample = replace(sample, conversions={**sample.conversions, **converted})
        raise ScorerError(f"scorer {scorer.name} asks for conversions without end on {sample.id!r}")
