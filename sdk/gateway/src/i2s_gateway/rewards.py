"""Rewards by HTTP: batches of answers, each with a value or the reason why it has none."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from i2s_client.connection import on_behalf_of
from i2s_gateway.answers import CLOSED, json_response, metadata_of, request_id_of, request_span, unless_gone
from i2s_gateway.callers import Caller, caller_of
from i2s_gateway.fair_slots import Places
from i2s_gateway.guard import Bodies, GatewayError, invalid
from i2s_gateway.operations import Backends
from i2s_gateway.references import References, open_store
from i2s_gateway.reward_description import LINES, REFERENCES_PATH, REWARD_PATH
from i2s_gateway.reward_items import BatchReader, ItemBounds, RewardBatch, RewardItem, read_uploads
from i2s_gateway.reward_scorers import OpenedTask, RewardScorers, services_of
from i2s_gateway.settings import GatewaySettings
from i2s_sdk.errors import (
    AccessError,
    CallCancelledError,
    DataError,
    DeadlineError,
    GroundTruthError,
    I2SError,
    OverloadedError,
    ProtocolError,
    RequestRefusedError,
    ScorerError,
    ServiceError,
    ServiceUnavailableError,
    UsageError,
)
from i2s_sdk.instances.images import ImageFaultError, require_whole
from i2s_sdk.settings import Settings
from i2s_sdk.stack.services import Services
from i2s_sdk.tasks.registry import task_spec
from i2s_training.batch_reward import LARGEST, Reward
from i2s_training.completion_scorer import Batch, RoundTripRequest, RoundTripResult, first_of_each
from i2s_training.groups import GroupPlace, group_places

#: Statuses of a service that say that this caller may not call it, or that this gateway may not ask for it.
_REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.BAD_GATEWAY, HTTPStatus.NOT_FOUND)
#: Seconds that an answer waits for services to say whether they know the caller, before its first byte.
_LOOK_SECONDS = 2.0
#: Seconds until such a service is asked again, at first and at most.
_PAUSE, _LONGEST_PAUSE = 0.5, 5.0


class Rewards:
    """The routes of rewards.

    Args:
        scorers: The scorers of tasks.
        settings: The bounds.
        retry_seconds: Seconds for which a service that does not answer is asked again.
    """

    def __init__(self, scorers: RewardScorers, settings: GatewaySettings, retry_seconds: float) -> None:
        self._scorers, self._settings, self._retry_seconds = scorers, settings, retry_seconds
        self._waiting = settings.reward_waiting
        self.places = Places(self._waiting, settings.reward_bytes)
        store, most = settings.store, settings.reference_bytes
        self.references = References(most, None if store is None else open_store(f"{store}/references", most))
        self._bounds = ItemBounds(settings.reward_items, settings.reward_seconds, settings.reward_bytes // 2)

    def routes(self, backends: Backends, bodies: Bodies) -> Sequence[Route]:
        """Return the routes.

        Args:
            backends: The services behind the gateway, which know their callers.
            bodies: Reads the bodies of requests.
        """
        served = _Served(self, backends, bodies)
        backends.measurements.answers(lambda: self.places.taken, self._waiting)
        return (
            Route(REWARD_PATH, served.reward, methods=["POST"]),
            Route(REFERENCES_PATH, served.keep, methods=["POST"]),
        )

    async def close(self) -> None:
        """End what was started here."""
        await self._scorers.close()

    def reader(self, caller: Caller, request_id: str) -> BatchReader:
        """Return what reads the batches of a caller.

        Args:
            caller: Whose uploads can be named.
            request_id: Name of the request; stands in the logs of the services.
        """
        return BatchReader(
            self._scorers.tasks,
            self._bounds,
            lambda digest: self.references.get(caller, digest),
            self._scorers.instance,
            request_id,
        )

    @property
    def scorers(self) -> RewardScorers:
        """The scorers of tasks."""
        return self._scorers

    @property
    def bounds(self) -> ItemBounds:
        """What a batch may have."""
        return self._bounds

    @property
    def retry_seconds(self) -> float:
        """Seconds for which a service that does not answer is asked again."""
        return self._retry_seconds


def open_rewards(services: Services, settings: Settings, gateway: GatewaySettings) -> Rewards:
    """Return the rewards with some services, none of which is asked before the first batch.

    Args:
        services: The services behind the gateway.
        settings: Settings of the SDK.
        gateway: Those of the gateway.

    Raises:
        UnknownNameError: There is no such task.
    """
    scorers = RewardScorers(
        services, settings, gateway.reward_tasks, gateway.reward_data, gateway.reward_jobs
    )
    return Rewards(scorers, gateway, settings.retry_seconds)


class _Served:
    """The requests of rewards, in front of some services."""

    def __init__(self, rewards: Rewards, backends: Backends, bodies: Bodies) -> None:
        self._rewards, self._backends, self._bodies = rewards, backends, bodies

    async def keep(self, request: Request) -> Response:
        """Keep images, which batches then name by their digests."""
        with request_span(request, REFERENCES_PATH, request_id_of(request)) as served:
            caller, rewards = caller_of(request), self._rewards
            names = {name for task in rewards.scorers.tasks.values() for name in services_of(task)}
            await self._require_access(sorted(names), request)
            async with self._bodies.body(request) as raw:
                files = await asyncio.to_thread(_read_images, raw, rewards.bounds.items)
            try:
                digests = await asyncio.to_thread(rewards.references.add, caller, files)
            except ValueError as error:
                raise GatewayError(
                    HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "RESOURCE_EXHAUSTED", str(error)
                ) from None
            served.set({"http.response.status_code": HTTPStatus.OK})
            return json_response({"digests": digests})

    async def reward(self, request: Request) -> Response:
        """Answer a batch."""
        with (
            request_span(request, REWARD_PATH, request_id_of(request)) as served,
            contextlib.ExitStack() as held,
        ):
            caller, rewards = caller_of(request), self._rewards
            reader = rewards.reader(caller, request_id_of(request))
            async with self._bodies.body(request) as raw:
                batch = await asyncio.to_thread(reader.read, raw)
            held.enter_context(rewards.places.held(caller, len(batch.items), batch.size))
            judging = Judging(rewards, self._backends, batch, caller, metadata_of(request))
            if _wants_lines(request):
                await unless_gone(request, judging.look())
                served.set({"http.response.status_code": HTTPStatus.OK})
                return _Lines(request, judging, held.pop_all())
            whole = await unless_gone(request, judging.whole())
            served.set({"http.response.status_code": HTTPStatus.OK})
            return json_response(whole)

    async def _require_access(self, services: Sequence[str], request: Request) -> None:
        """Return once a service says that it knows the caller, who may leave something here then."""
        for name in services:
            try:
                await asyncio.wait_for(self._backends.describe(name, metadata_of(request)), _LOOK_SECONDS)
                return
            except GatewayError as error:
                if error.http in _REFUSED:
                    raise
            except TimeoutError:
                continue
        if services:
            raise _undecided()


def _undecided() -> GatewayError:
    message = "no service said in time whether it knows you; try again"
    return GatewayError(
        HTTPStatus.SERVICE_UNAVAILABLE, "UNAVAILABLE", message, retry_after_seconds=_LONGEST_PAUSE
    )


def _read_images(raw: bytes | bytearray, most: int) -> list[bytes]:
    files = read_uploads(raw, most)
    for number, file in enumerate(files):
        try:
            require_whole(file)
        except ImageFaultError as error:
            raise invalid(f"references[{number}].image {error}") from None
    return files


def _wants_lines(request: Request) -> bool:
    kinds = [one.partition(";")[0].strip().lower() for one in request.headers.get("accept", "").split(",")]
    return LINES in kinds


class _Lines(Response):
    """A response that sends items as they are done, and then what is said of all of them."""

    def __init__(self, request: Request, judging: Judging, held: contextlib.ExitStack) -> None:
        super().__init__(media_type=LINES)
        self._request, self._judging, self._held = request, judging, held
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines; the jobs end if the caller goes away."""
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        with self._held:
            await send(start)
            try:
                await unless_gone(self._request, self._send(send))
            except GatewayError as error:
                if error.http != CLOSED:
                    raise

    async def _send(self, send: Send) -> None:
        try:
            async with aclosing(self._judging.answers()) as answers:
                async for _, answer in answers:
                    await send(_part(answer))
            await send(_part(self._judging.totals()))
        except GatewayError as error:  # the first line is sent, so the status cannot say it
            await send(_part(error.document()))
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def _part(line: Mapping[str, object]) -> dict[str, Any]:
    body = json.dumps(line, allow_nan=False).encode() + b"\n"
    return {"type": "http.response.body", "body": body, "more_body": True}


class Judging:
    """One batch of a caller.

    Args:
        rewards: The rewards of the gateway.
        backends: The services behind it.
        batch: The batch.
        caller: Whose it is.
        metadata: Of calls that are made for it.
        images: Whether rewards have the images that were drawn; they take memory until the batch ends.
    """

    def __init__(
        self,
        rewards: Rewards,
        backends: Backends,
        batch: RewardBatch,
        caller: Caller,
        metadata: Sequence[tuple[str, str]],
        *,
        images: bool = False,
    ) -> None:
        self._images = images
        self._rewards, self._backends, self._metadata = rewards, backends, metadata
        self._batch, self._caller = batch, caller
        self._began = time.monotonic()
        self._names = tuple(dict.fromkeys(item.task for item in batch.items))
        self._values: list[float | None] = [None] * len(batch.items)
        self._unique = 0  # answers that were judged by themselves
        self._same: dict[int, list[int]] = {}
        for number, first in enumerate(first_of_each([item.asked.request for item in batch.items])):
            self._same.setdefault(first, []).append(number)
        try:
            self._rules = rewards.scorers.rules(self._names, batch.options)
        except UsageError as error:
            raise invalid(error.message) from None

    async def whole(self) -> dict[str, object]:
        """Return all items in their order, and what is said of all of them.

        Raises:
            GatewayError: A service does not know the caller.
        """
        answers: dict[int, dict[str, object]] = {}
        async with aclosing(self.answers()) as found:
            async for number, answer in found:
                answers[number] = answer
        if self._batch.grouped:
            for number, place in enumerate(self._group_places()):
                answers[number]["group"] = None if place is None else _place(place)
        items = [answers[number] for number in range(len(answers))]
        return {"items": items, "totals": self._totals()}

    async def look(self, *, decided: bool = False) -> None:
        """Ask whether the services know the caller, as far as they say it at once.

        Args:
            decided: Whether it is an error that they do not say it.

        Raises:
            GatewayError: One does not, or does not say it.
        """
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                await asyncio.gather(*(self._ask_whether_known(name) for name in self._names))
        except TimeoutError:
            if decided:
                raise _undecided() from None
        except GatewayError as error:
            if error.http in _REFUSED:
                raise
            if decided:
                raise _undecided() from None

    async def answers(self) -> AsyncGenerator[tuple[int, dict[str, object]], None]:
        """Yield the number of an item and the answer to it, as they are done; raises as ``rewards`` does."""
        async with aclosing(self.rewards()) as found:
            async for number, reward in found:
                yield number, reward_answer(number, self._batch.items[number], reward)

    async def rewards(self) -> AsyncGenerator[tuple[int, Reward], None]:
        """Yield the number of an item and its reward, as they are done.

        Raises:
            GatewayError: A service does not know the caller.
        """
        items = self._batch.items
        async with Batch(self._batch.deadline_seconds, "deadline_seconds").open() as batch:
            with on_behalf_of(self._caller.authorization):  # tasks keep it
                tasks = {name: self._open(name) for name in self._names}
                working = [
                    asyncio.create_task(self._judged(number, items[number], tasks, batch))
                    for number in self._same
                ]
            try:
                for done in asyncio.as_completed(working):
                    number, result = await done
                    self._unique += not isinstance(result, I2SError)
                    for one in self._same[number]:
                        reward = self._rules[items[one].task].reward_of(items[one].asked, result)
                        self._values[one] = reward.value
                        outcome = VALID if reward.value is not None else _kind(reward)
                        self._backends.measurements.rewarded(items[one].task, outcome)
                        yield one, reward
                        self._rewards.places.note_done(time.monotonic())
            except AccessError as error:
                raise _refusal(error) from None
            finally:
                ending = [*working, *tasks.values()]
                for task in ending:
                    task.cancel()
                await asyncio.gather(*ending, return_exceptions=True)

    def _open(self, name: str) -> asyncio.Task[OpenedTask]:
        return asyncio.create_task(self._opened(name))

    async def _opened(self, name: str) -> OpenedTask:
        """Return a task with its scorer, once its services have said that they know the caller."""
        await self._known(name)
        return await self._rewards.scorers.opened(name, self._metrics(name))

    def _metrics(self, task: str) -> tuple[str, ...]:
        """Return the metrics that the rules of a task, and the caller, ask for."""
        return tuple(dict.fromkeys((*self._rules[task].metrics, *self._batch.options.metrics)))

    async def _known(self, task: str) -> None:
        seconds = self._rewards.retry_seconds
        end = time.monotonic() + seconds
        while True:
            try:
                async with asyncio.timeout(max(_PAUSE, end - time.monotonic())):
                    await self._ask_whether_known(task)
                return
            except TimeoutError:
                message = f"the services of {task} did not answer within {seconds:g} s"
                raise GatewayError(HTTPStatus.SERVICE_UNAVAILABLE, "UNAVAILABLE", message) from None
            except GatewayError as error:
                pause = min(_LONGEST_PAUSE, error.retry_after_seconds or _PAUSE)
                if error.http in _REFUSED or time.monotonic() + pause > end:
                    raise
            await asyncio.sleep(pause)

    async def _ask_whether_known(self, task: str) -> None:
        names = self._rewards.scorers.asked(task, self._metrics(task))
        await asyncio.gather(*(self._backends.describe(name, self._metadata) for name in names))

    async def _judged(
        self, number: int, item: RewardItem, tasks: Mapping[str, asyncio.Task[OpenedTask]], batch: Batch
    ) -> tuple[int, RoundTripResult | I2SError]:
        request = item.asked.request
        if isinstance(request, I2SError):
            return number, request
        try:
            result = await batch.judged(item.task, self._result(tasks[item.task], request, batch))
            return number, result if self._images else replace(result, png=None)
        except DataError as error:
            return number, item.told(error)
        except AccessError:
            raise
        except (ServiceError, ScorerError, ProtocolError) as error:
            return number, error
        except UsageError as error:
            raise invalid(error.message) from None

    async def _result(
        self, opening: asyncio.Task[OpenedTask], request: RoundTripRequest, batch: Batch
    ) -> RoundTripResult:
        began, task = asyncio.get_running_loop().time(), request.instance().task
        try:
            opened = await asyncio.shield(opening)
        except GatewayError as error:
            if error.http in _REFUSED:
                raise
            failure = ServiceUnavailableError(
                error.message, address="", method="Describe", status=error.status
            )
            batch.failed(task, began, failure)
            raise failure from None
        except (ServiceUnavailableError, DeadlineError) as error:
            batch.failed(task, began, error)
            raise
        return await opened.for_caller(self._caller.key).score(request, batch)

    def totals(self) -> dict[str, object]:
        """Return what is said of all items, and with groups the place of each."""
        if not self._batch.grouped:
            return {"totals": self._totals()}
        places = [
            {"index": number, **_place(group_place)}
            for number, group_place in enumerate(self._group_places())
            if group_place is not None
        ]
        return {"totals": self._totals(), "groups": places}

    def _group_places(self) -> Sequence[GroupPlace | None]:
        return group_places(self._values, [item.group for item in self._batch.items])

    def _totals(self) -> dict[str, object]:
        valid = sum(value is not None for value in self._values)
        return {
            "items": len(self._values),
            "valid": valid,
            "invalid": len(self._values) - valid,
            "unique_rendered": self._unique,
            "seconds": round(time.monotonic() - self._began, 6),
        }


def _place(place: GroupPlace) -> dict[str, object]:
    return {"rank": place.rank, "size": place.size, "centred": place.centred}


def _refusal(error: AccessError) -> GatewayError:
    denied = error.status == "PERMISSION_DENIED"
    http = HTTPStatus.FORBIDDEN if denied else HTTPStatus.UNAUTHORIZED
    return GatewayError(http, error.status, error.message)


#: The outcome of an answer with a value, in counts.
VALID = "valid"

#: Kinds of reasons by class of error, the first that fits.
_KINDS: tuple[tuple[type[I2SError], str], ...] = (
    (DataError, "data"),
    (DeadlineError, "unavailable"),
    (GroundTruthError, "ground_truth"),
    (ServiceUnavailableError, "unavailable"),
    (OverloadedError, "overloaded"),
    (CallCancelledError, "cancelled"),
    (RequestRefusedError, "refused"),
    (ServiceError, "service_fault"),
    (ScorerError, "scorer"),
    (ProtocolError, "protocol"),
)


def _reason(reward: Reward) -> dict[str, object] | None:
    """Return why an answer has no value; None if it has one."""
    if reward.value is not None:
        return None
    fault = "data" if reward.data_fault else "infrastructure"
    error = reward.error
    message = error.message if error is not None else "none of the metrics is defined for it"
    return {"fault": fault, "kind": _kind(reward), "message": message}


def _kind(reward: Reward) -> str:
    """Return the kind of reason of an answer without a value."""
    if reward.error is None:
        return "undefined"
    if isinstance(reward.error, DeadlineError) and reward.error.method == Batch.__name__:
        return "deadline"
    return next((kind for error, kind in _KINDS if isinstance(reward.error, error)), "fault")


def reward_answer(index: int, item: RewardItem, reward: Reward) -> dict[str, object]:
    """Return what is said of an item of a batch."""
    record = reward.result.record if reward.result is not None else None
    rendering = record.rendering if record is not None else None
    error = (rendering.error_before_repair or rendering.error) if rendering is not None else None
    metrics = dict(reward.result.metrics) if reward.result is not None else {}
    usage = reward.result.usage if reward.result is not None else None
    return {
        "index": index,
        "id": item.id,
        "value": reward.value,
        "valid": reward.value is not None,
        "reason": _reason(reward),
        "outcome": str(record.outcome) if record is not None else None,
        "verdict": rendering.verdict.name if rendering is not None and rendering.verdict else None,
        "message": record.message if record is not None else "",
        "first_error": None
        if error is None
        else {
            "message": error.message,
            "kind": error.kind,
            "line": error.line,
            "answer_line": error.answer_line,
        },
        "parts": {
            "metrics": metrics,
            "gates": [
                {"name": str(gate.gate), "detail": gate.detail, "lowers": gate.lowers}
                for gate in reward.gates
            ],
            "floor": item.asked.floor if item.asked.floor is not None else 0.0,
            "ceiling": item.asked.ceiling if item.asked.ceiling is not None else LARGEST,
            "support": metrics.get(task_spec(item.task).support_metric),
        },
        "repairs": [
            {"kind": repair.kind, "detail": repair.detail, "error": repair.error}
            for repair in (rendering.repairs if rendering is not None else ())
        ],
        "usage": None
        if usage is None
        else {
            "renders": usage.renders,
            "cpu_seconds": round(usage.cpu_seconds, 6),
            "wall_seconds": round(usage.wall_seconds, 6),
            "queued_seconds": round(usage.queued_seconds, 6),
        },
    }
