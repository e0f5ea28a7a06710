"""Episodes by HTTP: a question, then answers, each of which gets a reward and is shown rendered."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from i2s_gateway.answers import json_response, metadata_of, request_id_of, request_span, unless_gone
from i2s_gateway.callers import Caller, caller_of
from i2s_gateway.episode_calls import Alone, EpisodeCalls
from i2s_gateway.episode_description import BATCH_FIELDS, EPISODES_PATH, ITEM_FIELDS, OWN_FIELDS
from i2s_gateway.episode_store import EpisodeBounds, EpisodeStore, StoredEpisode
from i2s_gateway.guard import Bodies, GatewayError, invalid, read_body
from i2s_gateway.operations import Backends
from i2s_gateway.reward_items import RewardBatch, RewardItem
from i2s_gateway.rewards import Judging, Rewards, reward_answer
from i2s_gateway.settings import GatewaySettings
from i2s_sdk.errors import DataError, I2SError, UsageError
from i2s_sdk.run.storage.interface import open_storage
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.task import Task
from i2s_training.batch_reward import Reward
from i2s_training.episode import (
    EpisodeRules,
    EpisodeStart,
    EpisodeState,
    EpisodeStep,
    advance,
    start_of,
    stay,
)

#: The most bytes of a character in JSON: two escapes such as \\ud83d.
_CHARACTER_BYTES = 12
#: Bytes of the body of a step beside the completion.
_BESIDE_BYTES = 4096


class Episodes:
    """The routes of episodes.

    Args:
        rewards: The rewards of the gateway, by which answers are judged.
        store: Keeps the episodes.
        seconds: Seconds that a request waits for the store.
        step_bytes: Size of the largest body of a step.
    """

    def __init__(self, rewards: Rewards, store: EpisodeStore, seconds: float, step_bytes: int) -> None:
        self._rewards, self._step_bytes = rewards, step_bytes
        self._calls = EpisodeCalls(store, seconds)

    def routes(self, backends: Backends, bodies: Bodies) -> Sequence[Route]:
        """Return the routes.

        Args:
            backends: The services behind the gateway, which know their callers.
            bodies: Reads the bodies of requests.
        """
        served = _Served(self._rewards, self._calls, backends, bodies, self._step_bytes)
        one = f"{EPISODES_PATH}/{{id}}"
        return (
            Route(EPISODES_PATH, served.begin, methods=["POST"]),
            Route(f"{one}/step", served.step, methods=["POST"]),
            Route(one, served.show, methods=["GET"]),
            Route(one, served.end, methods=["DELETE"]),
        )

    @asynccontextmanager
    async def swept(self) -> AsyncIterator[None]:
        """Remove episodes that are over as long as the block lasts, which waits for no store."""
        sweeping = asyncio.create_task(self._calls.sweep())
        try:
            yield
        finally:
            sweeping.cancel()
            with suppress(asyncio.CancelledError):
                await sweeping


def open_episodes(rewards: Rewards, settings: Settings, gateway: GatewaySettings) -> Episodes:
    """Return the episodes with some rewards, those in the store of the gateway among them.

    Args:
        rewards: The rewards of the gateway.
        settings: Settings of the SDK.
        gateway: Those of the gateway.

    Raises:
        UsageError: A package is missing that the store needs, or nothing knows it.
    """
    bounds = EpisodeBounds(
        gateway.episodes, gateway.episodes_each, gateway.episode_bytes, gateway.episode_seconds
    )
    storage = open_storage(f"{gateway.store}/episodes", settings) if gateway.store is not None else None
    step_bytes = _CHARACTER_BYTES * settings.completion_characters + _BESIDE_BYTES
    return Episodes(rewards, EpisodeStore(bounds, storage), gateway.deadline, step_bytes)


class _Served:
    """The requests of episodes, in front of some services."""

    def __init__(
        self, rewards: Rewards, store: EpisodeCalls, backends: Backends, bodies: Bodies, step_bytes: int
    ) -> None:
        self._rewards, self._store, self._backends, self._bodies = rewards, store, backends, bodies
        self._step_bytes = step_bytes

    async def begin(self, request: Request) -> Response:
        """Keep an episode and answer with its question."""
        with request_span(request, EPISODES_PATH, request_id_of(request)):
            caller = caller_of(request)
            async with self._bodies.body(request) as raw:
                opening, rules, batch = await asyncio.to_thread(self._opened, raw, caller, request)
            (item,) = batch.items
            start = await asyncio.to_thread(self._start, item)
            with self._rewards.places.held(caller, 1, batch.size):
                await unless_gone(request, self._judging(batch, caller, request).look(decided=True))
            episode = await self._store.add(caller.key, opening, rules, caller.address)
            question = {"messages": start.messages, "image": _b64(start.image)}
            response = json_response({**_shown(episode), **question})
            response.status_code = HTTPStatus.CREATED
            return response

    async def step(self, request: Request) -> Response:
        """Judge an answer, and answer with its reward and observation."""
        with request_span(request, f"{EPISODES_PATH}/{{id}}/step", request_id_of(request)):
            caller, name = caller_of(request), request.path_params["id"]
            await self._store.get(
                caller.key, name
            )  # who has no such episode learns no more, and sends nothing
            async with self._bodies.body(request, self._step_bytes) as raw:
                completion = await asyncio.to_thread(_completion, raw)
            with self._store.alone(name) as alone:
                episode = await self._store.get(caller.key, name)
                stepped = self._stepped(alone, episode, completion, caller, request)
                return json_response(await unless_gone(request, stepped))

    async def show(self, request: Request) -> Response:
        """Say how an episode stands."""
        caller, name = caller_of(request), request.path_params["id"]
        return json_response(_shown(await self._store.get(caller.key, name)))

    async def end(self, request: Request) -> Response:
        """Forget an episode."""
        caller, name = caller_of(request), request.path_params["id"]
        await self._store.remove(caller.key, name)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    async def _stepped(
        self, alone: Alone, episode: StoredEpisode, completion: str, caller: Caller, request: Request
    ) -> dict[str, object]:
        batch = await asyncio.to_thread(self._batch, episode.opening, completion, caller, request)
        (item,) = batch.items
        task = self._rewards.scorers.tasks[item.task]
        try:
            ended = stay(task, episode.state, completion)
        except UsageError as error:
            raise GatewayError(HTTPStatus.CONFLICT, "FAILED_PRECONDITION", error.message) from None
        if ended is not None:
            return await _kept(alone, episode, *ended, None)
        with self._rewards.places.held(caller, 1, batch.size):
            async with aclosing(self._judging(batch, caller, request, images=True).rewards()) as found:
                _, reward = await anext(found)
        state, step = await asyncio.to_thread(_advanced, task, episode, item, reward)
        return await _kept(alone, episode, state, step, reward_answer(0, item, reward))

    def _judging(
        self, batch: RewardBatch, caller: Caller, request: Request, *, images: bool = False
    ) -> Judging:
        metadata = metadata_of(request)
        return Judging(self._rewards, self._backends, batch, caller, metadata, images=images)

    def _opened(
        self, raw: bytes | bytearray, caller: Caller, request: Request
    ) -> tuple[Mapping[str, Any], EpisodeRules, RewardBatch]:
        """Return the batch of an episode as it is kept, its rules, and the batch as it was read."""
        body = _object(raw, (*ITEM_FIELDS, *BATCH_FIELDS, *OWN_FIELDS))
        try:
            rules = EpisodeRules(**{name: body[name] for name in OWN_FIELDS if body.get(name) is not None})
        except (UsageError, TypeError) as error:
            raise invalid(f"turns or final: {error}") from None
        item = {name: body[name] for name in ITEM_FIELDS if body.get(name) is not None}
        opening = {
            "items": [item],
            **{name: body[name] for name in BATCH_FIELDS if body.get(name) is not None},
        }
        batch = self._batch(opening, "", caller, request)
        asked = batch.items[0].asked.request
        if not isinstance(asked, I2SError) and isinstance(asked.reference, bytes):
            item["reference"] = {"image": _b64(asked.reference)}  # an upload may be gone by the next step
        return opening, rules, batch

    def _batch(
        self, opening: Mapping[str, Any], completion: str, caller: Caller, request: Request
    ) -> RewardBatch:
        (item,) = opening["items"]
        whole = {**opening, "items": [{**item, "completion": completion}]}
        reader = self._rewards.reader(caller, request_id_of(request))
        return reader.read(json.dumps(whole).encode())

    def _start(self, item: RewardItem) -> EpisodeStart:
        """Return the question of an episode."""
        if isinstance(item.asked.request, I2SError):
            raise invalid(item.asked.request.message)
        try:
            return start_of(self._rewards.scorers.tasks[item.task], item.asked.request)
        except DataError as error:
            raise invalid(item.told(error).message) from None
        except UsageError as error:
            raise invalid(error.message) from None


async def _kept(
    alone: Alone,
    episode: StoredEpisode,
    state: EpisodeState,
    step: EpisodeStep,
    judged: Mapping[str, object] | None,
) -> dict[str, object]:
    after = await alone.put(episode, state)
    return {
        **_shown(after),
        "observation": {
            "verdict": step.verdict,
            "rendering": _b64(step.rendering),
            "difference": _b64(step.difference),
            "error": {"message": step.error, "line": step.error_line} if step.error else None,
            "messages": step.messages,
        },
        "step": {"value": step.reward, "valid": step.valid, "reason": step.reason, "judged": judged},
    }


def _advanced(
    task: Task, episode: StoredEpisode, item: RewardItem, reward: Reward
) -> tuple[EpisodeState, EpisodeStep]:
    asked = item.asked.request
    reference = b"" if isinstance(asked, I2SError) or reward.value is None else asked.content().reference
    return advance(task, episode.rules, episode.state, reward, reference)


def _shown(episode: StoredEpisode) -> dict[str, object]:
    """Return how an episode stands."""
    state = episode.state
    reward = state.reward(episode.rules)
    return {
        "id": episode.id,
        "expires": datetime.fromtimestamp(episode.expires, UTC).isoformat(timespec="seconds"),
        "turn": len(state.rewards),
        "turns": episode.rules.turns,
        "done": state.done,
        "reward": {
            "value": reward,
            "valid": reward is not None,
            "reason": state.unjudged or ("" if state.rewards else "no answer was judged"),
            "turns": list(state.rewards),
        },
    }


def _completion(raw: bytes | bytearray) -> str:
    completion = _object(raw, ("completion",)).get("completion")
    if not isinstance(completion, str):
        raise invalid("completion is no text")
    return completion


def _object(raw: bytes | bytearray, known: Sequence[str]) -> Mapping[str, Any]:
    body = read_body(raw)
    if not isinstance(body, Mapping):
        raise invalid("the body is no object")
    for name in body:
        if name not in known:
            raise invalid(f"there is no field {name[:100]!r}; there are {', '.join(known)}")
    return body


def _b64(content: bytes | None) -> str | None:
    return base64.b64encode(content).decode("ascii") if content else None
