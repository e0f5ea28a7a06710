"""The options of calls: how a model is asked, and what that may cost."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from i2s_sdk.errors import UsageError
from i2s_sdk.files import cache_folder
from i2s_sdk.json_text import read_strict_json
from i2s_sdk.models.completion import BudgetSpentError
from i2s_sdk.settings import COMPLETION_CHARACTERS, Settings
from i2s_sdk.tasks.question import DECODING, Sampling


@dataclass(slots=True)
class Budget:
    """Money and tokens that the calls of one command may take together; shared by all of its models.

    A call is made as long as less is spent than may be. Calls that are in flight then are finished and
    counted, so a little more can be spent. Answers from the cache cost nothing.
    """

    cost: float | None = None  #: USD; None sets no limit
    tokens: int | None = None  #: maximum number of tokens of questions and answers; None sets no limit
    _cost: float = field(default=0.0, init=False)
    _tokens: int = field(default=0, init=False)
    _unknown: str = field(default="", init=False)

    def __post_init__(self) -> None:
        if self.cost is not None and not 0 < self.cost < math.inf:
            raise UsageError(f"--budget {self.cost} is not a number of USD above 0")
        if self.tokens is not None and self.tokens < 1:
            raise UsageError(f"--token-budget {self.tokens} is below 1")

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit."""
        return self.cost is not None or self.tokens is not None

    def require(self) -> None:
        """Check that another call may be made.

        Raises:
            BudgetSpentError: The budget is spent, or nobody knows how much of it.
        """
        if self._unknown:
            raise BudgetSpentError(f"not asked: {self._unknown}, so nobody knows what is left of the budget")
        if self.cost is not None and self._cost >= self.cost:
            raise BudgetSpentError(
                f"not asked: the budget of {self.cost:g} USD is spent ({self._cost:.4f} USD); {_GO_ON}"
            )
        if self.tokens is not None and self._tokens >= self.tokens:
            raise BudgetSpentError(
                f"not asked: the budget of {self.tokens} tokens is spent ({self._tokens}); {_GO_ON}"
            )

    def spend(self, cost: float | None, tokens_in: int | None, tokens_out: int | None) -> None:
        """Count what a call has cost.

        Args:
            cost: USD; None if nobody knows.
            tokens_in: Tokens of the question; None if the server did not say.
            tokens_out: Tokens of the answer; None if the server did not say.
        """
        if not self.is_limited:
            return
        if tokens_in is None or tokens_out is None:
            self._unknown = "the server does not say how many tokens it has read and written"
        elif cost is None and self.cost is not None:
            self._unknown = "the price of the model is not known"
        self._cost += cost or 0.0
        self._tokens += (tokens_in or 0) + (tokens_out or 0)


_GO_ON = "the same command goes on, with as much again"


#: Further options of a call that decide its answer, by the field of ModelOptions, and their flags.
FLAGS: Mapping[str, str] = {
    "top_p": "--top-p",
    "seed": "--model-seed",
    "stop": "--stop",
    "reasoning_effort": "--reasoning-effort",
    "extra_body": "--extra-body",
}

#: Fields of a request that it has from the model and the question.
_OURS = frozenset({"model", "messages", "contents", "stream", "n"})


def parse_extra_body(text: str) -> dict[str, Any]:
    """Return the fields that a JSON text of ``--extra-body`` has.

    Raises:
        UsageError: It is not a JSON object.
    """
    try:
        value = read_strict_json(text)
    except ValueError as error:
        raise UsageError(f"--extra-body is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError("--extra-body is no JSON object such as '{\"top_k\": 20}'")
    return value


def default_cache_folder() -> Path:
    """Return the folder of the answer cache if nobody names another: i2s/answers of the user's caches."""
    return cache_folder("answers")


def answer_cache_folder(settings: Settings) -> Path | None:
    """Return the folder of the answer cache as the settings have it; None if they want none."""
    match settings.answer_cache:
        case "no":
            return None
        case "yes":
            return default_cache_folder()
    return Path(settings.answer_cache)


#: Stands before the number of a repeat behind the name of a model.
REPEAT = " (repeat "


class DefaultTemperature(float):
    """The temperature if the user chose none; the sampling of a question goes before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batching:
    """The way in which questions are sent by the batch API of a vendor."""

    #: Maximum number of questions of a batch. Twice as many wait at the same time, their images in memory.
    requests: int = 1000
    #: A batch that is not full is sent when no further question has come for so long.
    gather_seconds: float = 5.0
    poll_seconds: float = 30.0  #: seconds between two looks at the state of a batch
    wait_seconds: float = 26 * 3600.0  #: seconds for all attempts of a question; a batch may take a day

    def __post_init__(self) -> None:
        _require_from_one("batch requests", self.requests)
        _require_seconds("batch gather_seconds", self.gather_seconds)
        _require_seconds("batch poll_seconds", self.poll_seconds)
        _require_seconds("batch wait_seconds", self.wait_seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """The way in which models are called."""

    base_url: str | None = None  #: address of the server; None is the vendor's own
    #: Name of the environment variable that holds the key; None is the vendor's own variable, which is not
    #: sent to a server of another ``base_url``.
    key_env: str | None = None
    #: 0 is greedy; None leaves it to the server, for models that accept none. A value that is given goes
    #: before the sampling of a question; see ``sampling``.
    temperature: float | None = DefaultTemperature(DECODING.temperature)
    max_tokens: int = DECODING.max_tokens  #: maximum number of tokens of a completion
    #: Top p above 0, at most 1: tokens are drawn from the most probable ones that together have this
    #: probability. It goes before that of a question, and needs a temperature that was chosen.
    top_p: float | None = None
    seed: int | None = None  #: seed of the draws; few servers promise the same answer again
    stop: tuple[str, ...] = ()  #: texts at which a completion ends
    #: How much a model thinks before it answers, in the words of its server, such as "low"; empty leaves it
    #: to the server.
    reasoning_effort: str = ""
    #: Further fields of the request, for what a server has beside the fields above.
    extra_body: Mapping[str, Any] = field(default_factory=dict, hash=False)
    #: Seconds after which an attempt without an answer is made again, once the server has shown that it works
    #: on several calls at once; see :mod:`i2s_sdk.models.retries`.
    call_seconds: float = 300.0
    #: Seconds for all attempts of a call and the pauses between, waiting for the concurrency limit left out.
    retry_seconds: float = 900.0
    failures: int = 5  #: failures of a call, rate limits left out, after which it is given up
    concurrency: int = 16  #: maximum number of calls in flight; fewer after a rate limit
    first_pause: float = 0.5  #: seconds after a first failure; they double with each further one
    longest_pause: float = 30.0  #: maximum seconds of a pause, if the server does not ask for more
    #: Maximum length of a completion; a longer one is not usable, and its rest is not read.
    completion_characters: int = COMPLETION_CHARACTERS
    pdftotext_cpu_seconds: float = 60.0  #: CPU time of ``baseline/pdftotext`` for one document
    pdftotext_memory_bytes: int = 1 << 30  #: memory of ``baseline/pdftotext``
    #: Folder of the answer cache, from which answers of earlier runs are taken; None keeps none.
    cache: Path | None = None
    prices: Path | None = None  #: file that replaces the bundled prices
    #: What all calls with these options may cost together.
    budget: Budget = field(default_factory=Budget, compare=False)
    repeat: int = 1  #: number of this repeat, from 1 on; answers of different repeats are kept apart
    preflight: bool = True  #: whether a server is asked a small question before a run begins
    batching: Batching | None = None  #: how batches are made; None asks each question by a call of its own
    repeats: int = field(default=1, compare=False)  #: number of repeats in all; it changes no answer

    def __post_init__(self) -> None:
        _require_seconds("call_seconds", self.call_seconds)
        _require_seconds("retry_seconds", self.retry_seconds)
        _require_seconds("longest_pause", self.longest_pause)
        _require_seconds("pdftotext_cpu_seconds", self.pdftotext_cpu_seconds)
        _require_from_one("max_tokens", self.max_tokens)
        _require_from_one("failures", self.failures)
        _require_from_one("concurrency", self.concurrency)
        _require_from_one("completion_characters", self.completion_characters)
        _require_from_one("repeat", self.repeat)
        if self.temperature is not None and not 0 <= self.temperature < math.inf:
            raise UsageError(f"model option temperature: {self.temperature} is not a number from 0 on")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise UsageError(f"--top-p {self.top_p} is not above 0 and at most 1")
        if self.top_p is not None and not self.temperature_chosen:
            raise UsageError("--top-p needs --temperature: at the default, 0, nothing is drawn")
        if "" in self.stop:
            raise UsageError("--stop with an empty text would end every answer at once")
        if taken := sorted(_OURS & set(self.extra_body)):
            raise UsageError(f"--extra-body has {', '.join(taken)}, which the model and the question decide")
        if self.base_url is not None and (
            urlsplit(self.base_url).scheme not in ("http", "https") or not urlsplit(self.base_url).hostname
        ):
            raise UsageError(
                f"--base-url {public_address(self.base_url)!r} is no address such as http://127.0.0.1:8000/v1"
            )

    @property
    def of_batches(self) -> ModelOptions:
        """The options of calls that wait for a batch: as many at once, and as long, as ``batching`` says."""
        if self.batching is None:
            return self
        seconds = self.batching.wait_seconds
        most = max(self.concurrency, 2 * self.batching.requests)
        return replace(self, call_seconds=seconds, retry_seconds=seconds, concurrency=most)

    @property
    def longest_attempt_seconds(self) -> float:
        """Maximum seconds of one attempt."""
        return max(self.call_seconds, self.retry_seconds)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that are sent with a question and decide the answer."""
        plain = {"temperature": self.temperature, "max_tokens": self.max_tokens, **self.chosen}
        return plain if self.repeat == 1 else {**plain, "repeat": self.repeat}

    @property
    def chosen(self) -> dict[str, Any]:
        """The options of FLAGS that were given, as they are sent to a program and kept with a run."""
        given = {
            "top_p": self.top_p,
            "seed": self.seed,
            "stop": list(self.stop),
            "reasoning_effort": self.reasoning_effort,
            "extra_body": self.extra_body,
        }
        return {name: value for name, value in given.items() if value not in (None, [], "", {})}

    @property
    def temperature_chosen(self) -> bool:
        """Whether the temperature was given, even if it is the default or None."""
        return not isinstance(self.temperature, DefaultTemperature)

    def sampling(self, wanted: Sampling | None) -> Sampling:
        """Return the sampling of a completion.

        A temperature that the user chose, and top_p, replace those of the question and leave its other
        values. None, if chosen, leaves everything but top_p to the server.

        Args:
            wanted: The sampling of the question; None for a question without one, which has the temperature
                of the options.
        """
        if self.temperature is None:
            return Sampling(top_p=self.top_p)
        if wanted is None:
            return Sampling(temperature=self.temperature, top_p=self.top_p)
        if not self.temperature_chosen:
            return wanted
        top_p = wanted.top_p if self.top_p is None else self.top_p
        return replace(wanted, temperature=self.temperature, top_p=top_p)


def _require_seconds(name: str, value: float) -> None:
    if not 0 < value < math.inf:
        raise UsageError(f"model option {name}: {value} is not a number of seconds above 0")


def _require_from_one(name: str, value: int) -> None:
    if value < 1:
        raise UsageError(f"model option {name}: {value} is below 1")


def options_from(settings: Settings) -> ModelOptions:
    """Return the options that settings decide, with the defaults of all others."""
    return ModelOptions(
        completion_characters=settings.completion_characters,
        pdftotext_cpu_seconds=settings.pdftotext_cpu_seconds,
        pdftotext_memory_bytes=settings.pdftotext_memory_bytes,
        cache=answer_cache_folder(settings),
    )


#: The fact of a run: words of the command line, quoted as a shell has them.
OPTIONS_FACT = "options"

#: The fact of a run: the most tokens of a completion.
MAX_TOKENS_FACT = "max tokens"

_MAX_TOKENS_FLAG = "--max-tokens"

#: Beginnings of settings that decide what tasks ask.
_OF_TASKS = ("sobench_", "readoc_")


def option_words(options: ModelOptions | None, settings: Settings) -> str:
    """Return the options of a run beside its data, model and instances; of files only the names.

    Args:
        options: The options of the calls; None for a model that is not called.
        settings: The settings of the run.
    """
    words = [] if options is None else _words_of_calls(options)
    if settings.prompts is not None:
        words += ["--prompts", settings.prompts.name]
    for setting in fields(settings):
        value = getattr(settings, setting.name)
        if setting.name.startswith(_OF_TASKS) and value is not None and value != setting.default:
            words += ["--set", f"{setting.name}={value.name if isinstance(value, Path) else value}"]
    return shlex.join(words)


def max_tokens_of(about: Mapping[str, str]) -> int | None:
    """Return the most tokens of a completion by the facts of a run; None if they do not say.

    Earlier versions kept the option alone, if it was not the default.
    """
    words = shlex.split(about.get(OPTIONS_FACT, ""))
    options = dict(pairwise(words))
    value = about.get(MAX_TOKENS_FACT, options.get(_MAX_TOKENS_FLAG, ""))
    return int(value) if value.isdecimal() else None


def _words_of_calls(options: ModelOptions) -> list[str]:
    words: list[str] = []
    if options.base_url is not None:
        words += ["--base-url", public_address(options.base_url)]
    if options.temperature_chosen:
        words += ["--temperature", "none" if options.temperature is None else f"{options.temperature:g}"]
    if options.max_tokens != DECODING.max_tokens:
        words += [_MAX_TOKENS_FLAG, str(options.max_tokens)]
    for name, value in options.chosen.items():
        for item in value if isinstance(value, list) else [value]:
            words += [FLAGS[name], json.dumps(item) if isinstance(item, dict) else str(item)]
    return words + (["--repeats", str(options.repeats)] if options.repeats > 1 else [])


def public_address(address: str) -> str:
    """Return an address without what may be secret, which is all that is written down: no user, no query."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))
