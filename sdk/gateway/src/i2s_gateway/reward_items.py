"""The JSON of a batch of rewards: items, references, options; every fault of it names its field."""

from __future__ import annotations

import base64
import binascii
import difflib
import json
import math
import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from i2s_gateway.guard import GatewayError, invalid, read_body
from i2s_gateway.references import DIGEST, digest_of
from i2s_sdk.data.folder import inputs_fault, target_fault
from i2s_sdk.errors import DataError, I2SError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.site_files import MAX_FILES, inside
from i2s_sdk.models.completion import Finish
from i2s_sdk.tasks.metrics import image_metrics
from i2s_sdk.tasks.registry import DEFAULT_TASK, task_spec
from i2s_sdk.tasks.task import Task
from i2s_training.batch_reward import RewardRequest, text_of
from i2s_training.completion_scorer import RoundTripRequest

_BATCH = ("items", "weights", "failed", "normalize", "clip", "group", "metrics", "deadline_seconds")
_ITEM = (
    *("id", "completion", "messages", "finish", "task", "reference", "structure", "target", "inputs"),
    *("assets", "floor", "ceiling", "group"),
)
_REFERENCE = ("image", "instance", "digest")
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_DIGEST = re.compile(rf"{DIGEST}[0-9a-f]{{64}}")
_MAX_NAME = 256


class MissingReferencesError(GatewayError):
    """Digests that name no upload of the caller: nothing is scored until they are sent (again).

    Args:
        digests: The digests.
    """

    def __init__(self, digests: list[str]) -> None:
        super().__init__(
            HTTPStatus.CONFLICT,
            "FAILED_PRECONDITION",
            f"{len(digests)} references are not here; send them to /v1/references and the batch again",
            more={"missing": digests},
        )


@dataclass(frozen=True, slots=True)
class RewardItem:
    """One answer that is to have a reward."""

    #: What is judged, with floor and ceiling; or what is wrong with its data.
    asked: RewardRequest
    #: Name of its task.
    task: str
    #: As the caller calls it; None for nothing.
    id: str | None
    #: What the answers of one group have in common.
    group: Hashable

    def told(self, error: DataError) -> DataError:
        """Return what its caller is told of a fault of its data."""
        request = self.asked.request
        if isinstance(request, I2SError) or not isinstance(request.reference, Instance):
            return error
        return without_path(error, f"instance {request.reference.id!r}")


@dataclass(frozen=True, slots=True)
class RewardOptions:
    """How the values of a batch are made."""

    #: Weights of metrics; empty takes the main metric of each task.
    weights: Mapping[str, float] = field(default_factory=dict)
    #: Value of an answer without image.
    failed: float = 0.0
    #: Whether the reward is divided by ceiling minus floor.
    normalize: bool = False
    #: Whether no reward is below the least one of its kind.
    clip: bool = False
    #: Further metrics to compute.
    metrics: tuple[str, ...] = ()

    @property
    def key(self) -> Hashable:
        """Equal for equal options."""
        return tuple(sorted(self.weights.items())), self.failed, self.normalize, self.clip, self.metrics


@dataclass(frozen=True, slots=True)
class RewardBatch:
    """A batch as it was asked for."""

    items: tuple[RewardItem, ...]
    options: RewardOptions
    #: Whether ranks and centred values within groups are wanted.
    grouped: bool
    #: Seconds for all items.
    deadline_seconds: float
    #: Bytes of completions and files; one that several items share counts once.
    size: int


@dataclass(frozen=True, slots=True)
class ItemBounds:
    """What a batch may have."""

    #: The most items.
    items: int
    #: The longest deadline in seconds, which is also the default.
    seconds: float
    #: The most bytes of completions and files; reading stops there.
    size: int


class BatchReader:
    """Reads a batch.

    Args:
        tasks: Tasks that have rewards here, by name.
        bounds: What a batch may have.
        uploaded: Returns an upload of the caller by its digest, or None.
        instance: Returns an instance of the data set of the gateway by its id.
        request_id: Name of the request; stands in the logs of the services.
    """

    def __init__(
        self,
        tasks: Mapping[str, Task],
        bounds: ItemBounds,
        uploaded: Callable[[str], bytes | None],
        instance: Callable[[str], Instance],
        request_id: str = "",
    ) -> None:
        self._tasks, self._bounds, self._request_id = tasks, bounds, request_id
        self._uploaded, self._instance = uploaded, instance
        self._decoded: dict[str, bytes] = {}
        self._instances: dict[str, Instance | DataError] = {}
        self._uploads: dict[str, bytes | None] = {}
        self._size = 0

    def read(self, raw: bytes | bytearray) -> RewardBatch:
        """Return the batch that a JSON text says.

        Raises:
            GatewayError: It is not JSON or no batch; names the field. Or references are missing.
        """
        body = _object(read_body(raw), "the body", _BATCH)
        items = body.get("items")
        if not isinstance(items, list) or not items:
            raise invalid("items is no list of answers")
        if len(items) > self._bounds.items:
            raise GatewayError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                "RESOURCE_EXHAUSTED",
                f"items has {len(items)} items, more than {self._bounds.items}; send them in parts",
            )
        options = RewardOptions(
            _weights(body.get("weights")),
            _number(body.get("failed"), "failed", 0.0),
            _flag(body.get("normalize"), "normalize"),
            _flag(body.get("clip"), "clip"),
            _names(body.get("metrics"), "metrics"),
        )
        read = tuple(self._item(item, number) for number, item in enumerate(items))
        if missing := [digest for digest, file in self._uploads.items() if file is None]:
            raise MissingReferencesError(missing)
        grouped = _flag(body.get("group"), "group")
        return RewardBatch(read, options, grouped, self._seconds(body.get("deadline_seconds")), self._size)

    def _seconds(self, value: object) -> float:
        seconds = _number(value, "deadline_seconds", self._bounds.seconds)
        if seconds <= 0:
            raise invalid("deadline_seconds is not above 0")
        return min(seconds, self._bounds.seconds)

    def _item(self, value: object, number: int) -> RewardItem:
        where = f"items[{number}]"
        item = _object(value, where, _ITEM)
        name, completion = _name(item.get("id"), f"{where}.id"), self._completion(item, where)
        reference = self._reference(item.get("reference"), f"{where}.reference")
        task = self._task(item.get("task"), reference, f"{where}.task")
        request = self._request(item, where, number, completion, task, reference)
        floor, ceiling = (
            _number(item[bound], f"{where}.{bound}", 0.0) if item.get(bound) is not None else None
            for bound in ("floor", "ceiling")
        )
        group = _name(item.get("group"), f"{where}.group")
        return RewardItem(
            RewardRequest(request, floor, ceiling),
            task,
            name,
            ("named", group) if group is not None else (task, _group_of(reference, request)),
        )

    def _completion(self, item: Mapping[str, Any], where: str) -> str:
        said, messages = item.get("completion"), item.get("messages")
        if (said is None) == (messages is None):
            raise invalid(f"{where} has {'neither' if said is None else 'both'}: completion, messages")
        if said is not None and not isinstance(said, str):
            raise invalid(f"{where}.completion is no text")
        try:
            text = text_of(said if said is not None else messages)
        except UsageError as error:
            raise invalid(f"{where}.messages: {error.message}") from None
        self._grow(len(text))
        return text

    def _reference(self, value: object, where: str) -> bytes | Instance | DataError | None:
        """Return what an answer is compared with; None if there is nothing."""
        if value is None:
            return None
        given = {name: one for name, one in _object(value, where, _REFERENCE).items() if one is not None}
        if len(given) != 1:
            raise invalid(f"{where} is one of {', '.join(_REFERENCE)}")
        ((kind, text),) = given.items()
        if not isinstance(text, str):
            raise invalid(f"{where}.{kind} is no text")
        match kind:
            case "image":
                return self._bytes(text, f"{where}.image")
            case "instance":
                try:
                    return self._instance(text)
                except DataError as error:
                    return without_path(error, "the data of the gateway")
        if not _DIGEST.fullmatch(text):
            raise invalid(f"{where}.digest is not {DIGEST} with 64 digits of lower-case hexadecimal")
        if text not in self._uploads:
            self._uploads[text] = self._uploaded(text)
            self._grow(len(self._uploads[text] or b""))
        return self._uploads[text] or b""

    def _task(self, value: object, reference: object, where: str) -> str:
        own = reference.task if isinstance(reference, Instance) else None
        if value is not None and not isinstance(value, str):
            raise invalid(f"{where} is no text")
        task = value or own or DEFAULT_TASK
        if own is not None and task != own:
            raise invalid(f"{where} is {task!r}, and its instance has the task {own!r}")
        if task not in self._tasks:
            known = ", ".join(self._tasks) or "none"
            raise invalid(f"{where} {task!r} has no rewards here; there are: {known}")
        return task

    def _request(
        self,
        item: Mapping[str, Any],
        where: str,
        number: int,
        completion: str,
        task: str,
        reference: bytes | Instance | DataError | None,
    ) -> RoundTripRequest | DataError:
        finish = self._finish(item.get("finish"), f"{where}.finish")
        identity = f"{self._request_id}-{number}"
        structure = item.get("structure")
        if structure is not None and not isinstance(structure, str):
            raise invalid(f"{where}.structure is no text")
        self._grow(len(structure or ""))
        assets = self._assets(item.get("assets"), f"{where}.assets")
        own = [name for name in ("structure", "target", "inputs", "assets") if item.get(name) is not None]
        if isinstance(reference, DataError):
            return reference
        if isinstance(reference, Instance):
            if own:
                raise invalid(f"{where}.{own[0]}: its instance has its own")
            return RoundTripRequest(reference, completion, finish=finish)
        if image_metrics(self._tasks[task]):
            if reference is None:
                raise invalid(f"{where}.reference: an answer to {task!r} is compared with an image")
            if foreign := [name for name in ("target", "inputs") if name in own]:
                raise invalid(f"{where}.{foreign[0]}: {task!r} has reference, structure and assets")
            return RoundTripRequest(reference, completion, task, structure, assets, identity, finish)
        instance = self._own_instance(item, task, structure, identity)
        if isinstance(instance, DataError):
            return instance
        return RoundTripRequest(instance, completion, finish=finish)

    def _own_instance(
        self, item: Mapping[str, Any], task: str, structure: str | None, identity: str
    ) -> Instance | DataError:
        """Return the instance of inputs and target; equal ones have the same, so that answers share it."""
        key = json.dumps([task, item.get("inputs"), item.get("target"), structure], sort_keys=True)
        if key not in self._instances:
            self._grow(len(key))
            self._instances[key] = _instance(item, task, structure, identity)
        return self._instances[key]

    def _finish(self, value: object, where: str) -> Finish:
        if value is None:
            return Finish.OTHER
        if not isinstance(value, str):
            raise invalid(f"{where} is no text")
        return Finish(value) if value in (Finish.STOP, Finish.LENGTH) else Finish.OTHER

    def _assets(self, value: object, where: str) -> Mapping[str, bytes]:
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            raise invalid(f"{where} is no object of files by name")
        if len(value) > MAX_FILES:
            raise invalid(f"{where} has more than {MAX_FILES} files")
        files: dict[str, bytes] = {}
        for name, content in value.items():
            try:
                plain = inside(name)
            except ValueError as error:
                raise invalid(f"{where}: {error}") from None
            if not isinstance(content, str):
                raise invalid(f"{where}: the content of {name!r} is no text of base64")
            files[plain] = self._bytes(content, f"{where}: the content of {name!r}")
        return files

    def _bytes(self, text: str, where: str) -> bytes:
        """Return the bytes of a text of base64; equal texts have the same bytes."""
        if text not in self._decoded:
            self._decoded[text] = decoded(text, where)
            self._grow(len(self._decoded[text]))
        return self._decoded[text]

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > self._bounds.size:
            raise GatewayError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                "RESOURCE_EXHAUSTED",
                f"the completions and files of the batch have more than {self._bounds.size} bytes, the most "
                "of one caller; send it in parts",
            )


def without_path(error: DataError, name: str) -> DataError:
    """Return a fault of data under a name: callers need not know which file of the gateway it is in."""
    return DataError(name, error.line, error.reason)


def decoded(text: str, where: str) -> bytes:
    """Return the bytes of a text of base64.

    Raises:
        GatewayError: It is not base64, or empty.
    """
    if not text or not _BASE64.fullmatch(text):
        raise invalid(f"{where} is not base64")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        raise invalid(f"{where} is not base64") from None


def read_uploads(raw: bytes | bytearray, most: int) -> list[bytes]:
    """Return the files that a request to keep references brings.

    Args:
        raw: JSON: ``{"references": [{"image": base64}, …]}``.
        most: The most files.

    Raises:
        GatewayError: It is something else; names the field.
    """
    body = _object(read_body(raw), "the body", ("references",))
    given = body.get("references")
    if not isinstance(given, list) or not given:
        raise invalid("references is no list of images")
    if len(given) > most:
        raise invalid(f"references has {len(given)} images, more than {most}; send them in parts")
    files = []
    for number, one in enumerate(given):
        image = _object(one, f"references[{number}]", ("image",)).get("image")
        if not isinstance(image, str):
            raise invalid(f"references[{number}].image is no text of base64")
        files.append(decoded(image, f"references[{number}].image"))
    return files


def _instance(
    item: Mapping[str, Any], task: str, structure: str | None, identity: str
) -> Instance | DataError:
    """Return the instance of a task that compares no images, or what is wrong with it."""
    inputs: Any = {} if item.get("inputs") is None else item["inputs"]
    target: Any = structure if item.get("target") is None else item["target"]
    fault = inputs_fault(task, inputs, with_files=False) or target_fault(task, target)
    if not fault:
        instance = Instance(identity, task, "", None, inputs=inputs, target=target)
        fault = task_spec(task).instance_fault(instance)
        if not fault:
            return instance
    return DataError(identity, 0, fault)


def _group_of(reference: object, request: object) -> Hashable:
    if isinstance(reference, Instance):
        return "instance", reference.id
    if isinstance(reference, bytes):
        return digest_of(reference)
    return id(request.reference) if isinstance(request, RoundTripRequest) else id(request)


def _object(value: object, where: str, known: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise invalid(f"{where} is no object")
    for name in value:
        if name not in known:
            close = difflib.get_close_matches(name[:_MAX_NAME], known, 1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
            raise invalid(f"there is no field {name[:_MAX_NAME]!r} in {where}; {hint}")
    return value


def _number(value: object, where: str, default: float) -> float:
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise invalid(f"{where} is no number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise invalid(f"{where} is no finite number")
    return number


def _flag(value: object, where: str) -> bool:
    if value is None:
        return False
    if not isinstance(value, bool):
        raise invalid(f"{where} is neither true nor false")
    return value


def _name(value: object, where: str) -> str | None:
    if value is not None and not (isinstance(value, str) and len(value) <= _MAX_NAME):
        raise invalid(f"{where} is no text of at most {_MAX_NAME} characters")
    return value


def _names(value: object, where: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise invalid(f"{where} is no list of texts")
    return tuple(dict.fromkeys(value))


def _weights(value: object) -> Mapping[str, float]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise invalid("weights is no object of numbers by the name of a metric")
    return {name: _number(one, f"weights.{name[:_MAX_NAME]}", 0.0) for name, one in value.items()}
