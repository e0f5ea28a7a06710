"""One completion at a time, or many: rendered and compared, without a run."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from types import TracebackType
from typing import Any, Self, TypeVar

from i2s_sdk.errors import I2SError, ServiceUnavailableError, UsageError
from i2s_sdk.run.steps import scoring_services
from i2s_sdk.run.truths import Truths
from i2s_sdk.scoring.scorer import ScorerLimits
from i2s_sdk.settings import Settings
from i2s_sdk.stack.services import open_services, passing_logs
from i2s_sdk.tasks.registry import DEFAULT_TASK, open_task
from i2s_sdk.tasks.task import Task
from i2s_training.completion_scorer import (
    CompletionScorer,
    Reference,
    RoundTripRequest,
    RoundTripResult,
    open_completion_scorer,
)
from i2s_wire.metrics.profile import Profile

A = TypeVar("A")
Work = Callable[[CompletionScorer], Coroutine[Any, Any, A]]

_CLOSED = "this RoundTrip is closed; make another one"


class RoundTrip:
    r"""Judges completions: takes the code, renders it with repairs, compares the image with the reference.

    >>> with RoundTrip() as trip:  # doctest: +SKIP
    ...     result = trip.judge("formula.png", r"\[ e^{i\pi} + 1 = 0 \]")
    ...     print(result.verdict, result.metrics["ems"])

    The rules are those of a run: the same completion has the same verdict and values there. Services are
    opened at the first use (running ones that the settings name, started here otherwise) and live on a
    thread of their own until the end of the block or of the process, so that plain code, coroutines of any
    loop and several threads can share one object.

    Args:
        tasks: Names of the tasks whose completions will be judged. The services of each must be available.
        profile: Profile whose rules are followed; None takes that of the settings.
        metrics: Metrics that are wanted; none means all that the tasks have and can be computed. Naming the
            one that is needed saves the others' time.
        settings: None reads environment and configuration file.

    The services are opened again at the next use if that failed.

    Raises:
        UnknownNameError: There is no such task.
    """

    def __init__(
        self,
        tasks: Sequence[str] = (DEFAULT_TASK,),
        *,
        profile: Profile | str | None = None,
        metrics: Sequence[str] = (),
        settings: Settings | None = None,
    ) -> None:
        self._settings = settings or Settings.load()
        self._profile = Profile(profile or self._settings.profile)
        self._tasks = {name: open_task(name, self._profile, self._settings) for name in tasks}
        self._metrics = tuple(metrics)
        self._lock = threading.Lock()
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._ready: Future[CompletionScorer] = Future()
        self._end: asyncio.Event | None = None
        self._broken: BaseException | None = None
        self._has_children = False
        self._under_way = 0

    def judge(
        self,
        reference: RoundTripRequest | Reference,
        completion: str = "",
        *,
        task: str = DEFAULT_TASK,
        structure: str | None = None,
        assets: Mapping[str, bytes] | None = None,
        id: str = "",
    ) -> RoundTripResult:
        """Return what becomes of one completion.

        Args:
            reference: An instance, the path of an image, or an encoded image; or a whole request, and
                nothing else.
            completion: What the model said.
            task: Task of an image; an instance has its own.
            structure: Ground truth that belongs to an image, for the metric ``edit``.
            assets: Files that the answer may use, by name.
            id: Stands in the logs of the services.

        Raises:
            UsageError: Nothing was opened for the task, or the reference cannot be read.
            StackError: A service cannot be started.
            ServiceError: A service did not answer, after all attempts. That says nothing of the completion.
        """
        request = _request(reference, completion, task, structure, assets, id)
        return self._run(lambda scorer: scorer.score(request))

    async def judge_async(
        self,
        reference: RoundTripRequest | Reference,
        completion: str = "",
        *,
        task: str = DEFAULT_TASK,
        structure: str | None = None,
        assets: Mapping[str, bytes] | None = None,
        id: str = "",
    ) -> RoundTripResult:
        """Do the same as ``judge`` for coroutines."""
        request = _request(reference, completion, task, structure, assets, id)
        return await self._wait(lambda scorer: scorer.score(request))

    def judge_many(self, requests: Iterable[RoundTripRequest]) -> list[RoundTripResult]:
        """Return what becomes of many completions, in their order; several are under way at a time.

        A completion that a service did not judge has the outcome ``render_failure`` or ``metric_failure``
        and no values; the others are not touched by it.

        Raises:
            UsageError: Nothing was opened for a task, or a reference cannot be read.
            StackError: A service cannot be started.
        """
        wanted = list(requests)
        return self._run(lambda scorer: scorer.score_many(wanted))

    async def judge_many_async(self, requests: Iterable[RoundTripRequest]) -> list[RoundTripResult]:
        """Do the same as ``judge_many`` for coroutines."""
        wanted = list(requests)
        return await self._wait(lambda scorer: scorer.score_many(wanted))

    def judge_each(self, requests: Iterable[RoundTripRequest | I2SError]) -> list[RoundTripResult | I2SError]:
        """Return what becomes of many completions, in their order, or the error that kept one from a result.

        So a fault of the data (``DataError``) can be told from one of a service (``ServiceError``,
        ``ScorerError``, ``ProtocolError``), and neither touches the other completions.

        Args:
            requests: An error among them stands for a request that could not be made, and is returned.

        Raises:
            UsageError: Nothing was opened for a task.
            AccessError: A service refuses all calls of this client.
            StackError: A service cannot be started.
        """
        wanted = list(requests)
        results = self._run(lambda scorer: scorer.score_each(wanted))
        self._look_again_after(wanted, results)
        return results

    async def judge_each_async(
        self, requests: Iterable[RoundTripRequest | I2SError]
    ) -> list[RoundTripResult | I2SError]:
        """Do the same as ``judge_each`` for coroutines."""
        wanted = list(requests)
        results = await self._wait(lambda scorer: scorer.score_each(wanted))
        self._look_again_after(wanted, results)
        return results

    def task(self, name: str) -> Task:
        """Return a task by its name, with the rules of the profile.

        Raises:
            UsageError: It is not one of those that are judged.
        """
        if name not in self._tasks:
            raise UsageError(
                f"task {name!r}: the round trip is open for {', '.join(self._tasks)}; "
                f"name it in RoundTrip(tasks=…)"
            )
        return self._tasks[name]

    def unavailable(self) -> Mapping[str, str]:
        """Return the metrics of the tasks that cannot be computed here, and why."""
        return self._scorer().unavailable

    def close(self) -> None:
        """Close the connections and stop what was started here; a second call does nothing."""
        with self._lock:
            self._closed, thread = True, self._thread
        if thread is None:
            return
        atexit.unregister(self.close)
        if self._ready.exception() is None and self._loop is not None and self._end is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended by itself
                self._loop.call_soon_threadsafe(self._end.set)
        thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    def _run(self, work: Work[A]) -> A:
        with self._counted():  # before it begins, so that nobody ends the services in between
            future = self._submit(work)
            try:
                return future.result()
            except CancelledError:
                raise self._broken or UsageError(_CLOSED) from None
            except BaseException:  # Ctrl-C: nobody waits for it any more
                future.cancel()
                raise

    async def _wait(self, work: Work[A]) -> A:
        with self._counted():  # as in _run
            # Services may have to be started first, which must not hold up the loop of the caller.
            is_open = self._thread is not None and self._opened()
            future = self._submit(work) if is_open else await asyncio.to_thread(self._submit, work)
            try:
                return await asyncio.wrap_future(future)
            except asyncio.CancelledError:
                if self._broken is not None:
                    raise self._broken from None
                raise

    def _submit(self, work: Work[A]) -> Future[A]:
        """Begin work on the thread of the services, once they serve."""
        scorer = self._scorer()
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work(scorer), self._loop)

    def _scorer(self) -> CompletionScorer:
        with self._lock:
            if self._closed:
                raise UsageError(_CLOSED)
            if self._thread is None or (self._ready.done() and not self._opened()):
                # At the first use, or again after services did not answer.
                self._ready, self._broken = Future(), None
                self._thread = threading.Thread(
                    target=self._live, args=(self._ready,), name="i2s-round-trip", daemon=True
                )
                self._thread.start()
                atexit.unregister(self.close)
                atexit.register(self.close)
            ready = self._ready
        scorer = ready.result()
        if self._broken is not None:
            raise self._broken
        return scorer

    def _look_again_after(
        self, requests: Sequence[RoundTripRequest | I2SError], results: Sequence[RoundTripResult | I2SError]
    ) -> None:
        """Look for the services again at the next use if one answered nothing: it may be at another address.

        Those that were started here stay, as they are restarted where they were.
        """
        if not _silent(requests, results):
            return
        with self._lock:
            if self._closed or self._has_children or self._under_way:
                return
            if self._opened() and self._loop is not None and self._end is not None:
                self._loop.call_soon_threadsafe(self._end.set)
                self._thread = None

    @contextlib.contextmanager
    def _counted(self) -> Iterator[None]:
        """Count the work within the block as under way."""
        with self._lock:
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1

    def _opened(self) -> bool:
        """Return whether the services were opened."""
        return self._ready.done() and self._ready.exception() is None

    def _live(self, ready: Future[CompletionScorer]) -> None:
        try:
            asyncio.run(self._serve(ready))
        except BaseException as error:
            if ready is self._ready:
                self._broken = error
            if not ready.done():
                ready.set_exception(error)

    async def _serve(self, ready: Future[CompletionScorer]) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        renderings = [task.rendering for task in self._tasks.values() if task.rendering is not None]
        needed = {name for rendering in renderings for name in rendering.services}
        needed |= scoring_services(self._tasks.values(), self._metrics)
        with passing_logs() as logs:
            async with open_services(self._settings, logs, sorted(needed)) as services:
                ours = self._settings
                scorer = await open_completion_scorer(
                    services,
                    self._tasks,
                    self._metrics,
                    ours.jobs,
                    ours.completion_characters,
                    ScorerLimits(ours.scorer_cpu_seconds, ours.scorer_memory_bytes),
                    ours.batch_seconds,
                    Truths(ours.truth_characters),
                )
                self._has_children = bool(services.children)
                end = self._end
                ready.set_result(scorer)
                try:
                    await end.wait()
                finally:
                    await scorer.workers.close()


def _silent(
    requests: Sequence[RoundTripRequest | I2SError], results: Sequence[RoundTripResult | I2SError]
) -> bool:
    """Return whether a service did not answer one completion of a task, and none of it another.

    What was judged without a service, and what failed otherwise, says nothing of services.
    """
    silent, answered = set(), set()
    for request, result in zip(requests, results, strict=True):
        if isinstance(request, I2SError):
            continue
        task = request.instance().task
        if isinstance(result, ServiceUnavailableError):
            silent.add((task, result.method == "Score"))
        elif isinstance(result, RoundTripResult):
            if result.verdict is not None:
                answered.add((task, False))
            if result.png is not None:
                answered.add((task, True))
    return bool(silent - answered)


def _request(
    reference: RoundTripRequest | Reference,
    completion: str,
    task: str,
    structure: str | None,
    assets: Mapping[str, bytes] | None,
    identity: str,
) -> RoundTripRequest:
    if isinstance(reference, RoundTripRequest):
        return reference
    return RoundTripRequest(reference, completion, task, structure, assets or {}, identity)
