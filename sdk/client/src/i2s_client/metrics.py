"""The clients of the metric service."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Sequence

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s.metrics.v1.metrics_pb2_grpc import MetricsServiceStub
from i2s_client.blocking import BlockingClient, blocking, blocking_stream
from i2s_client.connection import AsyncConnection, read_answer
from i2s_client.service_table import METRICS_WIRE_NAME
from i2s_client.streams import StreamCall, Streamed, stream
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.metrics.messages import score_request
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import Score, ScoreRequest, SizePolicy

#: Items of a stream that are under way or not yet taken, where the caller says nothing.
WINDOW = 16

_REMEMBERED = 256  # references that a call has sent; the service forgets old ones as well


class AsyncMetricsClient(AsyncConnection):
    """The metric service, for coroutines.

    >>> async with AsyncMetricsClient("127.0.0.1:7740") as metrics:  # doctest: +SKIP
    ...     score = await metrics.score(reference_png, prediction_png)

    Args:
        address: "host:port".
        deadline: Seconds for one attempt of a call.
        retry: Failures that are tried again, and for how long.
        credentials: Credentials of gRPC; None speaks without TLS.
        token: Names us to a service that asks for one; needs TLS if the address is not loopback.
    """

    wire_name = METRICS_WIRE_NAME

    async def score(
        self,
        reference: bytes,
        prediction: bytes,
        *,
        size_policy: SizePolicy = SizePolicy.PAD,
        profile: Profile = Profile.PAPER,
        metrics: Sequence[str] = (),
        request_id: str = "",
        deadline: float | None = None,
    ) -> Score:
        """Compare two encoded images (PNG, JPEG or WebP).

        Args:
            reference: What should have come out.
            prediction: What came out.
            size_policy: How images of different size are made comparable.
            profile: Profile whose rules are followed.
            metrics: Names; none means all that are available.
            request_id: Stands in the logs of the service.
            deadline: Seconds for one attempt; None takes that of the client.

        Returns:
            One result for each metric: a value, or the reason why there is none.

        Raises:
            ServiceError: There was no answer, after the attempts that the policy allows.
            ProtocolError: The answer is outside the contract.
        """
        request = ScoreRequest(reference, prediction, size_policy, profile, tuple(metrics), request_id)
        stub = MetricsServiceStub(self.channel)
        answer = await self.call(stub.Score, "Score", score_request(request), deadline)
        return read_answer(Score, answer)

    async def score_stream(
        self,
        requests: AsyncIterable[ScoreRequest] | Iterable[ScoreRequest],
        *,
        window: int = WINDOW,
        deadline: float | None = None,
    ) -> AsyncGenerator[Streamed[Score], None]:
        """Compare many pairs over one call; a reference that was sent is named by its digest afterwards.

        Args:
            requests: Requests with ids that differ. The next is asked for when there is room in the window.
            window: The most items under way or not yet taken.
            deadline: Seconds for one attempt of an item; None takes that of the client.

        Yields:
            What became of each item, in order of completion: its score, or the error that ``score`` would
            raise. One item's failure does not end the stream.

        Raises:
            UsageError: An id is empty, or two items under way have the same.
        """
        results = stream(
            self, requests, self._open_call, method="ScoreStream", window=window, deadline=deadline
        )
        async for result in results:
            yield result

    def _open_call(self) -> StreamCall[ScoreRequest, Score]:
        call = MetricsServiceStub(self.channel).ScoreStream(metadata=self.metadata())
        return StreamCall(call, _Pairs().message, Score, self.address, "ScoreStream")

    async def describe(self, deadline: float | None = None) -> MetricsDescription:
        """Return what the service says of itself and of its metrics.

        Raises:
            ServiceError: There was no answer.
            ProtocolError: The answer is outside the contract.
        """
        stub = MetricsServiceStub(self.channel)
        answer = await self.call(stub.Describe, "Describe", pb.DescribeRequest(), deadline)
        return read_answer(MetricsDescription, answer)


class MetricsClient(BlockingClient[AsyncMetricsClient]):
    """The metric service, for plain code; safe to share between threads.

    >>> with MetricsClient("127.0.0.1:7740") as metrics:  # doctest: +SKIP
    ...     score = metrics.score(reference_png, prediction_png)
    """

    asynchronous = AsyncMetricsClient

    score = blocking(AsyncMetricsClient.score)
    score_stream = blocking_stream(AsyncMetricsClient.score_stream)
    describe = blocking(AsyncMetricsClient.describe)


class _Pairs:
    """The pairs of one call; a reference that the call has sent is named by its digest afterwards."""

    def __init__(self) -> None:
        self._sent: OrderedDict[str, None] = OrderedDict()

    def message(self, request: ScoreRequest, whole: bool) -> pb.ScoreRequest:
        digest = hashlib.sha256(request.reference).hexdigest()
        known = digest in self._sent and not whole
        self._sent[digest] = None
        self._sent.move_to_end(digest)
        if len(self._sent) > _REMEMBERED:
            self._sent.popitem(last=False)
        return score_request(request, digest if known else "")
