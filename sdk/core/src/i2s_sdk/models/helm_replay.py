"""Predictions that HELM recorded: its ``scenario_state.json`` files.

A run of HELM is a folder with such a file, one for each model, subset and difficulty. HELM numbers instances
anew in each; what tells them apart everywhere is the file of the picture, which is named by the uuid of the
data set.

Source: ScenarioState, RequestState and RequestResult of HELM (stanford-crfm/helm).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from i2s_sdk.errors import DataError, ModelError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.json_text import read_json
from i2s_sdk.limits import COMPLETION_CHARACTERS
from i2s_sdk.models.completion_bound import bounded_completion
from i2s_sdk.models.errors import ModelFailedError, ModelRefusedError
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.tasks.question import Question

STATE_FILE = "scenario_state.json"

_FINISH = {"stop": Finish.STOP, "endoftext": Finish.STOP, "length": Finish.LENGTH}


@dataclass(frozen=True, slots=True)
class _Recorded:
    """What HELM recorded for an instance: a completion, or why there is none."""

    text: str | None
    finish: Finish = Finish.OTHER
    error: str = ""


class HelmReplay(Model):
    """Answers with the predictions that HELM recorded of one model.

    Args:
        files: Its ``scenario_state.json`` files.
        most_characters: The most characters of a completion; of a longer one only the beginning is held.

    Raises:
        DataError: One cannot be read, they are of several models, or they disagree.
    """

    def __init__(self, files: Sequence[Path], most_characters: int = COMPLETION_CHARACTERS) -> None:
        self._most_characters = most_characters
        digest = hashlib.sha256()
        self._where = files[0] if len(files) == 1 else files[0].parent.parent
        self._found: dict[str, _Recorded] = {}
        models: dict[str, Path] = {}
        for file in files:
            raw, state = _load(file)
            digest.update(hashlib.sha256(raw).digest())
            models.setdefault(_model(file, state), file)
            if len(models) > 1:
                raise DataError(
                    self._where,
                    0,
                    f"holds runs of several models ({', '.join(models)}); name those of one by a pattern",
                )
            self._take(file, state)
        self.name = f"replay:{next(iter(models))}"
        self.fingerprint = digest.hexdigest()

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return what HELM recorded for an instance of this id, or else of a picture of this name.

        Raises:
            ModelRefusedError: The vendor's filter blocked the request at that time.
            ModelError: There is no completion.
        """
        if question.name:
            raise ModelError(f"HELM recorded one completion for an instance, none for {question.name!r}")
        recorded = self._found.get(instance.id) or self._found.get(instance.file.stem)
        if recorded is None:
            raise ModelError(f"{self._where} has no completion for instance {instance.id!r}")
        if recorded.text is not None:
            return Completion(recorded.text, recorded.finish)
        if recorded.finish is Finish.REFUSED:
            raise ModelRefusedError(f"HELM recorded: {recorded.error}", Completion("", Finish.REFUSED))
        raise ModelFailedError(f"HELM recorded: {recorded.error}", attempts=0)

    def _take(self, file: Path, state: Mapping[str, Any]) -> None:
        for number, one in enumerate(state["request_states"], start=1):
            try:
                identity, recorded = (
                    _identity(one["instance"]),
                    _recorded(one["result"], self._most_characters),
                )
            except (KeyError, TypeError, IndexError, AttributeError):
                raise DataError(file, 0, f"request state {number} is not as HELM writes it") from None
            if self._found.setdefault(identity, recorded) != recorded:
                raise DataError(file, 0, f"has another completion for {identity!r} than a file before it")


def _load(file: Path) -> tuple[bytes, dict[str, Any]]:
    try:
        raw = file.read_bytes()
        state = read_json(raw)
    except OSError as error:
        raise DataError(file, 0, f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise DataError(file, 0, f"is not JSON: {error}") from None
    if not isinstance(state, dict) or not isinstance(state.get("request_states"), list):
        raise DataError(file, 0, "is not a scenario state of HELM: it has no list request_states")
    return raw, state


def _model(file: Path, state: Mapping[str, Any]) -> str:
    match state:
        case {"adapter_spec": {"model": str(model)}} if model:
            return model
    raise DataError(file, 0, "is not a scenario state of HELM: adapter_spec.model is missing")


def _identity(instance: Mapping[str, Any]) -> str:
    content = (instance.get("input") or {}).get("multimedia_content") or {}
    for medium in _objects(content.get("media_objects")):
        if str(medium.get("content_type", "")).startswith("image/") and medium.get("location"):
            return PurePosixPath(medium["location"]).stem
    return str(instance["id"])


def _objects(value: object) -> Iterable[Mapping[str, Any]]:
    return (one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()


def _recorded(result: Mapping[str, Any], most_characters: int) -> _Recorded:
    if result["success"] and result["completions"]:
        first = result["completions"][0]
        reason = (first.get("finish_reason") or {}).get("reason")
        said = Completion(str(first["text"]), _FINISH.get(str(reason), Finish.OTHER))
        kept = bounded_completion(said, most_characters)
        return _Recorded(kept.text, kept.finish)
    flags = result.get("error_flags") or {}
    blocked = flags.get("is_fatal") is False
    error = str(result.get("error") or "no completion")
    return _Recorded(None, Finish.REFUSED if blocked else Finish.OTHER, error)
