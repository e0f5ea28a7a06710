"""The batch API of Anthropic.

Source of the protocol: Anthropic's API reference, "Message Batches".
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from i2s_sdk.models.anthropic_messages import AnthropicMessages, read_answer, refusal_of
from i2s_sdk.models.batches.api import BatchGoneError, BatchRequest, BatchResult, BatchState, result_lines
from i2s_sdk.models.http_status import rejects_input, transport_fault
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import (
    Answer,
    AttemptError,
    FaultError,
    InputRejectedError,
    RejectedError,
    one_line,
)

_MEGABYTE = 1_000_000
#: Errors of a question that it would have again, with the statuses of single calls.
_STATUSES = {"invalid_request_error": 400, "request_too_large": 413, "not_found_error": 404}


class AnthropicBatches:
    """Sends messages in batches.

    Args:
        provider: The provider that makes the requests and has the connections.
        options: Options of the calls.
    """

    most_bytes = 230 * _MEGABYTE  # Anthropic's limit is 256
    most_requests = 100_000

    def __init__(self, provider: AnthropicMessages, options: ModelOptions) -> None:
        self.provider, self._most_characters = provider, options.completion_characters

    async def send(self, name: str, requests: Sequence[BatchRequest]) -> str:
        """Send a batch and return its id; see ``BatchApi``."""
        headers = {header: value for one in requests for header, value in one.headers.items()}
        sent: Any = [{"custom_id": one.key, "params": one.body} for one in requests]
        try:
            batch = await self.provider.client.messages.batches.create(requests=sent, extra_headers=headers)
        except Exception as error:
            raise self._error(error) from None
        return batch.id

    async def find(self, name: str) -> str | None:
        """Return None: a batch has no name here."""
        return None

    async def state(self, batch: str) -> BatchState:
        """Return how far a batch is."""
        import anthropic

        try:
            found = await self.provider.client.messages.batches.retrieve(batch)
        except anthropic.NotFoundError:
            raise BatchGoneError(f"the batch {batch} is not known any more") from None
        except Exception as error:
            raise self._error(error) from None
        counts = found.request_counts
        answered = counts.succeeded + counts.errored + counts.canceled + counts.expired
        return BatchState(found.processing_status == "ended", answered)

    async def results(self, batch: str) -> AsyncIterator[tuple[str, BatchResult]]:
        """Yield what became of each question."""
        import anthropic

        results = self.provider.client.messages.batches.with_streaming_response.results(batch)
        try:
            async with results as raw:
                async for key, line in result_lines(raw.iter_bytes(), self._most_characters):
                    yield key, line if isinstance(line, Answer) else _result(line)
        except AttemptError:
            raise
        except anthropic.NotFoundError:
            raise BatchGoneError(f"the batch {batch} is not known any more") from None
        except Exception as error:
            raise self._error(error) from None

    def _error(self, error: Exception) -> Exception:
        import anthropic

        if isinstance(error, anthropic.APIStatusError):
            return self.provider.error_of(error)
        return transport_fault(error, anthropic.APIConnectionError)


def _result(line: dict[str, Any]) -> BatchResult:
    """Return what became of the question of a line."""
    match line:
        case {"result": {"type": "succeeded", "message": dict(message)}}:
            try:
                return read_answer(json.dumps(message))
            except AttemptError as error:
                return error
        case {"result": {"type": "errored", "error": {"error": {"type": str(kind), "message": message}}}}:
            said = f"{kind}: {one_line(message)}"
            if kind not in _STATUSES:
                return FaultError(said)
            refused = refusal_of(_STATUSES[kind], str(message))
            if refused is not None:
                return refused
            rejected = rejects_input(_STATUSES[kind], said)
            return InputRejectedError(said) if rejected else RejectedError(said)
        case {"result": {"type": ("expired" | "canceled") as kind}}:
            return FaultError(f"the question is {kind}")
    return FaultError(f"the result is none: {one_line(json.dumps(line), 80)}")
