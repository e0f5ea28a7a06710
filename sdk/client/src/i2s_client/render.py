"""The clients of a renderer, of whatever engine."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Mapping

from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceStub
from i2s_client.blocking import BlockingClient, blocking, blocking_stream
from i2s_client.connection import AsyncConnection, read_answer
from i2s_client.service_table import RENDER_WIRE_NAME
from i2s_client.streams import StreamCall, Streamed, stream
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.messages import render_request
from i2s_wire.render.options import LatexEngine, LatexOptions, PageOptions, RenderOptions
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.request import LatexSource, LilypondSource, PythonSource, RenderRequest, SiteSource
from i2s_wire.render.resources import Limits

#: Items of a stream that are under way or not yet taken, where the caller says nothing.
WINDOW = 16

_Requests = AsyncIterable[RenderRequest] | Iterable[RenderRequest]


class AsyncRenderClient(AsyncConnection):
    """A renderer, for coroutines.

    >>> async with AsyncRenderClient("127.0.0.1:7710") as renderer:  # doctest: +SKIP
    ...     rendering = await renderer.render_latex(document)

    Args:
        address: "host:port".
        deadline: Seconds for one attempt of a call.
        retry: Failures that are tried again, and for how long.
        credentials: Credentials of gRPC; None speaks without TLS.
        token: Names us to a service that asks for one; needs TLS if the address is not loopback.
    """

    wire_name = RENDER_WIRE_NAME

    async def render(self, request: RenderRequest, *, deadline: float | None = None) -> Rendering:
        """Render one source of any kind.

        Args:
            request: Source, options, wanted limits.
            deadline: Seconds for one attempt; None takes that of the client.

        Returns:
            The verdict and, if it has one, the image.

        Raises:
            RequestRefusedError: The renderer does not serve this kind of source, or an option is wrong.
            ServiceError: There was no answer, after the attempts that the policy allows.
            ProtocolError: The answer is outside the contract.
        """
        stub = RenderServiceStub(self.channel)
        answer = await self.call(stub.Render, "Render", render_request(request), deadline)
        return read_answer(Rendering, answer)

    async def render_latex(
        self,
        document: str | bytes,
        *,
        files: Mapping[str, bytes] | None = None,
        page: PageOptions | None = None,
        limits: Limits | None = None,
        max_runs: int | None = None,
        cold: bool = False,
        engine: LatexEngine | None = None,
        request_id: str = "",
        deadline: float | None = None,
    ) -> Rendering:
        r"""Render one LaTeX document; see ``render``.

        Args:
            document: Document from ``\documentclass`` to ``\end{document}``; text is sent as UTF-8.
            files: Files that lie beside it, by relative path.
            page: How a page becomes an image; None takes the renderer's defaults.
            limits: Wanted; the renderer clamps them. None takes its defaults.
            max_runs: The most runs made until the auxiliary files are stable.
            cold: Compile without a precompiled format: slower, the same image.
            engine: Engine of TeX that compiles it; None is pdfLaTeX.
            request_id: Stands in the logs of the renderer.
            deadline: Seconds for one attempt; None takes that of the client.
        """
        request = _latex(document, files, page, limits, max_runs, cold, engine, request_id)
        return await self.render(request, deadline=deadline)

    async def render_site(
        self,
        files: Mapping[str, bytes],
        *,
        assets: Mapping[str, bytes] | None = None,
        entry_path: str = "",
        options: RenderOptions | None = None,
        limits: Limits | None = None,
        request_id: str = "",
        deadline: float | None = None,
    ) -> Rendering:
        """Render one web site; see ``render``.

        Args:
            files: Files by relative path.
            assets: Assets of the data set; they win over files of the same path.
            entry_path: The page that is shown; empty is the index page.
            options: Window and what is returned beside the image; None takes the renderer's defaults.
            limits: Wanted; the renderer clamps them. None takes its defaults.
            request_id: Stands in the logs of the renderer.
            deadline: Seconds for one attempt; None takes that of the client.
        """
        source = SiteSource(files, assets or {}, entry_path)
        request = RenderRequest(source, options or RenderOptions(), limits, request_id)
        return await self.render(request, deadline=deadline)

    async def render_lilypond(
        self,
        score: str | bytes,
        *,
        assume_version: str = "",
        options: RenderOptions | None = None,
        limits: Limits | None = None,
        request_id: str = "",
        deadline: float | None = None,
    ) -> Rendering:
        r"""Render one LilyPond score; see ``render``.

        Args:
            score: Text is sent as UTF-8.
            assume_version: Version to convert from if the score has no ``\version``.
            options: Page and conversion; None takes the renderer's defaults.
            limits: Wanted; the renderer clamps them. None takes its defaults.
            request_id: Stands in the logs of the renderer.
            deadline: Seconds for one attempt; None takes that of the client.
        """
        source = LilypondSource(_bytes(score), assume_version)
        request = RenderRequest(source, options or RenderOptions(), limits, request_id)
        return await self.render(request, deadline=deadline)

    async def render_python(
        self,
        program: str | bytes,
        *,
        files: Mapping[str, bytes] | None = None,
        options: RenderOptions | None = None,
        limits: Limits | None = None,
        request_id: str = "",
        deadline: float | None = None,
    ) -> Rendering:
        """Run one Python program that draws figures; see ``render``.

        Args:
            program: Text is sent as UTF-8.
            files: The files beside it, by relative path.
            options: Figures, resolution, objects; None takes the renderer's defaults.
            limits: Wanted; the renderer clamps them. None takes its defaults.
            request_id: Stands in the logs of the renderer.
            deadline: Seconds for one attempt; None takes that of the client.
        """
        source = PythonSource(_bytes(program), files or {})
        request = RenderRequest(source, options or RenderOptions(), limits, request_id)
        return await self.render(request, deadline=deadline)

    async def render_stream(
        self, requests: _Requests, *, window: int = WINDOW, deadline: float | None = None
    ) -> AsyncGenerator[Streamed[Rendering], None]:
        """Render many sources over one call.

        Args:
            requests: Requests with ids that differ. The next is asked for when there is room in the window.
            window: The most items under way or not yet taken.
            deadline: Seconds for one attempt of an item; None takes that of the client.

        Yields:
            What became of each item, in order of completion: its rendering, or the error that ``render``
            would raise. One item's failure does not end the stream.

        Raises:
            UsageError: An id is empty, or two items under way have the same.
        """
        results = stream(
            self, requests, self._open_call, method="RenderStream", window=window, deadline=deadline
        )
        async for result in results:
            yield result

    def _open_call(self) -> StreamCall[RenderRequest, Rendering]:
        call = RenderServiceStub(self.channel).RenderStream(metadata=self.metadata())
        return StreamCall(call, _message, Rendering, self.address, "RenderStream")

    async def describe(self, deadline: float | None = None) -> RendererDescription:
        """Return what the renderer says of itself.

        Raises:
            ServiceError: There was no answer.
            ProtocolError: The answer is outside the contract.
        """
        stub = RenderServiceStub(self.channel)
        answer = await self.call(stub.Describe, "Describe", pb.DescribeRequest(), deadline)
        return read_answer(RendererDescription, answer)


class RenderClient(BlockingClient[AsyncRenderClient]):
    """A renderer, for plain code; safe to share between threads.

    >>> with RenderClient("127.0.0.1:7710") as renderer:  # doctest: +SKIP
    ...     rendering = renderer.render_latex(document)
    """

    asynchronous = AsyncRenderClient

    render = blocking(AsyncRenderClient.render)
    render_latex = blocking(AsyncRenderClient.render_latex)
    render_site = blocking(AsyncRenderClient.render_site)
    render_lilypond = blocking(AsyncRenderClient.render_lilypond)
    render_python = blocking(AsyncRenderClient.render_python)
    render_stream = blocking_stream(AsyncRenderClient.render_stream)
    describe = blocking(AsyncRenderClient.describe)


def _message(request: RenderRequest, whole: bool) -> pb.RenderRequest:
    return render_request(request)


def _latex(
    document: str | bytes,
    files: Mapping[str, bytes] | None,
    page: PageOptions | None,
    limits: Limits | None,
    max_runs: int | None,
    cold: bool,
    engine: LatexEngine | None,
    request_id: str,
) -> RenderRequest:
    latex = LatexOptions(max_runs, cold, engine)
    options = RenderOptions(page=page or PageOptions(), latex=latex)
    return RenderRequest(LatexSource(_bytes(document), files or {}), options, limits, request_id)


def _bytes(document: str | bytes) -> bytes:
    return document.encode("utf-8", "surrogatepass") if isinstance(document, str) else document
