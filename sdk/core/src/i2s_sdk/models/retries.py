"""The one retry loop around calls of models, the concurrency limit, and the time limit of an attempt."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type

from i2s_client.retry import RetryPolicy
from i2s_sdk.models.completion import ModelAccessError, ModelFailedError, ModelInputRejectedError
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import (
    Answer,
    AttemptError,
    FaultError,
    InputRejectedError,
    ModelProvider,
    ThrottledError,
)
from i2s_sdk.models.question import ReadQuestion


class Turn:
    """One call that is in flight."""

    def __init__(self, pace: AdaptiveLimiter) -> None:
        self._pace, self._began_at = pace, pace.cuts

    def answered(self) -> None:
        """Say that the server answered."""
        self._pace.gain()

    def throttled(self, seconds: float | None) -> None:
        """Say that the server had too many calls, and after how many seconds it wants any again."""
        self._pace.cut(self._began_at, seconds)


class AdaptiveLimiter:
    """A limit of calls in flight, from 1 to ``most``: as many as the server bears.

    Additive increase, multiplicative decrease (Chiu and Jain, 1989): an answer adds a fraction of a place, a
    "too many requests" halves the places. Several of those from calls that were in flight together count
    once. A server that fails otherwise is not helped by fewer places; there the pauses of each call are
    enough.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.places = float(most)  #: places now, of which only whole ones count
        self.cuts = 0  #: how often the number was halved
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._not_before = 0.0  # by the clock of the loop

    @contextlib.asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn]:
        """Wait for a place, and for the end of a pause that the server asked for; keep it to the end."""
        await self._enter()
        try:
            loop = asyncio.get_running_loop()
            while loop.time() < self._not_before:  # noqa: ASYNC110 - an end that may move, no event
                await asyncio.sleep(self._not_before - loop.time())
            yield Turn(self)
        finally:
            self._running -= 1
            self._wake()

    def gain(self) -> None:
        """Add so much that a place is gained once all places were used well."""
        self.places = min(float(self.most), self.places + 1.0 / self.places)

    def cut(self, began_at: int, seconds: float | None) -> None:
        """Halve the places, unless that was done since the call began; let nobody begin for ``seconds``."""
        if seconds is not None:
            loop = asyncio.get_running_loop()
            self._not_before = max(self._not_before, loop.time() + seconds)
        if began_at == self.cuts:
            self.cuts += 1
            self.places = max(1.0, self.places / 2.0)

    async def _enter(self) -> None:
        if not self._waiting and self._running < int(self.places):
            self._running += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place  # who wakes us has counted us as running
        except asyncio.CancelledError:
            if place.cancelled():
                with contextlib.suppress(ValueError):
                    self._waiting.remove(place)
            else:  # woken and cancelled in the same moment: the place goes to the next
                self._running -= 1
                self._wake()
            raise

    def _wake(self) -> None:
        while self._waiting and self._running < int(self.places):
            place = self._waiting.popleft()
            if not place.done():
                self._running += 1
                place.set_result(None)


class CallsInFlight:
    """Calls of one server that were sent and not answered yet, in the order in which they were sent.

    A client that stops waiting does not stop the server. A server that works on one call at a time (a local
    model behind a simple HTTP server, a program) would go on with the first, have the second in its queue,
    and answer neither in time. Whether a server works on several calls at once can be seen: such a server
    answers calls that were sent later. So an attempt ends after ``call_seconds`` only if a call that was sent
    after it has been answered; until then it is waited for, as long as all attempts of the call together may
    take. After that the call has failed and is not sent again.

    A server that works on one call at a time and takes the latest first looks like one that works on several;
    there ``call_seconds`` has to be above the longest time in its queue. An attempt of a provider with
    ``ends_when_left`` always ends after ``call_seconds``.

    Args:
        call_seconds: Seconds after which an attempt ends, if a later one has been answered.
    """

    def __init__(self, call_seconds: float) -> None:
        self._call_seconds = call_seconds
        self._numbers = itertools.count()
        self._waiting: dict[int, tuple[asyncio.Timeout, float]] = {}

    async def answer(self, provider: ModelProvider, question: ReadQuestion, seconds_left: float) -> Answer:
        """Make one attempt and return its answer.

        Args:
            provider: The provider that is asked.
            question: Question for it.
            seconds_left: Seconds that are left of all attempts of this call. One attempt may take
                ``call_seconds`` in any case.

        Raises:
            FaultError: There was none in time.
            AttemptError: As of the provider.
        """
        loop, number = asyncio.get_running_loop(), next(self._numbers)
        began = loop.time()
        longest = self._call_seconds if provider.ends_when_left else max(self._call_seconds, seconds_left)
        timeout = asyncio.timeout_at(began + longest)
        try:
            async with timeout:
                self._waiting[number] = timeout, began + self._call_seconds
                try:
                    answer = await provider.ask(question)
                finally:
                    del self._waiting[number]
        except TimeoutError:
            allowed = (timeout.when() or began) - began
            raise FaultError(f"no answer within {round(allowed, 3):g} s") from None
        for earlier, (limit, overtaken) in self._waiting.items():
            if earlier < number and not limit.expired():
                limit.reschedule(overtaken)  # the server has answered a later one
        return answer


@dataclass(frozen=True, slots=True)
class RetriedAnswer:
    """An answer, how many calls it took, and the seconds of the last."""

    answer: Answer
    attempts: int
    seconds: float


class RetryingProvider:
    """Asks a provider until it answers or the attempts are used up.

    "Too many calls" makes all calls fewer and later, and is retried for ``retry_seconds``. Every other
    failure delays this call only, and is retried until it has happened ``failures`` times, within the same
    seconds. How long one attempt may last, ``CallsInFlight`` decides.
    """

    def __init__(self, provider: ModelProvider, options: ModelOptions) -> None:
        self._provider, self._options = provider, options
        self._pace = AdaptiveLimiter(min(options.concurrency, provider.concurrency or options.concurrency))
        self._in_flight = CallsInFlight(options.call_seconds)
        self._policy = RetryPolicy(options.retry_seconds, options.first_pause, options.longest_pause)

    async def ask(
        self, question: ReadQuestion, on_first: Callable[[], Awaitable[None]] | None = None
    ) -> RetriedAnswer:
        """Return the answer.

        Args:
            question: The question.
            on_first: Called once, when the first attempt has its place, and awaited before it is made.

        Raises:
            ModelInputRejectedError: The server rejected this one question.
            ModelFailedError: There is none.
            ModelAccessError: There will be none to any question.
        """
        tally = _AttemptTally(self._options)
        attempts = AsyncRetrying(
            retry=retry_if_exception_type((ThrottledError, FaultError)),
            wait=self._pause_after,
            stop=tally.exhausted,
            reraise=True,
        )
        try:
            return await attempts(self._attempt, question, tally, on_first)
        except ModelAccessError as error:
            raise ModelAccessError(f"{self._name}: {error.message}") from None
        except InputRejectedError as error:
            message = f"{self._name} rejected this input: {error.message}"
            raise ModelInputRejectedError(message, tally.attempts, error.message) from None
        except AttemptError as error:
            message = f"{self._name}: {tally.story(error)}"
            raise ModelFailedError(message, tally.attempts, error.message) from None

    def _pause_after(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked_for = error.retry_after_seconds if isinstance(error, AttemptError) else None
        return self._policy.pause(state.attempt_number, asked_for)

    @property
    def _name(self) -> str:
        where = f" at {self._provider.base_url}" if self._provider.base_url else ""
        return f"{self._provider.name}{where}"

    async def _attempt(
        self,
        question: ReadQuestion,
        tally: _AttemptTally,
        on_first: Callable[[], Awaitable[None]] | None,
    ) -> RetriedAnswer:
        async with self._pace.turn() as turn:
            if on_first is not None and not tally.attempts:
                await on_first()
            began = time.monotonic()
            tally.attempts += 1
            try:
                answer = await self._in_flight.answer(self._provider, question, tally.seconds_left)
            except AttemptError as error:
                self._count(error, turn, tally)
                raise
            finally:
                seconds = time.monotonic() - began
                tally.busy_seconds += seconds
            turn.answered()
            return RetriedAnswer(answer, tally.attempts, seconds)

    def _count(self, error: AttemptError, turn: Turn, tally: _AttemptTally) -> None:
        if not isinstance(error, ThrottledError):
            tally.failures += 1
            return
        asked_for = error.retry_after_seconds
        # What this call has not the patience for, the others need not wait for either.
        bearable = asked_for is not None and asked_for <= self._options.retry_seconds
        turn.throttled(asked_for if bearable else None)


class _AttemptTally:
    """The attempts of one call so far."""

    def __init__(self, options: ModelOptions) -> None:
        self._options = options
        self.attempts = self.failures = 0
        self.busy_seconds = 0.0

    @property
    def seconds_left(self) -> float:
        """Seconds that remain of those of all attempts."""
        return self._options.retry_seconds - self.busy_seconds

    def exhausted(self, state: RetryCallState) -> bool:
        """Return whether another attempt is one too many."""
        spent = self.busy_seconds + state.idle_for + state.upcoming_sleep
        return self.failures >= self._options.failures or spent > self._options.retry_seconds

    def story(self, last: AttemptError) -> str:
        """Return the end of the attempts in words."""
        times = "1 attempt" if self.attempts == 1 else f"{self.attempts} attempts"
        later = last.retry_after_seconds
        asks = f" (it asks to come back after {later:g} s)" if later is not None else ""
        return f"no answer after {times}; the last: {last.message}{asks}"
