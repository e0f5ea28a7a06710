"""The description of the service of this container, as labels: python describe.py HOST:PORT.

One line a label, NAME=VALUE: engine, digests of engine and fonts, versions, isolation.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

import grpc

_SECONDS = 30.0
_PREFIX = "org.image2struct"


def labels(address: str) -> dict[str, str]:
    """Ask the service at an address, whichever of the three kinds it is."""
    with grpc.insecure_channel(address) as channel:
        for ask in (_renderer, _documents):
            try:
                return ask(channel)
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNIMPLEMENTED:
                    raise
        return _metrics(channel)


def _renderer(channel: grpc.Channel) -> dict[str, str]:
    from i2s.render.v1 import render_pb2, render_pb2_grpc

    about = render_pb2_grpc.RenderServiceStub(channel).Describe(
        render_pb2.DescribeRequest(), timeout=_SECONDS
    )
    return {
        f"{_PREFIX}.engine": f"{about.engine.name} {about.engine.version}",
        f"{_PREFIX}.engine.digest": about.engine.digest,
        f"{_PREFIX}.fonts.digest": about.fonts_digest,
        f"{_PREFIX}.warm": " ".join(sorted({f"{one.kind}:{one.name}".rstrip(":") for one in about.warm})),
        **_versions(about.versions),
    }


def _documents(channel: grpc.Channel) -> dict[str, str]:
    from i2s.documents.v1 import documents_pb2, documents_pb2_grpc

    about = documents_pb2_grpc.DocumentsServiceStub(channel).Describe(
        documents_pb2.DescribeRequest(), timeout=_SECONDS
    )
    return {
        f"{_PREFIX}.engine": ", ".join(f"{engine.name} {engine.version}" for engine in about.engines),
        f"{_PREFIX}.engine.digest": " ".join(engine.digest for engine in about.engines),
        f"{_PREFIX}.fonts.digest": about.fonts_digest,
        **_versions(about.versions),
    }


def _metrics(channel: grpc.Channel) -> dict[str, str]:
    from i2s.metrics.v1 import metrics_pb2, metrics_pb2_grpc

    about = metrics_pb2_grpc.MetricsServiceStub(channel).Describe(
        metrics_pb2.DescribeRequest(), timeout=_SECONDS
    )
    available = (f"{metric.name}:{metric.version}" for metric in about.metrics if metric.available)
    return {
        f"{_PREFIX}.device": about.device,
        f"{_PREFIX}.metrics": " ".join(sorted(set(available))),
        **_versions(about.versions),
    }


def _versions(versions: Mapping[str, str]) -> dict[str, str]:
    return {f"{_PREFIX}.version.{name}": value for name, value in sorted(versions.items())}


if __name__ == "__main__":
    for name, value in labels(sys.argv[1]).items():
        print(f"{name}={value}")
