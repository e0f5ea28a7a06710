"""Batch APIs of vendors: many questions in one request, answered within hours at a lower price.

A batch is sent when it is full, or when no further question has come for ``gather_seconds``. Each batch is on
disk before it is sent. A question that a batch under way holds is waited for and not sent again, also by
another process and after an interruption. ::

    FOLDER/NAME.json    vendor, model, base_url, name, batch (the vendor's id), keys, begun

A file is written before its batch is sent, with an empty id, and again when the vendor has given the id.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import uuid
from collections.abc import Coroutine, Iterable, Sequence, Set
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from i2s_sdk.errors import I2SError, UsageError, WriteError
from i2s_sdk.files import write_whole, writing
from i2s_sdk.json_text import JsonFields, read_json
from i2s_sdk.models.cache import AnswerCache, AskedModel, question_key
from i2s_sdk.models.completion_bound import bounded_completion
from i2s_sdk.models.model import Finish
from i2s_sdk.models.options import Batching, ModelOptions, default_cache_folder
from i2s_sdk.models.provider import Answer, AttemptError, FaultError, ModelProvider, ThrottledError
from i2s_sdk.models.question import ReadQuestion
from i2s_sdk.models.vendors import BatchApi, BatchGoneError, BatchRequest, StainlessProvider

FORMAT = 1

#: Time after which no vendor has the results of a batch any more.
KEPT_FOR = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A batch that was sent, or was about to be."""

    vendor: str  #: as the provider has it, like the next two
    model: str
    base_url: str
    name: str  #: our name for the batch
    batch: str  #: the vendor's id; empty if it is not known whether the batch was accepted
    keys: tuple[str, ...]  #: keys of its questions
    begun: str  #: when it was about to be sent, in ISO 8601


class BatchRecords:
    """The records of batches in a folder, of one model.

    Args:
        folder: Folder of the records; made when a batch is sent.
        asked: The provider, whose batches are read.
    """

    def __init__(self, folder: Path, asked: AskedModel) -> None:
        self._folder, self._asked = folder, asked

    def read(self) -> list[BatchRecord]:
        """Return the batches of the model that may still have results, the oldest first."""
        ours = (self._asked.vendor, self._asked.model, self._asked.base_url)
        oldest = (datetime.now(UTC) - KEPT_FOR).isoformat()
        records = []
        for path in self._folder.glob("*.json"):
            record = _read_record(path)
            if record is None or (record.vendor, record.model, record.base_url) != ours:
                continue
            if record.begun < oldest:
                self.remove(record)
            else:
                records.append(record)
        return sorted(records, key=lambda one: one.begun)

    def begin(self, keys: Iterable[str]) -> BatchRecord:
        """Write down that a batch is about to be sent.

        Raises:
            WriteError: It cannot be written, so the batch must not be sent: nobody would find it again.
        """
        ours = (self._asked.vendor, self._asked.model, self._asked.base_url)
        begun = datetime.now(UTC).isoformat(timespec="seconds")
        record = BatchRecord(*ours, uuid.uuid4().hex, "", tuple(keys), begun)
        self._write(record)
        return record

    def sent(self, record: BatchRecord, batch: str) -> BatchRecord:
        """Write down the id of a batch that was sent.

        Raises:
            WriteError: It cannot be written.
        """
        record = replace(record, batch=batch)
        self._write(record)
        return record

    def replace(self, record: BatchRecord) -> None:
        """Write down which questions of a batch are left, or remove its record if none are."""
        if not record.keys:
            self.remove(record)
            return
        with contextlib.suppress(WriteError):  # all of its answers are read again, which costs nothing
            self._write(record)

    def remove(self, record: BatchRecord) -> None:
        """Remove the record of a batch: its results are read, or there are none."""
        with contextlib.suppress(OSError):  # it is read again, which costs nothing
            self._path(record).unlink()

    def _write(self, record: BatchRecord) -> None:
        path = self._path(record)
        with writing(path):
            write_whole(path, json.dumps({"format": FORMAT, **asdict(record)}, indent=1).encode())

    def _path(self, record: BatchRecord) -> Path:
        return self._folder / f"{record.name}.json"


def _read_record(path: Path) -> BatchRecord | None:
    """Return the record in a file; None if it cannot be read."""
    try:
        content = JsonFields(read_json(path.read_bytes()))
        record = content.read_as(BatchRecord)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return record if content.value("format") == FORMAT and record.name == path.stem else None


#: How often the state of a batch may not be answered one after the other, before its questions fail.
_UNANSWERED = 20


def batched(provider: ModelProvider, options: ModelOptions, batching: Batching) -> BatchedProvider:
    """Return a provider that asks another one's model by batches.

    Args:
        provider: The provider that makes single calls.
        options: Options of the calls.
        batching: How batches are made.

    Raises:
        UsageError: The vendor has no batch API here, or an option does not fit.
    """
    if options.budget.is_limited:
        raise UsageError("--budget cannot stop a batch that was sent: give --limit, and see --dry-run")
    api = provider.batch_api() if isinstance(provider, StainlessProvider) else None
    if api is None:
        name = f"{provider.vendor}/{provider.model}"
        raise UsageError(f"model {name!r} has no batch API: --batch is for openai/NAME and anthropic/NAME")
    return BatchedProvider(api, options, batching, (options.cache or default_cache_folder()) / "batches")


class BatchedProvider(ModelProvider):
    """Asks a model by the batch API of its vendor; whom and how, the provider of single calls says.

    Args:
        api: The vendor's.
        options: Options of the calls.
        batching: How batches are made.
        folder: Where batches under way are written down.
    """

    def __init__(self, api: BatchApi, options: ModelOptions, batching: Batching, folder: Path) -> None:
        provider = api.provider
        self.vendor, self.model, self.base_url = provider.vendor, provider.model, provider.base_url
        self.repeatable, self.parameters = provider.repeatable, provider.parameters
        self.decoding = provider.decoding
        self._single = provider
        self._api, self._options, self._batching = api, options, batching
        self._records = BatchRecords(folder, provider)
        self._cache = AnswerCache(options.cache)
        self._futures: dict[str, asyncio.Future[Answer]] = {}
        self._gathered: list[BatchRequest] = []
        self._bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._under_way: dict[str, BatchRecord] | None = None
        self._answered: dict[str, tuple[int, int]] = {}
        self._read: dict[str, BatchRecord] = {}
        self._reading = asyncio.Lock()

    @property
    def single(self) -> ModelProvider:
        """The provider of single calls."""
        return self._single

    async def is_under_way(self, key: str) -> bool:
        """Return whether a batch that was sent before holds a question, which is asked and billed then."""
        try:
            return key in await self._found()
        except AttemptError:  # when it is asked, it is looked for again
            return False

    async def leave(self, key: str) -> None:
        """Send a question that a batch under way holds anew: the batch was sent by another run."""
        (await self._found()).pop(key, None)

    async def ask(self, question: ReadQuestion) -> Answer:
        """Return the answer to a question once its batch has ended.

        Raises:
            AttemptError: There is no answer.
            ModelAccessError: There will never be one.
        """
        key = question_key(self, question)
        sent = await self._found()
        future = self._futures.get(key)
        if future is None:
            future = self._futures[key] = asyncio.get_running_loop().create_future()
            if key in sent:
                self._follow_once(sent[key])
            else:
                self._gather(self._request(key, question))
        try:
            return await asyncio.shield(future)
        finally:
            if future.done():
                self._futures.pop(key, None)

    async def close(self) -> None:
        """Stop waiting for batches, which go on at the vendor, and close the connections.

        Without an answer cache the records of batches that were read are removed here and not before, so that
        a run which is killed before it has written its answers down finds them again.
        """
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for future in self._futures.values():
            future.cancel()
        for record in self._read.values():
            await asyncio.to_thread(self._records.replace, record)
        self._read.clear()
        await self._single.close()

    async def _found(self) -> dict[str, BatchRecord]:
        """Return the batches that were sent before, by the keys of their questions."""
        async with self._reading:
            if self._under_way is None:
                by_key: dict[str, BatchRecord] = {}
                for record in await asyncio.to_thread(self._records.read):
                    sent: BatchRecord | None = record
                    if not record.batch:
                        sent = await self._named(record)
                    if sent is not None:
                        by_key |= dict.fromkeys(sent.keys, sent)
                self._under_way = by_key
        return self._under_way

    async def _named(self, record: BatchRecord) -> BatchRecord | None:
        """Return a record with the id of its batch; None if the vendor knows no batch of its name."""
        with self._api.failures():
            batch = await self._api.find(record.name)
        return None if batch is None else await asyncio.to_thread(self._records.sent, record, batch)

    def _request(self, key: str, question: ReadQuestion) -> BatchRequest:
        request = self._single.request(question)
        headers = {k: v for k, v in request.pop("extra_headers", {}).items() if k != "Accept-Encoding"}
        further = request.pop("extra_body", {})
        return BatchRequest(key, {**request, **further}, headers)

    def _gather(self, request: BatchRequest) -> None:
        """Add a question to the next batch, and send that if it is full."""
        size = len(json.dumps(request.body))
        if self._gathered and self._bytes + size > self._api.most_bytes:
            self._send_gathered()
        self._gathered.append(request)
        self._bytes += size
        if len(self._gathered) >= min(self._batching.requests, self._api.most_requests):
            self._send_gathered()
            return
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._batching.gather_seconds, self._send_gathered)

    def _send_gathered(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._gathered:
            requests, self._gathered, self._bytes = self._gathered, [], 0
            self._start(self._send(requests), [request.key for request in requests])

    def _follow_once(self, record: BatchRecord) -> None:
        """Wait for a batch of before, unless somebody does already."""
        if record.name not in self._answered:
            self._answered[record.name] = (0, len(record.keys))
            self._start(self._follow(record), record.keys)

    def _start(self, work: Coroutine[Any, Any, None], keys: Sequence[str]) -> None:
        async def guarded() -> None:
            try:
                await work
            except Exception as error:  # whatever it is, those who wait must hear of it
                for key in keys:
                    self._end(key, error)

        task = asyncio.create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self, requests: Sequence[BatchRequest]) -> None:
        record = await asyncio.to_thread(self._records.begin, [request.key for request in requests])
        try:
            with self._api.failures():
                batch: str | None = await self._api.send(record.name, requests)
        except FaultError:  # it may have been accepted all the same
            with self._api.failures():
                batch = await self._api.find(record.name)
            if batch is None:
                self._records.remove(record)
                raise
        except (AttemptError, I2SError):
            self._records.remove(record)
            raise
        record = await asyncio.to_thread(self._records.sent, record, batch or "")
        del requests  # their images need not be in memory until the batch has ended
        self._answered[record.name] = (0, len(record.keys))
        self._notify()
        await self._follow(record)

    async def _follow(self, record: BatchRecord) -> None:
        """Wait until a batch has ended, and hand its results to those who wait for them."""
        try:
            await self._ended(record)
            seen, unclaimed = await self._read_results(record)
        except BatchGoneError:
            self._forget(record)
            raise
        if self._options.cache is None:
            self._note_read(record, unclaimed)
        else:
            self._forget(record)
        for key in record.keys:
            if key not in seen:
                self._end(key, FaultError("its batch has ended without an answer"))

    async def _ended(self, record: BatchRecord) -> None:
        unanswered = 0
        while True:
            try:
                with self._api.failures(record.batch):
                    state = await self._api.state(record.batch)
                unanswered = 0
            except BatchGoneError:
                raise
            except (FaultError, ThrottledError):
                unanswered += 1
                if unanswered >= _UNANSWERED:
                    raise
            else:
                self._answered[record.name] = (state.answered, len(record.keys))
                self._notify()
                if state.fault is not None:
                    self._forget(record)
                    raise state.fault
                if state.ended:
                    return
            await asyncio.sleep(self._batching.poll_seconds)

    async def _read_results(self, record: BatchRecord) -> tuple[set[str], set[str]]:
        """Hand out the results of a batch.

        Returns:
            The keys of all results, and those of answers that nobody waits for.
        """
        seen: set[str] = set()
        unclaimed: set[str] = set()
        async for key, result in self._api.results(record.batch):
            seen.add(key)
            if isinstance(result, Answer):
                answer = bounded_completion(result, self._options.completion_characters)
                if answer.finish is not Finish.TOO_LONG:  # also those that nobody waits for in this run
                    await asyncio.to_thread(self._cache.put, key, answer)
                if not self._end(key, answer):
                    unclaimed.add(key)
            else:
                self._end(key, result)
        return seen, unclaimed

    def _note_read(self, record: BatchRecord, unclaimed: Set[str]) -> None:
        """Note that a batch was read, of which only the answers that nobody waited for are still of use."""
        left = self._read.get(record.name, record).keys
        self._read[record.name] = replace(record, keys=tuple(key for key in left if key in unclaimed))
        self._answered.pop(record.name, None)
        for key in set(record.keys) - unclaimed:
            if self._under_way is not None:
                self._under_way.pop(key, None)

    def _forget(self, record: BatchRecord) -> None:
        self._answered.pop(record.name, None)
        self._records.remove(record)
        for key in record.keys:
            if self._under_way is not None:
                self._under_way.pop(key, None)

    def _end(self, key: str, result: Answer | Exception) -> bool:
        """Hand a result to those who wait for it, and return whether anybody does."""
        future = self._futures.get(key)
        if future is None or future.done():
            return False
        if isinstance(result, Answer):
            future.set_result(result)
        else:
            future.set_exception(result)
        return True

    def _notify(self) -> None:
        if self.on_wait is not None and self._answered:
            answered = sum(one for one, _ in self._answered.values())
            questions = sum(one for _, one in self._answered.values())
            batches = len(self._answered)
            self.on_wait(
                f"{batches} {'batch' if batches == 1 else 'batches'} under way, "
                f"{answered} of {questions} questions answered"
            )
