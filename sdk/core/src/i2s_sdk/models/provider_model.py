"""A model that is asked through a provider, with cache, concurrency limit, retries and prices."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from weakref import WeakValueDictionary

from PIL import Image

from i2s_sdk.errors import UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.cache import AnswerCache, Kept, RecordedCall, question_key
from i2s_sdk.models.completion import ModelAccessError, ModelFailedError, ModelRefusedError
from i2s_sdk.models.completion_bound import bounded_completion
from i2s_sdk.models.costs import Prices
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.models.options import REPEAT, ModelOptions
from i2s_sdk.models.provider import Answer, ModelProvider, ProviderLike, as_provider, one_line
from i2s_sdk.models.question import ReadImage, ReadQuestion, read_question
from i2s_sdk.models.retries import RetryingProvider
from i2s_sdk.tasks.question import Question

QUESTION = "Reply with the word OK."
#: Pixels on each side of the image; some servers refuse smaller ones.
_SIDE = 64
#: A server that is not there is not waited for.
_FAILURES = 3


def _white_image() -> ReadImage:
    file = io.BytesIO()
    Image.new("RGB", (_SIDE, _SIDE), "white").save(file, "PNG")
    return ReadImage(Path("preflight.png"), file.getvalue(), "image/png", _SIDE, _SIDE)


class ProviderModel(Model):
    """Asks a provider, once for each question.

    Its name is vendor and model, as ``--model`` has it; its fingerprint the address and the parameters, as
    JSON. A call in the journal is all attempts of a question together, written down when the first is made;
    answers that are kept are not calls.

    Attributes:
        provider: Provider that is asked.

    Args:
        provider: The provider that makes single attempts.
        options: Options of the calls.

    Raises:
        UsageError: The provider cannot send one of the options, or there is a budget and no price.
    """

    def __init__(self, provider: ProviderLike | ModelProvider, options: ModelOptions) -> None:
        provider = as_provider(provider)
        provider.require_options(options)
        self.provider = provider
        self.name = provider.name
        if options.repeat > 1:
            self.name += f"{REPEAT}{options.repeat})"
        self._facts = {"base_url": provider.base_url, **provider.parameters}
        self.fingerprint = json.dumps(self._facts, sort_keys=True)
        self.options: ModelOptions = options
        self.concurrency, self.whole = options.concurrency, provider.whole
        self._retrying = RetryingProvider(provider, options)
        self._cache = AnswerCache(options.cache if provider.repeatable else None)
        self._prices = Prices.load(options.prices)
        if options.budget.cost is not None and self._prices.cost(provider, 1, 1) is None:
            raise UsageError(
                f"--budget needs the price of model {self.name!r}: give it with --prices FILE, or give "
                "--token-budget"
            )
        self._under_way: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the completion of one question, kept or asked for.

        Raises:
            ModelRefusedError: The model would not answer.
            ModelInputRejectedError: The server rejected this one question.
            ModelFailedError: There is no usable answer.
            BudgetSpentError: What calls may cost is spent, and the answer is not kept.
            ModelAccessError: There will be none to any question.
            DataError: An image cannot be read.
        """
        completion = await self._completion(await self._read(instance, question))
        if completion.finish is Finish.REFUSED:
            said = f": {one_line(completion.text)}" if completion.text.strip() else ""
            raise ModelRefusedError(f"{self.name} refused to answer{said}", completion)
        return completion

    @property
    def sampling_fingerprint(self) -> str:
        """The fingerprint, and whether the user chose a temperature."""
        chosen = {"temperature_chosen": True} if self.options.temperature_chosen else {}
        return json.dumps({**self._facts, **chosen}, sort_keys=True)

    @property
    def takes_kept_answers(self) -> bool:
        """Whether answers are taken from the answer cache, and put into it."""
        return self.options.cache is not None and self.provider.repeatable

    async def is_kept(self, instance: Instance, question: Question) -> bool:
        """Return whether the cache has the answer to a question.

        Raises:
            DataError: An image cannot be read.
        """
        key = question_key(self.provider, await self._read(instance, question))
        return await asyncio.to_thread(self._cache.get, key) is not None

    @property
    def on_wait(self) -> Callable[[str], None] | None:
        """A function that is called with one line about the batches that are waited for."""
        return self.provider.on_wait

    @on_wait.setter
    def on_wait(self, listener: Callable[[str], None] | None) -> None:
        self.provider.on_wait = listener

    async def preflight(self, with_image: bool) -> None:
        """Ask a small question, so that a wrong address, key or name costs nothing else.

        It is left out if the options say so, or for a provider that is not asked by a server. The content of
        the answer does not matter.

        Args:
            with_image: Whether it has an image, as the questions of the run have.

        Raises:
            ModelAccessError: There was no answer.
        """
        provider, options = self.provider.single, self.options
        if not (options.preflight and provider.preflight):
            return
        parts: tuple[str | ReadImage, ...] = (QUESTION, _white_image()) if with_image else (QUESTION,)
        few = replace(options, failures=min(_FAILURES, options.failures))
        try:
            asked = await RetryingProvider(provider, few).ask(ReadQuestion("preflight", parts))
        except ModelFailedError as error:
            raise ModelAccessError(
                f"{error.message}. This was a small question before the run, and nothing was begun; "
                "--no-preflight leaves it out"
            ) from None
        self._spend(asked.answer)

    async def close(self) -> None:
        """Give back connections and processes."""
        await self.provider.close()

    async def _read(self, instance: Instance, question: Question) -> ReadQuestion:
        read = await asyncio.to_thread(read_question, instance, question)
        if read.sampling is None:
            return read
        return replace(read, sampling=self.options.sampling(read.sampling))

    async def _completion(self, question: ReadQuestion) -> Completion:
        key = question_key(self.provider, question)
        lock = self._under_way.setdefault(key, asyncio.Lock())
        async with lock:  # the same question from two samples is asked once
            kept = await asyncio.to_thread(self._cache.get, key)
            if kept is not None:
                return self._kept_completion(kept, question)
            self.options.budget.require()
            name = ""

            async def journal() -> None:
                nonlocal name
                name = await self._journaled(question, key)

            asked = await self._retrying.ask(question, journal)
            answer = bounded_completion(asked.answer, self.options.completion_characters)
            self._spend(answer)
            call = RecordedCall(name, asked.attempts, asked.seconds)
            if answer.finish is not Finish.TOO_LONG:  # with a larger bound it may be usable
                await asyncio.to_thread(self._cache.put, key, answer, call)
            return self._completion_of(answer, call)

    async def _journaled(self, question: ReadQuestion, key: str) -> str:
        """Write down that a call begins, and return its name.

        A question in a batch that was sent before an interruption is the call of before. One in a batch that
        another run has sent is asked anew, unless answers of other runs are wanted.
        """
        if self.on_call is None:
            return ""
        if await self.provider.is_under_way(key):
            last = self.on_call.last(question.id, question.name)
            if last:
                return last
            if self.options.cache is None:
                await self.provider.leave(key)
        return await self.on_call(question.id, question.name)

    def _kept_completion(self, kept: Kept, question: ReadQuestion) -> Completion:
        """Return a kept completion: paid for by this run if its own last call of the question brought it."""
        call, journal = kept.call, self.on_call
        if call and journal and journal.is_last(question.id, call.name, question.name):
            return self._completion_of(kept.answer, call)
        return replace(self._completion_of(kept.answer, None), cached_at=kept.at)

    def _spend(self, answer: Answer) -> None:
        """Count in the budget what an answer has cost."""
        self.options.budget.spend(self._cost(answer), answer.tokens_in, answer.tokens_out)

    def _cost(self, answer: Answer) -> float | None:
        return self._prices.cost(self.provider, answer.tokens_in, answer.tokens_out)

    def _completion_of(self, answer: Answer, call: RecordedCall | None) -> Completion:
        """Return the completion that an answer is; without a call nothing was paid now."""
        return Completion(
            text=answer.text,
            finish=answer.finish,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            cost=self._cost(answer),
            cached=call is None,
            attempts=call.attempts if call else 0,
            seconds=call.seconds if call else None,
            served=answer.served,
            reasoning=answer.reasoning,
            no_answer=answer.no_answer,
        )
