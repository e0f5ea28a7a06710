"""Models that answer with recorded completions: JSON lines, run folders, and runs of HELM."""

from __future__ import annotations

import asyncio
import glob
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from i2s_sdk.errors import DataError, ModelError
from i2s_sdk.files import read_file
from i2s_sdk.instances.instance import Instance
from i2s_sdk.json_text import read_json
from i2s_sdk.models.completion import ModelFailedError, ModelRefusedError
from i2s_sdk.models.completion_bound import CHUNK, BoundedLines, LongLine, bounded_completion
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.settings import COMPLETION_CHARACTERS
from i2s_sdk.tasks.question import FilePart, Question
from i2s_sdk.tasks.structure import Absence, NoStructure
from i2s_sdk.tasks.turn import is_turn_name, turn_name

STATE_FILE = "scenario_state.json"

_FINISH = {"stop": Finish.STOP, "endoftext": Finish.STOP, "length": Finish.LENGTH}


@dataclass(frozen=True, slots=True)
class _Recorded:
    """The result that HELM recorded for an instance: a completion, or the reason why there is none."""

    text: str | None
    finish: Finish = Finish.OTHER
    error: str = ""


class HelmReplay(Model):
    """Answers with the predictions that HELM recorded of one model, in its ``scenario_state.json`` files.

    A run of HELM is a folder with such a file, one for each model, subset and difficulty. HELM numbers
    instances anew in each; what tells them apart everywhere is the file of the image, which is named by the
    uuid of the data set.

    Source: ScenarioState, RequestState and RequestResult of HELM (stanford-crfm/helm).

    Args:
        files: Its ``scenario_state.json`` files.
        most_characters: The most characters of a completion; of a longer one only the beginning is held.

    Raises:
        DataError: One cannot be read, they are of several models, or they disagree.
    """

    single_turn = "HELM recorded one completion for each instance"

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
        """Return the completion that HELM recorded for an instance of this id, or of an image of this name.

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
        for number, request in enumerate(state["request_states"], start=1):
            try:
                identity, recorded = (
                    _identity(request["instance"]),
                    _recorded(request["result"], self._most_characters),
                )
            except (KeyError, TypeError, IndexError, AttributeError):
                raise DataError(file, 0, f"request state {number} is not as HELM writes it") from None
            if self._found.setdefault(identity, recorded) != recorded:
                raise DataError(file, 0, f"has another completion for {identity!r} than a file before it")


def _load(file: Path) -> tuple[bytes, dict[str, Any]]:
    raw = read_file(file)
    try:
        state = read_json(raw)
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


#: Files of a run folder.
RECORDS_FILE, ANSWERS_FILE = "records.jsonl", "answers.jsonl"

#: File of a run folder with the records of turns after the first, if the run has any.
TURN_RECORDS_FILE = "turn-records.jsonl"

#: What ``finish`` of a line may say of a completion.
_KNOWN_FINISHES = (Finish.STOP, Finish.LENGTH, Finish.TOO_LONG)

_FORM = "must be an object with the texts 'id' and 'completion'"


def open_replay(where: str, most_characters: int = COMPLETION_CHARACTERS) -> Model:
    """Return the model that answers from a file or a folder.

    Args:
        where: A file of JSON lines; a run folder; a ``scenario_state.json`` of HELM, a folder of such files
            at any depth, or a pattern such as ``runs/v1.0.1/image2latex*model=openai_gpt-4o*``.
        most_characters: The most characters of a completion; of a longer one only the beginning is held.

    Raises:
        DataError: It cannot be read, or holds no completions.
    """
    path = Path(where)
    if path.is_file():
        if path.name == STATE_FILE:
            return HelmReplay([path], most_characters)
        return Replay(path, most_characters=most_characters)
    if (path / RECORDS_FILE).is_file():
        return Replay(path / RECORDS_FILE, name=path.resolve().name, most_characters=most_characters)
    folders = [path] if path.exists() else [Path(one) for one in sorted(glob.glob(where))]
    states = [file for folder in folders for file in _states(folder)]
    if states:
        return HelmReplay(states, most_characters)
    if folders:
        raise DataError(path, 0, f"holds neither {RECORDS_FILE} of a run nor {STATE_FILE} of HELM")
    raise DataError(path, 0, "cannot be read: there is no such file or folder; replay: needs one")


def _states(folder: Path) -> list[Path]:
    return [folder] if folder.is_file() else sorted(folder.rglob(STATE_FILE))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a line lies: its file, first byte and length, without its line feed."""

    file: Path
    offset: int
    length: int


class Replay(Model):
    """Answers from a file of JSON lines with ``id`` and ``completion``.

    A line for one of several questions of an instance has its name as ``question``; a line for a turn after
    the first has its number as ``turn``, in the same file or, of a run, in the file beside it. A line may say
    as ``finish`` why its completion ends: "stop", or "length" if it was cut off. Other fields are ignored, so
    the records of a run can be replayed as they are. If an id stands twice the later line counts, as in a run
    that was resumed; a completion that is null is none. The file is read once, and again line by line as
    answers are asked for, so that its size does not matter.

    Args:
        path: The file.
        name: Name of the model, behind ``replay:``; empty takes that of the file.
        most_characters: The most characters of a completion; of a longer one only the beginning is ever in
            memory.

    Raises:
        DataError: It cannot be read, or a line is malformed.
    """

    whole = True

    def __init__(self, path: Path, *, name: str = "", most_characters: int = COMPLETION_CHARACTERS) -> None:
        self.name = f"replay:{name or path.name}"
        self._path = path
        try:
            self._most_characters = most_characters
            turns = path.with_name(TURN_RECORDS_FILE)
            files = (path, turns) if path.name == RECORDS_FILE and turns.is_file() else (path,)
            self.fingerprint, self._places = _index(files, most_characters)
        except OSError as error:
            raise DataError(path, 0, f"cannot be read: {error.strerror}; replay: needs a file") from None

    def no_turn(self, instance: Instance, question: str) -> str:
        """Return that no line answers a further turn of an instance; empty if one does."""
        return "" if (instance.id, question) in self._places else f"{self.name} has no further turn"

    async def complete(self, instance: Instance, question: Question) -> Completion:
        """Return the recorded completion.

        Raises:
            ModelRefusedError: The model refused at that time.
            ModelError: There is none for this instance, or for this one of its questions.
        """
        place = self._places.get((instance.id, question.name))
        if place is None:
            raise ModelError(
                f"{self._path} has no completion for {self._named(instance, question)}"
                f" (it has {len(self._places)}; --sample-id, --subset or --limit choose instances)"
            )
        entry = await asyncio.to_thread(self._read, place)
        of_document = any(isinstance(part, FilePart) for part in question.parts)
        if of_document and entry.get("question"):
            raise ModelError(
                f"{self._path} has answers to single pages of instance {instance.id!r}, and none that joins "
                "them"
            )
        if entry.get("outcome") == "refused":
            message = _said(entry) or "the model refused to answer"
            raise ModelRefusedError(message, Completion(entry["completion"] or "", Finish.REFUSED))
        text = entry["completion"]
        no_answer = None if text.strip() else _no_answer(entry)
        said = Completion(text, _finish(entry), no_answer=no_answer)
        return bounded_completion(said, self._most_characters)

    def _named(self, instance: Instance, question: Question) -> str:
        """Return the name of a question; of a run, with the file of answers to single questions."""
        if not question.name:
            return f"instance {instance.id!r}"
        named = f"question {question.name!r} of instance {instance.id!r}"
        if self._path.name != RECORDS_FILE:
            return named
        return f"{named}; answers to single questions are in {self._path.with_name(ANSWERS_FILE)}"

    def _read(self, place: _Place) -> Mapping[str, Any]:
        try:
            with place.file.open("rb") as file:
                file.seek(place.offset)
                lines = BoundedLines(self._most_characters)
                left = place.length
                while left and (chunk := file.read(min(CHUNK, left))):
                    left -= len(chunk)
                    for _ in lines.feed(chunk):
                        raise ValueError("there is a line feed now")
                entry = _object(lines.last() or b"")
                if _answers(entry) is None:
                    raise ValueError("it says something else now")
                return entry
        except (OSError, ValueError):
            raise DataError(place.file, 0, "was changed while it was replayed") from None


def _finish(entry: Mapping[str, Any]) -> Finish:
    """Return the reason why a completion ends, as its line says; OTHER if it does not say."""
    return next((finish for finish in _KNOWN_FINISHES if entry.get("finish") == finish), Finish.OTHER)


def _no_answer(entry: Mapping[str, Any]) -> NoStructure | None:
    """Return that a model gave nothing but reasoning, if the record of a run says so; otherwise None."""
    match entry:
        case {"outcome": Absence.ENDED_IN_REASONING, "message": str(reason)}:
            return NoStructure(reason, Absence.ENDED_IN_REASONING)
    return None


def _said(entry: Mapping[str, Any]) -> str:
    """Return the words of a refusal, as the record of a run has them; empty if it has none."""
    match entry:
        case {"message": str(said)} if said:
            return said
        case {"failure": {"message": str(said)}}:
            return said
    return ""


def _index(files: Sequence[Path], most_characters: int) -> tuple[str, dict[tuple[str, str], _Place]]:
    """Return the SHA-256 of the files' contents, and where the line lies that answers a question.

    A question has the id of its instance and its name. The only question of an instance, which has no name,
    is answered by every line of the id: files of other programs may have words of their own as ``question``.
    """
    digest, places = hashlib.sha256(), dict[tuple[str, str], _Place]()
    for path in files:
        offset, lines = 0, BoundedLines(most_characters)
        with path.open("rb") as file:
            for number, line in enumerate(_lines(file, lines, digest.update), start=1):
                if not isinstance(line, bytes) or line.strip():
                    questions = _questions(path, number, line)
                    places.update(dict.fromkeys(questions, _Place(path, offset, lines.length)))
                offset += lines.length + 1
    return digest.hexdigest(), places


def _lines(
    file: BinaryIO, lines: BoundedLines, on_chunk: Callable[[bytes], None]
) -> Iterator[bytes | LongLine]:
    while chunk := file.read(CHUNK):
        on_chunk(chunk)
        yield from lines.feed(chunk)
    last = lines.last()
    if last is not None:
        yield last


def _questions(path: Path, number: int, line: bytes | LongLine) -> Iterator[tuple[str, str]]:
    """Yield the questions that a line answers, each by the id of its instance and its name."""
    try:
        entry = _object(line)
    except ValueError:
        raise DataError(path, number, "is not a line of JSON in UTF-8") from None
    answers = _answers(entry)
    if answers is None:
        raise DataError(path, number, _FORM)
    if answers:
        turn, question = entry.get("turn"), entry.get("question")
        if isinstance(turn, int) and turn > 1:
            yield str(entry["id"]), turn_name(turn)
            return
        if not (isinstance(question, str) and is_turn_name(question)):
            yield str(entry["id"]), ""
        if isinstance(question, str):
            yield str(entry["id"]), question


def _object(line: bytes | LongLine) -> Mapping[str, Any]:
    """Return the object of a line; an empty one if it holds something else.

    Raises:
        ValueError: It is not JSON.
    """
    if isinstance(line, LongLine):
        return line.entry
    entry = read_json(line)
    return entry if isinstance(entry, dict) else {}


def _answers(entry: Mapping[str, Any]) -> bool | None:
    """Return whether a line says what a model said; None if it is of another form."""
    match entry:
        case {"id": str(), "completion": str()}:
            return True
        case {"id": str(), "completion": None, "outcome": "refused"}:
            return True
        case {"id": str(), "completion": None}:
            return False
    return None
