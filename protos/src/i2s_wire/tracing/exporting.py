"""Spans on their way to a collector, as the standard variables ``OTEL_…`` say."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

#: Turns the export on; https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/.
EXPORTER_VARIABLE = "OTEL_TRACES_EXPORTER"

_DISABLED_VARIABLE = "OTEL_SDK_DISABLED"
_PROTOCOL_VARIABLES = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_OTLP = {"grpc": "otlp_proto_grpc", "http/protobuf": "otlp_proto_http"}
_GROUP = "opentelemetry_traces_exporter"
_FLUSH_SECONDS = 5.0


@contextmanager
def exported_traces(
    service: str,
    package: str,
    warn: Callable[[str], None],
    *,
    environ: Mapping[str, str] | None = None,
) -> Iterator[bool]:
    """Export the spans of this process until the block ends, if OTEL_TRACES_EXPORTER names an exporter.

    Unset, empty and "none" export nothing and load nothing, and so does OTEL_SDK_DISABLED=true. OpenTelemetry
    reads the other variables: endpoint, headers, sampler, attributes of the resource. At the end of the block
    spans that wait are sent, for at most 5 seconds. If traces cannot be exported,
    ``warn`` is called with the reason and the block runs without them.

    Args:
        service: Value of ``service.name`` if OTEL_SERVICE_NAME is not set.
        package: Distribution that runs, such as "i2s-sdk"; its version is that of the service.
        warn: Called with one line that says why traces are not exported.
        environ: The environment; None takes that of the process.

    Yields:
        Whether this block exports.
    """
    environ = os.environ if environ is None else environ
    names = _exporters(environ)
    if not names:
        yield False
        return
    refused = f"{EXPORTER_VARIABLE}={','.join(names)}: traces are not exported"
    provider = None
    try:
        provider = _provider(service, package, names, environ)
    except ImportError:
        from i2s_wire.installation import install_command

        warn(f"{refused}: OpenTelemetry is not installed; {install_command('i2s-protos[telemetry]')}")
    except Exception as error:  # of an exporter, whoever has written it
        warn(f"{refused}: {error}")
    if provider is None:
        yield False
        return
    try:
        yield True
    finally:
        _shut_down(provider)


def _exporters(environ: Mapping[str, str]) -> list[str]:
    if environ.get(_DISABLED_VARIABLE, "").strip().lower() == "true":
        return []
    named = (one.strip() for one in environ.get(EXPORTER_VARIABLE, "").split(","))
    return [one for one in dict.fromkeys(named) if one and one != "none"]


def _provider(
    service: str, package: str, names: list[str], environ: Mapping[str, str]
) -> TracerProvider | None:
    """Return a provider with these exporters, in force for the whole process; None if there is one already.

    Raises:
        ImportError: OpenTelemetry is not installed.
        ValueError: There is no such exporter.
    """
    from importlib.metadata import version

    from opentelemetry import trace
    from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return None  # of the application, which decides where spans go
    exporters = [_exporter(name, environ) for name in names]
    named = environ.get("OTEL_SERVICE_NAME") or service
    resource = Resource.create({SERVICE_NAME: named, SERVICE_VERSION: version(package)})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    for exporter in exporters:
        provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return provider


def _exporter(name: str, environ: Mapping[str, str]) -> SpanExporter:
    if name == "otlp":
        protocol = next(
            (
                environ[protocol_variable]
                for protocol_variable in _PROTOCOL_VARIABLES
                if environ.get(protocol_variable)
            ),
            "grpc",
        )
        if protocol not in _OTLP:
            raise ValueError(f"{protocol!r} is no protocol of OTLP; there are {', '.join(_OTLP)}")
        name = _OTLP[protocol]
    from importlib.metadata import entry_points

    found = tuple(entry_points(group=_GROUP, name=name))
    if not found:
        raise ValueError(f"no installed package has an exporter {name!r}")
    exporter: type[SpanExporter] = found[0].load()
    return exporter()


def _shut_down(provider: TracerProvider) -> None:
    """Send what waits and close the exporters; give up after some seconds, if nobody listens."""
    closing = threading.Thread(target=provider.shutdown, name="i2s-traces", daemon=True)
    closing.start()
    closing.join(_FLUSH_SECONDS)
