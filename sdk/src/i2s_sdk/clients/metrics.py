"""The clients of the metric service."""

from __future__ import annotations

from collections.abc import Sequence

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s.metrics.v1.metrics_pb2_grpc import MetricsServiceStub
from i2s_sdk.clients import metrics_wire as wire
from i2s_sdk.clients.channel import AsyncConnection, Connection
from i2s_sdk.clients.descriptions import MetricsDescription
from i2s_sdk.clients.health import wait_until_serving
from i2s_sdk.clients.score_types import Score, SizePolicy
from i2s_sdk.profile import Profile

SERVICE = "i2s.metrics.v1.MetricsService"


class AsyncMetricsClient(AsyncConnection):
    """The metric service, for coroutines.

    >>> async with AsyncMetricsClient("127.0.0.1:7740") as metrics:  # doctest: +SKIP
    ...     score = await metrics.score(reference_png, prediction_png)

    Args:
        address: "host:port".
        deadline: Seconds for one attempt of a call.
        retry: Which failures are tried again, and for how long.
        credentials: Of gRPC; None speaks without TLS.
    """

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
        """Compare two encoded pictures (PNG, JPEG or WebP).

        Args:
            reference: What should have come out.
            prediction: What came out.
            size_policy: How pictures of different size are made comparable.
            profile: The rule book.
            metrics: Names; none means all that are available.
            request_id: Stands in the logs of the service.
            deadline: Seconds for one attempt; None takes that of the client.

        Returns:
            One result for each metric: a value, or the reason why there is none.

        Raises:
            ServiceError: There was no answer, after the attempts that the policy allows.
            ProtocolError: The answer is outside the contract.
        """
        request = wire.score_request(reference, prediction, size_policy, profile, metrics, request_id)
        stub = MetricsServiceStub(self.channel)
        return wire.score(await self.call(stub.Score, "Score", request, deadline))

    async def describe(self, deadline: float | None = None) -> MetricsDescription:
        """Return what the service says of itself and of its metrics.

        Raises:
            ServiceError: There was no answer.
            ProtocolError: The answer is outside the contract.
        """
        stub = MetricsServiceStub(self.channel)
        return wire.description(await self.call(stub.Describe, "Describe", pb.DescribeRequest(), deadline))

    async def wait_ready(self, seconds: float) -> None:
        """Return once the service says that it serves.

        Raises:
            ServiceUnavailableError: It did not within ``seconds``.
        """
        await wait_until_serving(self.channel, self.address, SERVICE, seconds)


class MetricsClient(Connection):
    """The metric service, for plain code; safe to share between threads.

    >>> with MetricsClient("127.0.0.1:7740") as metrics:  # doctest: +SKIP
    ...     score = metrics.score(reference_png, prediction_png)

    Args:
        address: "host:port".
        deadline: Seconds for one attempt of a call.
        retry: Which failures are tried again, and for how long.
        credentials: Of gRPC; None speaks without TLS.
    """

    def score(
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
        """Compare two encoded pictures; see ``AsyncMetricsClient.score``."""
        request = wire.score_request(reference, prediction, size_policy, profile, metrics, request_id)
        stub = MetricsServiceStub(self.channel)
        return wire.score(self.call(stub.Score, "Score", request, deadline))

    def describe(self, deadline: float | None = None) -> MetricsDescription:
        """Return what the service says of itself; see ``AsyncMetricsClient.describe``."""
        stub = MetricsServiceStub(self.channel)
        return wire.description(self.call(stub.Describe, "Describe", pb.DescribeRequest(), deadline))
