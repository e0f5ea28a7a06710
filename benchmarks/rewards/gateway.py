"""An HTTP gateway that is a process of its own, and a client of it that goes on when the gateway dies."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx

from benchmarks.harness.command import MeasurementError
from i2s_sdk.data import Instance
from i2s_sdk.data.folder import read_content
from i2s_sdk.stack.child import Child, local_services
from i2s_sdk.stack.services import gateway_command

_START_SECONDS = 120.0
#: Statuses after which the same request may be answered.
_AGAIN = (
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
)
#: The longest time in which one request has to be answered, with all of its repetitions, and a pause of it.
_REQUEST_SECONDS, _PAUSE = 1200.0, 0.2


@dataclass(slots=True)
class Gateway:
    """A client of a gateway, which keeps what it uploads to send it again when it is asked to."""

    process: Child  #: It keeps its address when it is started again.
    client: httpx.AsyncClient
    repeated: int = 0  #: Requests that were made again.
    _images: dict[str, bytes] = field(default_factory=dict)  #: By digest.
    _fields: dict[int, Mapping[str, Any]] = field(default_factory=dict)  #: By the identity of the instance.

    async def add(self, instances: Sequence[Instance]) -> None:
        """Upload the images of instances, and keep what else items say of them."""
        for instance in instances:
            if id(instance) in self._fields:
                continue
            content = read_content(instance)
            digest = f"sha256:{hashlib.sha256(content.reference).hexdigest()}"
            self._images[digest] = content.reference
            self._fields[id(instance)] = {
                "task": instance.task,
                "reference": {"digest": digest},
                "structure": content.structure,
                "assets": {name: base64.b64encode(raw).decode() for name, raw in content.assets.items()},
            }
        await self._upload(list(self._images))

    async def reward(
        self, pairs: Sequence[tuple[Instance, str]], weights: Mapping[str, float] | None = None
    ) -> list[dict[str, Any]]:
        """Return what the gateway says of completions of instances that were added, in one batch.

        Raises:
            MeasurementError: The gateway refuses the batch, or does not answer it within time.
        """
        items = [{**self._fields[id(instance)], "completion": text} for instance, text in pairs]
        answer = await self._post("/v1/reward", {"items": items, "weights": weights})
        said: list[dict[str, Any]] = answer["items"]
        return said

    async def _upload(self, digests: Sequence[str]) -> None:
        images = [{"image": base64.b64encode(self._images[digest]).decode()} for digest in digests]
        await self._post("/v1/references", {"references": images})

    async def _post(self, path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """Return the answer to a request, which is made again while the gateway is gone."""
        try:
            async with asyncio.timeout(_REQUEST_SECONDS):
                while True:
                    try:
                        answer = await self.client.post(path, json=body)
                    except httpx.TransportError:  # it was killed, or is not there yet
                        self.repeated += 1
                        await asyncio.sleep(_PAUSE)
                        continue
                    if answer.is_success:
                        said: dict[str, Any] = answer.json()
                        return said
                    error = answer.json()["error"]
                    if "missing" in error:  # it was started again, and has no uploads
                        await self._upload(error["missing"])
                    elif answer.status_code in _AGAIN:
                        await asyncio.sleep(error.get("retry_after_seconds") or _PAUSE)
                    else:
                        raise MeasurementError(f"{path}: {answer.status_code} {error['message']}")
                    self.repeated += 1
        except TimeoutError:
            raise MeasurementError(f"{path}: no answer within {_REQUEST_SECONDS:g} s") from None


@asynccontextmanager
async def open_gateway(addresses: Mapping[str, str], logs: Path) -> AsyncIterator[Gateway]:
    """Have a gateway in front of services as long as the block lasts; one that dies is started again."""
    command = gateway_command(addresses, "127.0.0.1:0")
    async with local_services([command], logs, _START_SECONDS) as children:
        process = children[command.name]
        async with httpx.AsyncClient(base_url=f"http://{process.address}", timeout=None) as client:
            yield Gateway(process, client)
