"""The clients of a renderer."""

from __future__ import annotations

from collections.abc import Mapping

from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceStub
from i2s_sdk.clients import render_wire as wire
from i2s_sdk.clients.channel import AsyncConnection, Connection
from i2s_sdk.clients.descriptions import RendererDescription
from i2s_sdk.clients.health import wait_until_serving
from i2s_sdk.render_types import Limits, PageOptions, Rendering

SERVICE = "i2s.render.v1.RenderService"


class AsyncRenderClient(AsyncConnection):
    """A renderer, for coroutines.

    >>> async with AsyncRenderClient("127.0.0.1:7710") as renderer:  # doctest: +SKIP
    ...     rendering = await renderer.render_latex(document)

    Args:
        address: "host:port".
        deadline: Seconds for one attempt of a call.
        retry: Which failures are tried again, and for how long.
        credentials: Of gRPC; None speaks without TLS.
    """

    async def render_latex(
        self,
        document: str | bytes,
        *,
        files: Mapping[str, bytes] | None = None,
        page: PageOptions | None = None,
        limits: Limits | None = None,
        max_runs: int | None = None,
        cold: bool = False,
        request_id: str = "",
        deadline: float | None = None,
    ) -> Rendering:
        r"""Render one LaTeX document.

        Args:
            document: From ``\documentclass`` to ``\end{document}``; text is sent as UTF-8.
            files: That lie beside it, by relative path.
            page: How a page becomes a picture; None takes the renderer's defaults.
            limits: Wanted; the renderer clamps them. None takes its defaults.
            max_runs: The most runs made until the auxiliary files are stable.
            cold: Compile without a precompiled format: slower, the same picture.
            request_id: Stands in the logs of the renderer.
            deadline: Seconds for one attempt; None takes that of the client.

        Returns:
            The verdict and, where it has one, the picture.

        Raises:
            ServiceError: There was no answer, after the attempts that the policy allows.
            ProtocolError: The answer is outside the contract.
        """
        request = wire.latex_request(_bytes(document), files or {}, page, limits, max_runs, cold, request_id)
        stub = RenderServiceStub(self.channel)
        return wire.rendering(await self.call(stub.Render, "Render", request, deadline))

    async def describe(self, deadline: float | None = None) -> RendererDescription:
        """Return what the renderer says of itself.

        Raises:
            ServiceError: There was no answer.
            ProtocolError: The answer is outside the contract.
        """
        stub = RenderServiceStub(self.channel)
        return wire.description(await self.call(stub.Describe, "Describe", pb.DescribeRequest(), deadline))

    async def wait_ready(self, seconds: float) -> None:
        """Return once the renderer says that it serves.

        Raises:
            ServiceUnavailableError: It did not within ``seconds``.
        """
        await wait_until_serving(self.channel, self.address, SERVICE, seconds)


class RenderClient(Connection):
    """A renderer, for plain code; safe to share between threads.

    >>> with RenderClient("127.0.0.1:7710") as renderer:  # doctest: +SKIP
    ...     rendering = renderer.render_latex(document)

    Args:
        address: "host:port".
        deadline: Seconds for one attempt of a call.
        retry: Which failures are tried again, and for how long.
        credentials: Of gRPC; None speaks without TLS.
    """

    def render_latex(
        self,
        document: str | bytes,
        *,
        files: Mapping[str, bytes] | None = None,
        page: PageOptions | None = None,
        limits: Limits | None = None,
        max_runs: int | None = None,
        cold: bool = False,
        request_id: str = "",
        deadline: float | None = None,
    ) -> Rendering:
        """Render one LaTeX document; see ``AsyncRenderClient.render_latex``."""
        request = wire.latex_request(_bytes(document), files or {}, page, limits, max_runs, cold, request_id)
        stub = RenderServiceStub(self.channel)
        return wire.rendering(self.call(stub.Render, "Render", request, deadline))

    def describe(self, deadline: float | None = None) -> RendererDescription:
        """Return what the renderer says of itself; see ``AsyncRenderClient.describe``."""
        stub = RenderServiceStub(self.channel)
        return wire.description(self.call(stub.Describe, "Describe", pb.DescribeRequest(), deadline))


def _bytes(document: str | bytes) -> bytes:
    return document.encode("utf-8", "surrogatepass") if isinstance(document, str) else document
