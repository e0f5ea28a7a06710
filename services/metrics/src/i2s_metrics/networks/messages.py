"""The settings, requests and answers between service and the process of the networks; nothing is pickled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from i2s_metrics.frames import WorkerError, pack, unpack
from i2s_metrics.model import Inputs, Network, NetworkComparison
from i2s_metrics.networks.weights_file import WeightsFile
from i2s_metrics.processes import LOG_BYTES

Precision = Literal["float32", "half"]


@dataclass(frozen=True, slots=True)
class HostSettings:
    """The settings of the process."""

    #: The file of each network.
    weights: Mapping[Network, WeightsFile]
    #: "auto", "cpu", "cuda" or "cuda:N".
    device: str = "auto"
    #: The precision that is asked for.
    precision: Precision = "float32"
    #: Number of threads on processors.
    threads: int = 1
    #: Pairs that are compared at once.
    batch_size: int = 8
    #: What the first pair of a batch waits for others at most.
    batch_wait_seconds: float = 0.005
    #: What may be kept of references.
    feature_bytes: int = 256 * 1024 * 1024
    #: What may be taken of a GPU's memory; None is all of it.
    device_bytes: int | None = None
    #: Whether the process confines itself.
    confined: bool = True
    #: Bytes of its standard error that are logged in each minute.
    log_bytes: int = LOG_BYTES

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Open files that the process needs once it is confined."""
        return tuple(file.descriptor for file in self.weights.values() if file.descriptor is not None)


#: Greatest frame to the service.
MOST_ANSWER_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Description:
    """The device of the networks, and their precision."""

    #: "cpu", or "cuda:0 (name)".
    device: str
    #: Precision of the computation, with the error that was measured if it is not float32.
    precision: str


@dataclass(frozen=True, slots=True)
class NetworkAnswer:
    """The answer of a network."""

    #: The distance or cosine; not a number if there is none.
    value: float
    #: Processor time, the batch's divided by its size.
    cpu_seconds: float


def pack_request(number: int, inputs: Inputs) -> bytes:
    """Return a request as bytes."""
    header = {"number": number, "comparison": inputs.comparison}
    return pack(header, inputs.prediction, inputs.reference)


def pack_drop(number: int) -> bytes:
    """Return the message that nobody waits for a request any more."""
    return pack({"number": number})


def unpack_request(frame: bytes) -> tuple[int, Inputs | None]:
    """Return the number of a request and what to compare; None if it is to be dropped."""
    header, first = unpack(frame)
    if "comparison" not in header:
        return header["number"], None
    comparison = NetworkComparison(header["comparison"])
    second = first + comparison.nbytes
    return header["number"], Inputs(comparison, frame[first:second], frame[second:])


def pack_description(description: Description) -> bytes:
    """Return the first message of the process."""
    return json.dumps({"device": description.device, "precision": description.precision}).encode()


def pack_answer(number: int, answer: NetworkAnswer) -> bytes:
    """Return an answer as bytes."""
    return json.dumps({"number": number, "value": answer.value, "cpu_seconds": answer.cpu_seconds}).encode()


def pack_fault(fault: str, number: int | None = None) -> bytes:
    """Return a fault as bytes: of one request, or of the start."""
    return json.dumps({"number": number, "fault": fault}).encode()


def unpack_description(frame: bytes) -> Description:
    """Return the first message of the process.

    Raises:
        WorkerError: It could not start.
    """
    message = _message(frame)
    if "fault" in message:
        raise WorkerError(str(message["fault"]))
    return Description(str(message.get("device")), str(message.get("precision")))


def unpack_answer(frame: bytes) -> tuple[int, NetworkAnswer | WorkerError]:
    """Return the number of a request and how it ended.

    Raises:
        WorkerError: The message makes no sense.
    """
    message = _message(frame)
    number, value, cpu_seconds = (message.get(name) for name in ("number", "value", "cpu_seconds"))
    if not isinstance(number, int):
        raise WorkerError("an answer of the networks has no number")
    if "fault" in message:
        return number, WorkerError(str(message["fault"]))
    if not isinstance(value, float) or not isinstance(cpu_seconds, float):
        raise WorkerError("an answer of the networks has no value")
    return number, NetworkAnswer(value, cpu_seconds)


def _message(frame: bytes) -> Mapping[str, object]:
    try:
        message = json.loads(frame)
    except ValueError as error:
        raise WorkerError(f"an answer of the networks makes no sense: {error}") from error
    if not isinstance(message, dict):
        raise WorkerError("an answer of the networks is no object")
    return message
