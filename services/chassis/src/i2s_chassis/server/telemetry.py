"""The counts and measurements of a service, for Prometheus.

Label values come from small closed sets (verdicts, reasons, kinds). A caller has no influence on them but by
the name under which the operator lists it, and ``CallerLabels`` bounds the number of these.
"""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.process_collector import ProcessCollector

from i2s_chassis.callers.caller import is_identified
from i2s_chassis.callers.shares import current_flow
from i2s_chassis.errors import Refusal, Status
from i2s_chassis.server.resources import ResourceCollector

# Seconds; from a cached answer to the greatest wall-clock limit.
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 20, 40, 80, 160, 360)


class Telemetry:
    """The series of one service; every one carries the label ``service``.

    Attributes:
        registry: What a scrape returns.
    """

    def __init__(self, service: str, registry: CollectorRegistry | None = None) -> None:
        self.registry = CollectorRegistry() if registry is None else registry
        self._service = service
        self._callers = CallerLabels()
        ProcessCollector(registry=self.registry)
        self.registry.register(ResourceCollector(service))
        self._queue_wait = self._histogram("queue_wait_seconds", "Time that a job waited for its slot.")
        self._stage = self._histogram("stage_seconds", "Wall time of one stage of a job.", "stage")
        self._job = self._histogram("job_seconds", "Wall time of a whole job in its slot.", "verdict")
        self._jobs = self._counter("jobs", "Jobs ended with a verdict, by caller.", "verdict", "caller")
        self._refusals = self._counter("refusals", "Calls refused before they began.", "reason", "caller")
        self._serving = self._gauge("serving", "1 while the service says that it serves, else 0.")
        self._cells = self._gauge("cells", "Open cells of the jail, those of warm processes included.")
        self._slots = self._gauge("slots", "Jobs that may run at the same time.")
        self._running = self._gauge("slots_in_use", "Jobs that run now.")
        self._queue = self._gauge("queue", "Jobs that may wait at the same time.")
        self._waiting = self._gauge("queue_waiting", "Jobs that wait now.")
        self._warm = self._gauge("warm_workers", "Workers, formats or browsers that stand ready.", "kind")
        self._calls = self._counter("calls", "Calls ended, by method and gRPC status.", "method", "status")
        self._items = self._counter("stream_items", "Items of bulk streams answered, by status.", "status")
        self._recycles = self._counter("recycles", "Warm workers replaced.", "reason")
        self._reruns = self._counter("reruns", "Jobs that were run once more after a process was lost.")
        self._policy_events = self._counter("policy_events", "Attempts that were prevented.", "kind")
        self._self_tests = self._counter("self_test_failures", "Self-tests that failed at start.", "test")
        self._degraded = self._gauge(
            "isolation_degraded", "1 while a layer of the isolation of jobs is off, else 0.", "layer"
        )
        self._layers_off: set[str] = set()

    def job(self, verdict: str, seconds: float) -> None:
        """Record a job of the current caller that has finished, and the time it held its slot."""
        self._job.labels(self._service, verdict).observe(seconds)
        self._jobs.labels(self._service, verdict, self.caller()).inc()

    def caller(self) -> str:
        """Return the label of the caller whose call this task works on."""
        return self._callers.label(current_flow().caller)

    def refusal(self, reason: Refusal) -> None:
        """Record that a call of the current caller was refused before it began."""
        self._refusals.labels(self._service, reason, self.caller()).inc()

    def serving(self, serving: bool) -> None:
        """Set whether the service says that it serves."""
        self._serving.labels(self._service).set(serving)

    def cells(self, number: Callable[[], int]) -> None:
        """Have the number of open cells asked for at each scrape."""
        self._cells.labels(self._service).set_function(number)

    def stage(self, name: str, seconds: float) -> None:
        """Record one stage of a job."""
        self._stage.labels(self._service, name).observe(seconds)

    def recycle(self, reason: str) -> None:
        """Record that a warm worker was replaced."""
        self._recycles.labels(self._service, reason).inc()

    def rerun(self) -> None:
        """Record that a job is run once more, since a process of its engine was lost."""
        self._reruns.labels(self._service).inc()

    def policy_event(self, kind: str, count: int = 1) -> None:
        """Record attempts that a jail prevented."""
        self._policy_events.labels(self._service, kind).inc(count)

    def self_test_failure(self, test: str) -> None:
        """Record a self-test that failed."""
        self._self_tests.labels(self._service, test).inc()

    def isolation(self, layer: str, *, on: bool) -> None:
        """Set whether a layer of the isolation of jobs is on: "tier", "browser"."""
        self._degraded.labels(self._service, layer).set(not on)
        (self._layers_off.discard if on else self._layers_off.add)(layer)

    @property
    def is_isolation_degraded(self) -> bool:
        """Whether any layer of the isolation of jobs is off."""
        return bool(self._layers_off)

    def warm(self, kind: str, ready: int) -> None:
        """Set how many warm workers of a kind stand ready."""
        self._warm.labels(self._service, kind).set(ready)

    def queue_wait(self, seconds: float) -> None:
        """Record how long a job waited for its slot."""
        self._queue_wait.labels(self._service).observe(seconds)

    def load(self, *, slots: int, running: int, queue: int, waiting: int) -> None:
        """Set the gauges of slots and queue."""
        self._slots.labels(self._service).set(slots)
        self._running.labels(self._service).set(running)
        self._queue.labels(self._service).set(queue)
        self._waiting.labels(self._service).set(waiting)

    def call(self, method: str, status: Status) -> None:
        """Record that a call ended."""
        self._calls.labels(self._service, method, status.name).inc()

    def item(self, status: Status) -> None:
        """Record that an item of a bulk stream was answered."""
        self._items.labels(self._service, status.name).inc()

    def _histogram(self, name: str, text: str, *labels: str) -> Histogram:
        labelled = ("service", *labels)
        return Histogram(f"i2s_{name}", text, labelled, registry=self.registry, buckets=_SECONDS)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"i2s_{name}", text, ("service", *labels), registry=self.registry)

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"i2s_{name}", text, ("service", *labels), registry=self.registry)


#: Callers that are known by their address alone.
ANONYMOUS = "anonymous"
#: Identified callers beyond the bound.
OTHERS = "others"
#: Identified callers of a process that get a value of their own; those come first that call first.
MAX_CALLERS = 100

_MAX_LABEL_CHARACTERS = 128


class CallerLabels:
    """Gives callers their labels; a process has one, so that its series agree.

    Args:
        most: Identified callers that get a label of their own.
    """

    def __init__(self, most: int = MAX_CALLERS) -> None:
        self._most = most
        self._known: set[str] = set()

    def label(self, caller: str) -> str:
        """Return the label of a caller.

        Args:
            caller: Identity, as ``caller_of`` returns it.

        Returns:
            That of a caller with a name or certificate is its identity, "caller:lab" or "cert:CN=lab".
        """
        if not is_identified(caller):
            return ANONYMOUS
        name = caller[:_MAX_LABEL_CHARACTERS]
        if name not in self._known:
            if len(self._known) >= self._most:
                return OTHERS
            self._known.add(name)
        return name
