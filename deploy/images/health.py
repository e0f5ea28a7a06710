"""Whether the service of this container serves: python health.py HOST:PORT [SECONDS].

Asks grpc.health.v1 at the plaintext health port, once or until it says SERVING. The exit code is 0 or 1.
"""

from __future__ import annotations

import sys
import time

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

_ATTEMPT_SECONDS = 4.0
_PAUSE_SECONDS = 0.5


def ask(address: str) -> str:
    """Return the name of the status, or why there is none."""
    with grpc.insecure_channel(address) as channel:
        try:
            answer = health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(), timeout=_ATTEMPT_SECONDS
            )
        except grpc.RpcError as error:
            return str(error.code().name)
    return str(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))


def main(address: str, seconds: float) -> int:
    """Ask until it serves or the time is over."""
    deadline = time.monotonic() + seconds
    while (status := ask(address)) != "SERVING" and time.monotonic() < deadline:
        time.sleep(_PAUSE_SECONDS)
    print(status)
    return 0 if status == "SERVING" else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], float(sys.argv[2]) if sys.argv[2:] else 0.0))
