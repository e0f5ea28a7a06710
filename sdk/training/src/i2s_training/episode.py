"""Episodes: one instance as an environment, in which an answer is rendered, looked at and corrected.

>>> episode = Episode(RoundTripReward(), "eq-17", turns=3)  # doctest: +SKIP
>>> start = episode.reset()  # doctest: +SKIP
>>> step = episode.step(model(start.messages))  # doctest: +SKIP

An episode begins with the question of the task. Each answer is rendered and gets its reward, by the rules of
``RoundTripReward``; its *observation* is the rendering, the difference from the image that was asked for, and
the first error. With it the model is asked again, until it has had all turns, says DONE, or repeats its
answer. The reward of the episode is that of its last answer.

An answer without a reward because a service failed does not use up its turn: the step is not ``valid``, and
is made again with the same answer. An episode whose last answer has no reward has none.

What a step does to an episode is a function of values (:func:`stay`, :func:`advance`), which servers use as
well. The errors are::

    UsageError
    ├── EpisodeOverError    the episode takes no more answers
    └── EpisodeBusyError    a step of the episode is under way
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from i2s_sdk.errors import I2SError, UsageError
from i2s_sdk.files import read_file
from i2s_sdk.instances.images import read_header
from i2s_sdk.instances.instance import Instance
from i2s_sdk.run.turns import first_error
from i2s_sdk.tasks.question import ImagePart, TextPart, joined_texts
from i2s_sdk.tasks.registry import DEFAULT_TASK
from i2s_sdk.tasks.task import Task
from i2s_sdk.tasks.turn import (
    DIFFERENCE,
    Observation,
    ObservedImage,
    TurnResult,
    observe,
    require_turns,
    says_done,
)
from i2s_training.batch_reward import BatchReward, Reward, RewardRequest
from i2s_training.completion_scorer import RoundTripRequest, RoundTripResult

#: Answers of an episode unless another number is given, and the most of them.
DEFAULT_TURNS, MOST_TURNS = 3, 16

#: Which answer the reward of an episode is that of.
FinalReward = Literal["last", "best"]


class EpisodeOverError(UsageError):
    """The episode takes no more answers."""


class EpisodeBusyError(UsageError):
    """A step of the episode is under way."""


@dataclass(frozen=True, slots=True)
class EpisodeRules:
    """What holds for all steps of an episode.

    Raises:
        UsageError: A value has no meaning.
    """

    #: The most answers that are judged.
    turns: int = DEFAULT_TURNS
    #: Whether the reward is that of the last answer or of the best one.
    final: FinalReward = "last"

    def __post_init__(self) -> None:
        if type(self.turns) is not int or not 1 <= self.turns <= MOST_TURNS:
            raise UsageError(f"turns {self.turns!r}: must be from 1 to {MOST_TURNS}")
        if self.final not in ("last", "best"):
            raise UsageError(f"final {self.final!r}: must be 'last' or 'best'")


@dataclass(frozen=True, slots=True)
class EpisodeState:
    """What steps change; all else of an episode is what it was opened with."""

    #: Rewards of the answers that were judged, in order.
    rewards: tuple[float, ...] = ()
    #: SHA-256 of the code of the last of these answers; empty if it had none.
    code_sha256: str = ""
    #: Why the latest answer has no reward; empty if it has one.
    unjudged: str = ""
    #: Whether the episode takes no more answers.
    done: bool = False

    def reward(self, rules: EpisodeRules) -> float | None:
        """Return the reward of the episode as far as it has come; None if its last answer has none."""
        if self.unjudged or not self.rewards:
            return None
        return max(self.rewards) if rules.final == "best" else self.rewards[-1]


#: A text, or an encoded image.
MessagePart = str | bytes


@dataclass(frozen=True, slots=True)
class EpisodeStart:
    """The question of an episode."""

    #: Texts and encoded images in the order in which the model reads them.
    parts: tuple[MessagePart, ...] = field(repr=False)
    #: The system text; empty for none.
    system: str = ""
    #: The image that is asked for, encoded; empty if there is none.
    image: bytes = field(default=b"", repr=False)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation so far, as chat completions have it; images are data: URLs."""
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, user_message(self.parts)]


@dataclass(frozen=True, slots=True)
class EpisodeStep:
    """The result of an answer."""

    #: Number of answers that were judged so far.
    turn: int
    #: Reward of the answer; None if it has none, which says nothing of the answer.
    reward: float | None
    #: Why it has none; empty if it has one.
    reason: str
    #: Whether the episode takes no more answers.
    done: bool
    #: Name of the verdict of the renderer, or of the outcome of an answer that was not rendered; "DONE" of
    #: one that leaves the answer before it; empty of one without a result.
    verdict: str = ""
    #: The first error; empty if there is none.
    error: str = ""
    #: Its line in the answer, from 1; 0 if it is not known.
    error_line: int = 0
    #: Texts and images that the model is shown next; none if the episode is over.
    parts: tuple[MessagePart, ...] = field(default=(), repr=False)
    #: The rendering as a PNG; None if there is none.
    rendering: bytes | None = field(default=None, repr=False)
    #: The difference from the image that was asked for as a PNG; None if there is none.
    difference: bytes | None = field(default=None, repr=False)
    #: All that is known of the answer; None if an error kept it from a result.
    result: RoundTripResult | None = field(default=None, repr=False)

    @property
    def valid(self) -> bool:
        """Whether the answer has a reward."""
        return self.reward is not None

    @property
    def messages(self) -> list[dict[str, Any]]:
        """What the conversation goes on with after the answer; empty if the episode is over."""
        return [user_message(self.parts)] if self.parts else []


def user_message(parts: Sequence[MessagePart]) -> dict[str, Any]:
    """Return a message of the user as chat completions have it; images are data: URLs."""
    return {"role": "user", "content": [_chat_part(part) for part in parts]}


def _chat_part(part: MessagePart) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    kind = read_header(part).media_type
    url = f"data:{kind};base64,{base64.b64encode(part).decode('ascii')}"
    return {"type": "image_url", "image_url": {"url": url}}


def start_of(task: Task, request: RoundTripRequest) -> EpisodeStart:
    """Return the question of an episode.

    Args:
        task: Task of the request.
        request: The reference; its completion is not looked at.

    Raises:
        UsageError: The task renders nothing, or asks several questions of the instance.
        DataError: The reference or another image cannot be read.
    """
    require_turns(task)
    instance, content = request.instance(), request.content()
    questions = task.questions(instance)
    if len(questions) != 1:
        raise UsageError(f"an episode asks one question; {instance.id!r} has {len(questions)}")
    (question,) = questions
    if question.incomplete:
        raise UsageError(question.incomplete)
    parts: list[MessagePart] = []
    for part in joined_texts(question):
        if isinstance(part, TextPart):
            parts.append(part.text)
        elif isinstance(part, ImagePart):
            parts.append(content.reference if part.path == instance.image else read_file(part.path))
    return EpisodeStart(tuple(parts), question.system, content.reference)


def stay(task: Task, state: EpisodeState, completion: str) -> tuple[EpisodeState, EpisodeStep] | None:
    """Return the end of an episode whose model says that its answer is to stay, or None.

    The first answer of an episode is always judged.

    Raises:
        EpisodeOverError: The episode is over.
    """
    if state.done:
        raise EpisodeOverError("the episode is over; begin another one")
    if not state.rewards or not says_done(task, completion):
        return None
    after = replace(state, unjudged="", done=True)
    return after, EpisodeStep(len(state.rewards), state.rewards[-1], "", True, "DONE")


def advance(
    task: Task, rules: EpisodeRules, state: EpisodeState, reward: Reward, reference: bytes
) -> tuple[EpisodeState, EpisodeStep]:
    """Return an episode after an answer was judged, and what is said of the answer.

    Args:
        task: Task of the episode.
        rules: Its rules.
        state: The episode before.
        reward: Reward of the answer. Without one the answer has used no turn; if that is because of the data,
            the episode is over.
        reference: The image that was asked for, encoded; empty if there is none.

    Raises:
        ImageFaultError: The reference is not an image.
    """
    if reward.value is None:
        reason = reward.error.message if reward.error else "none of the metrics of the reward is defined"
        after = replace(state, unjudged=reason, done=reward.data_fault)
        return after, EpisodeStep(len(state.rewards), None, reason, after.done, result=reward.result)
    assert reward.result is not None, "what has a reward was judged"
    rendering = reward.result.record.rendering
    code = rendering.structure
    digest = hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest() if code else ""
    rewards = (*state.rewards, reward.value)
    done = len(rewards) >= rules.turns or digest == state.code_sha256 != ""
    told = turn_result(reward.result)
    shown = observe(task, told, reference)
    images = {part.name: part.png for part in shown.parts if isinstance(part, ObservedImage)}
    parts = () if done else _parts(shown)
    return EpisodeState(rewards, digest, "", done), EpisodeStep(
        turn=len(rewards),
        reward=reward.value,
        reason="",
        done=done,
        verdict=rendering.verdict.name if rendering.verdict else reward.result.outcome.name,
        error=told.error,
        error_line=told.line,
        parts=parts,
        rendering=reward.result.png,
        difference=images.get(DIFFERENCE),
        result=reward.result,
    )


def _parts(shown: Observation) -> tuple[MessagePart, ...]:
    """Return the parts of an observation; texts that follow one another are one, as providers are asked."""
    parts: list[MessagePart] = []
    for part in shown.parts:
        if isinstance(part, ObservedImage):
            parts.append(part.png)
        elif parts and isinstance(parts[-1], str):
            parts[-1] += part
        else:
            parts.append(part)
    return tuple(parts)


def turn_result(result: RoundTripResult) -> TurnResult:
    """Return what a model is shown of a judged answer."""
    error, line = first_error(result.record.rendering)
    rendering = result.record.rendering
    return TurnResult(result.png, rendering.verdict, error, line, rendering.structure or "")


class Episode:
    """One instance as an environment: ``reset`` asks, ``step`` judges an answer and shows what became of it.

    Args:
        reward: Reward of the answers. Episodes can share one, which keeps the services open.
        reference: What is asked for: an instance, the id of one in the data set of the reward, the path of an
            image, or an encoded image; or a whole request, and none of the arguments of an image.
        task: Task of an image; an instance has its own.
        structure: Ground truth of an image, for the metric ``edit``.
        assets: Files that the answer may use, of an image.
        turns: The most answers, from 1 to 16.
        final: Whether the reward of the episode is that of its last answer or of the best one.
        floor: Floor of the instance; None takes that of the reward.
        ceiling: Ceiling of the instance; None takes that of the reward.

    Raises:
        UsageError: A value has no meaning, the task renders nothing, or the reward does not judge it.
        DataError: There is no such instance, or the request is at fault.
    """

    def __init__(
        self,
        reward: BatchReward,
        reference: Instance | str | Path | bytes | RewardRequest,
        *,
        task: str = DEFAULT_TASK,
        structure: str | None = None,
        assets: Mapping[str, bytes] | None = None,
        turns: int = DEFAULT_TURNS,
        final: FinalReward = "last",
        floor: float | None = None,
        ceiling: float | None = None,
    ) -> None:
        self._reward, self._rules = reward, EpisodeRules(turns, final)
        if not isinstance(reference, RewardRequest):
            given = reward.instance(reference) if isinstance(reference, str) else reference
            request = RoundTripRequest(given, "", task, structure, assets or {})
            reference = RewardRequest(request, floor, ceiling)
        if isinstance(reference.request, I2SError):
            raise reference.request
        self._asked, self._request = reference, reference.request
        self._task = reward.task(self._request.instance().task)
        require_turns(self._task)
        self._state = EpisodeState()
        self._lock = threading.Lock()

    @property
    def state(self) -> EpisodeState:
        """What the steps so far came to."""
        return self._state

    @property
    def done(self) -> bool:
        """Whether the episode takes no more answers."""
        return self._state.done

    @property
    def final_reward(self) -> float | None:
        """The reward of the episode as far as it has come; None if its last answer has none.

        ``state.unjudged`` says why the last answer has none.
        """
        return self._state.reward(self._rules)

    def reset(self) -> EpisodeStart:
        """Begin anew and return the question.

        Raises:
            UsageError: The task asks several questions of the instance.
            DataError: The reference or another image cannot be read.
            EpisodeBusyError: A step is under way.
        """
        with self._alone():
            start = start_of(self._task, self._request)
            self._state = EpisodeState()
        return start

    def step(self, completion: str) -> EpisodeStep:
        """Judge an answer and return what became of it.

        Raises:
            EpisodeOverError: The episode takes no more answers.
            EpisodeBusyError: Another step is under way.
            AccessError: A service refuses all calls of this client.
            StackError: A service cannot be started.
        """
        with self._alone():
            if (step := self._stayed(completion)) is not None:
                return step
            (reward,) = self._reward.judge_requests([self._answered(completion)])
            return self._advanced(reward)

    async def step_async(self, completion: str) -> EpisodeStep:
        """Do the same as ``step`` for coroutines."""
        with self._alone():
            if (step := self._stayed(completion)) is not None:
                return step
            (reward,) = await self._reward.judge_requests_async([self._answered(completion)])
            return await asyncio.to_thread(self._advanced, reward)  # it draws the difference

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise EpisodeBusyError("a step of the episode is under way; wait for its result")
        try:
            yield
        finally:
            self._lock.release()

    def _stayed(self, completion: str) -> EpisodeStep | None:
        ended = stay(self._task, self._state, completion)
        if ended is None:
            return None
        self._state, step = ended
        return step

    def _answered(self, completion: str) -> RewardRequest:
        return replace(self._asked, request=replace(self._request, completion=completion))

    def _advanced(self, reward: Reward) -> EpisodeStep:
        reference = self._request.content().reference if reward.value is not None else b""
        self._state, step = advance(self._task, self._rules, self._state, reward, reference)
        return step
