"""A renderer and a metric service that do nothing: one image, one value. For this benchmark alone.

They speak the real wire over real sockets, so that the clients do all of their work; what is measured with
them is the pipeline, and never an image.

    python -m benchmarks.runs.services      # prints both addresses, and serves until its input ends
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import sys
from collections.abc import AsyncIterator

import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from PIL import Image

from i2s.metrics.v1 import metrics_pb2, metrics_pb2_grpc
from i2s.render.v1 import render_pb2, render_pb2_grpc

METRICS = ("ems", "pixel", "ssim")


def _picture() -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (32, 16), "white").save(content, "PNG")
    return content.getvalue()


class OnePicture(render_pb2_grpc.RenderServiceServicer):
    """Answers everything with the same image."""

    def __init__(self) -> None:
        png = _picture()
        engine = render_pb2.Engine(name="nothing", version="1", digest="0" * 64)
        isolation = render_pb2.Isolation(tier=render_pb2.ISOLATION_TIER_NONE)
        self._about = render_pb2.DescribeResponse(
            service="render-latex", version="1", engine=engine, isolation=isolation, slots=8, queue=64
        )
        self._answer = render_pb2.RenderResponse(
            verdict=render_pb2.VERDICT_RENDERED,
            pictures=[
                render_pb2.Picture(
                    png=png, width=32, height=16, page=1, sha256=hashlib.sha256(png).hexdigest()
                )
            ],
            total_pages=1,
            engine=engine,
            isolation=isolation,
        )

    async def Describe(self, request: object, context: object) -> render_pb2.DescribeResponse:  # noqa: N802
        """Say that it is the renderer of LaTeX."""
        return self._about

    async def Render(  # noqa: N802
        self, request: render_pb2.RenderRequest, context: object
    ) -> render_pb2.RenderResponse:
        """Return the image."""
        answer = render_pb2.RenderResponse()
        answer.CopyFrom(self._answer)
        answer.id = request.id
        return answer

    async def RenderStream(  # noqa: N802
        self, request_iterator: AsyncIterator[render_pb2.RenderRequest], context: object
    ) -> AsyncIterator[render_pb2.RenderStreamResponse]:
        """Return the image each time."""
        async for request in request_iterator:
            answer = await self.Render(request, context)
            yield render_pb2.RenderStreamResponse(id=request.id, response=answer)


class OneValue(metrics_pb2_grpc.MetricsServiceServicer):
    """Gives every pair the value 0.5 in every metric."""

    async def Describe(self, request: object, context: object) -> metrics_pb2.DescribeResponse:  # noqa: N802
        """Say which metrics there are."""
        return metrics_pb2.DescribeResponse(
            service="metrics",
            version="1",
            slots=8,
            max_image_pixels=64_000_000,
            queue=64,
            metrics=[
                metrics_pb2.MetricDescription(
                    name=name,
                    version="1",
                    direction=metrics_pb2.DIRECTION_HIGHER_IS_BETTER,
                    lower_bound=0.0,
                    upper_bound=1.0,
                    profiles=[metrics_pb2.PROFILE_PAPER],
                    available=True,
                )
                for name in METRICS
            ],
        )

    async def Score(  # noqa: N802
        self, request: metrics_pb2.ScoreRequest, context: object
    ) -> metrics_pb2.ScoreResponse:
        """Return the values."""
        return metrics_pb2.ScoreResponse(
            id=request.id,
            profile=request.profile,
            width=32,
            height=16,
            results=[
                metrics_pb2.MetricResult(
                    name=name,
                    value=0.5,
                    version="1",
                    direction=metrics_pb2.DIRECTION_HIGHER_IS_BETTER,
                    upper_bound=1.0,
                )
                for name in request.metrics
            ],
        )

    async def ScoreStream(  # noqa: N802
        self, request_iterator: AsyncIterator[metrics_pb2.ScoreRequest], context: object
    ) -> AsyncIterator[metrics_pb2.ScoreStreamResponse]:
        """Return the values each time."""
        async for request in request_iterator:
            answer = await self.Score(request, context)
            yield metrics_pb2.ScoreStreamResponse(id=request.id, response=answer)


async def main() -> None:
    """Serve until standard input ends."""
    server = grpc.aio.server()
    render_pb2_grpc.add_RenderServiceServicer_to_server(OnePicture(), server)
    metrics_pb2_grpc.add_MetricsServiceServicer_to_server(OneValue(), server)
    serving = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(serving, server)
    for name in ("i2s.render.v1.RenderService", "i2s.metrics.v1.MetricsService"):
        await serving.set(name, health_pb2.HealthCheckResponse.SERVING)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(json.dumps({"address": f"127.0.0.1:{port}"}), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await server.stop(None)


if __name__ == "__main__":
    asyncio.run(main())
