"""The batch API of OpenAI.

Source of the protocol: OpenAI's API reference, "Batch" and "Files".
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

from i2s_sdk.models.batches.api import BatchGoneError, BatchRequest, BatchResult, BatchState, result_lines
from i2s_sdk.models.http_status import status_error, transport_fault
from i2s_sdk.models.openai_chat import OpenAIChat, read_answer, refusal_of
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import Answer, AttemptError, FaultError, RejectedError, ThrottledError, one_line

if TYPE_CHECKING:
    from openai.types import Batch

_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_NAME = "i2s_batch"
_MEGABYTE = 1_000_000
#: Batches that are looked through for the name of one.
_LISTED = 1_000


class OpenAIBatches:
    """Sends chat completions in batches.

    Args:
        provider: The provider that makes the requests and has the connections.
        options: Options of the calls.
    """

    most_bytes = 180 * _MEGABYTE  # OpenAI's limit is 200
    most_requests = 50_000

    def __init__(self, provider: OpenAIChat, options: ModelOptions) -> None:
        self.provider, self._most_characters = provider, options.completion_characters

    async def send(self, name: str, requests: Sequence[BatchRequest]) -> str:
        """Send a batch and return its id; see ``BatchApi``."""
        client = self.provider.client
        lines = (
            json.dumps(
                {"custom_id": one.key, "method": "POST", "url": "/v1/chat/completions", "body": one.body}
            )
            for one in requests
        )
        content = "\n".join(lines).encode()
        try:
            file = await client.files.create(file=(f"i2s-{name}.jsonl", content), purpose="batch")
            batch = await client.batches.create(
                input_file_id=file.id,
                endpoint="/v1/chat/completions",
                completion_window="24h",
                metadata={_NAME: name},
            )
        except Exception as error:
            raise self._error(error) from None
        return batch.id

    async def find(self, name: str) -> str | None:
        """Return the id of a batch that was sent with a name."""
        seen = 0
        try:
            async for one in self.provider.client.batches.list(limit=100):
                if (one.metadata or {}).get(_NAME) == name:
                    return one.id
                seen += 1
                if seen >= _LISTED:
                    break
        except Exception as error:
            raise self._error(error) from None
        return None

    async def state(self, batch: str) -> BatchState:
        """Return how far a batch is."""
        found = await self._retrieve(batch)
        counts = found.request_counts
        answered = counts.completed + counts.failed if counts else 0
        fault = _fault(found) if found.status == "failed" else None
        return BatchState(found.status in _ENDED, answered, fault)

    async def results(self, batch: str) -> AsyncIterator[tuple[str, BatchResult]]:
        """Yield what became of each question."""
        found = await self._retrieve(batch)
        for file in (found.output_file_id, found.error_file_id):
            if file is None:
                continue
            try:
                async with self.provider.client.files.with_streaming_response.content(file) as raw:
                    async for key, line in result_lines(raw.iter_bytes(), self._most_characters):
                        yield key, line if isinstance(line, Answer) else _result(line)
            except AttemptError:
                raise
            except Exception as error:
                raise self._error(error) from None

    async def _retrieve(self, batch: str) -> Batch:
        import openai

        try:
            return await self.provider.client.batches.retrieve(batch)
        except openai.NotFoundError:
            raise BatchGoneError(f"the batch {batch} is not known any more") from None
        except Exception as error:
            raise self._error(error) from None

    def _error(self, error: Exception) -> Exception:
        import openai

        if isinstance(error, openai.APIStatusError):
            return self.provider.error_of(error)
        return transport_fault(error, openai.APIConnectionError)


def _fault(batch: Batch) -> AttemptError:
    """Return why a batch failed as a whole."""
    errors = batch.errors.data if batch.errors and batch.errors.data else []
    said = "; ".join(f"{one.code}: {one_line(one.message)}" for one in errors[:3]) or "no reason is given"
    message = f"the batch was not accepted: {said}"
    if any(one.code == "token_limit_exceeded" for one in errors):  # too much waits already
        return ThrottledError(message)
    return RejectedError(message)


def _result(line: dict[str, Any]) -> BatchResult:
    """Return what became of the question of a line."""
    match line:
        case {"response": {"status_code": 200, "body": dict(body)}}:
            try:
                return read_answer(json.dumps(body))
            except AttemptError as error:
                return error
        case {"response": {"status_code": int(status), "body": {"error": dict(details)}}}:
            refused = refusal_of(status, details)
            if refused is not None:
                return refused
            found = status_error(status, {}, details.get("message"), details.get("code"))
            return found if isinstance(found, AttemptError) else RejectedError(found.message)
        case {"error": {"code": code, "message": message}}:
            return FaultError(f"{code}: {one_line(message)}")
    return FaultError(f"the result is none: {one_line(json.dumps(line), 80)}")
