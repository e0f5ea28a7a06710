"""The counts and measurements of a gateway, for Prometheus, and the listener that serves them.

Label values come from small closed sets: routes, statuses, and the services behind. A caller has no influence
on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.process_collector import ProcessCollector
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

#: Value of the label ``service`` of every series.
SERVICE = "gateway"
#: Value of the label ``route`` of requests for a path that there is not.
NO_ROUTE = "none"
#: Value of the label ``status`` of requests that nobody is there to read the answer of.
NO_STATUS = "none"

# Seconds; from a small answer to a wait and a job after it.
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 20, 40, 80, 160)


class Measurements:
    """The series of one gateway; every one carries the label ``service``.

    Attributes:
        registry: What a scrape returns.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._requests = Counter(
            "i2s_gateway_requests",
            "Requests ended, by route and status of HTTP.",
            ("service", "route", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "i2s_gateway_request_seconds",
            "Wall time of a request, with its waits.",
            ("service", "route"),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._in_progress = self._gauge("requests_in_progress", "Requests under way.", "route")
        self._waiting = self._gauge("waiting", "Requests that wait for a service.", "backend")
        self._waits = Counter(
            "i2s_gateway_waits",
            "Times that a request waited for a service, by the status that it came to there.",
            ("service", "backend", "status"),
            registry=self.registry,
        )
        self._connections = self._gauge("connections", "Connections of callers.")
        self._most_connections = self._gauge("connections_limit", "Most connections of callers.")
        self._body_bytes = self._gauge("body_bytes", "Bytes of bodies that are held.")
        self._most_body_bytes = self._gauge("body_bytes_limit", "Most bytes of bodies that are held.")
        self._answers = self._gauge("reward_answers", "Answers that wait for a reward, or are under way.")
        self._most_answers = self._gauge("reward_answers_limit", "Most answers that wait or are under way.")
        self._rewards = Counter(
            "i2s_gateway_rewards",
            "Answers to a batch, by task and by whether there is a value, or the kind of reason why not.",
            ("service", "task", "outcome"),
            registry=self.registry,
        )
        serving = Gauge("i2s_serving", "1 while the gateway serves.", ("service",), registry=self.registry)
        serving.labels(SERVICE).set(1)

    def request_begins(self, route: str) -> None:
        """Count a request as under way; ``route`` is the path of its route."""
        self._in_progress.labels(SERVICE, route).inc()

    def request_ends(self, route: str, status: int, seconds: float) -> None:
        """Count a request as ended; its status is 0 if the caller went away before."""
        self._in_progress.labels(SERVICE, route).dec()
        self._requests.labels(SERVICE, route, str(status or NO_STATUS)).inc()
        self._seconds.labels(SERVICE, route).observe(seconds)

    @contextmanager
    def wait(self, backend: str, status: str) -> Iterator[None]:
        """Count a request as waiting as long as the block lasts.

        Args:
            backend: Name of the service that it waits for.
            status: Status of gRPC that the last attempt ended with.
        """
        self._waits.labels(SERVICE, backend, status).inc()
        with self._waiting.labels(SERVICE, backend).track_inprogress():
            yield

    def connections(self, number: Callable[[], int], most: int) -> None:
        """Have the number of connections asked for at each scrape."""
        self._connections.labels(SERVICE).set_function(number)
        self._most_connections.labels(SERVICE).set(most)

    def bodies(self, held: Callable[[], int], most: int) -> None:
        """Have the bytes of bodies that are held asked for at each scrape."""
        self._body_bytes.labels(SERVICE).set_function(held)
        self._most_body_bytes.labels(SERVICE).set(most)

    def answers(self, number: Callable[[], int], most: int) -> None:
        """Have the number of answers that wait for a reward asked for at each scrape."""
        self._answers.labels(SERVICE).set_function(number)
        self._most_answers.labels(SERVICE).set(most)

    def rewarded(self, task: str, outcome: str) -> None:
        """Count an answer of a batch.

        Args:
            task: Name of its task, one of those that have rewards.
            outcome: "valid", or the kind of reason why there is no value.
        """
        self._rewards.labels(SERVICE, task, outcome).inc()

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"i2s_gateway_{name}", text, ("service", *labels), registry=self.registry)


def monitoring_app(measurements: Measurements) -> Starlette:
    """Return the application for Prometheus and for probes of this process, which nobody else reaches."""

    async def metrics(request: Request) -> Response:
        return Response(generate_latest(measurements.registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    async def live(request: Request) -> Response:
        return JSONResponse({"status": "SERVING"})

    return Starlette(routes=[Route("/metrics", metrics), Route("/v1/live", live)])
