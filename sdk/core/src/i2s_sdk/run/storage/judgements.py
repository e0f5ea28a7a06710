"""Scores that judge models and people gave to the images of a run: files beside those of the run itself.

::

    RUN/
      judge-ID.json            the judge: model, parameters, rubric and its digest
      judge-ID-answers.jsonl   one line for each answer of the judge, verbatim, with the digest of the image
      judge-ID-calls.jsonl     one line for each call of the judge that was begun
      human-scores.json        scores of people

ID is a digest of the judge, so that several judges may work on one run and the same one is resumed. Nothing
of this is read when the values of the run are computed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.json_text import JsonFields, plain_fields, read_json
from i2s_sdk.run.storage.codec import answer_line, is_final, read_answer
from i2s_sdk.run.storage.index import JsonlIndex, call_mark, read_lines
from i2s_sdk.run.storage.interface import RunStorage
from i2s_sdk.run.storage.record import SampleAnswer

FORMAT = 1

_NAME = re.compile(r"judge-([0-9a-f]{16})\.json")
_IMAGE = "rendering_sha256"


@dataclass(frozen=True, slots=True)
class JudgeManifest:
    """A judge: everything that decides its answers."""

    #: Whose samples it judges.
    task: str
    #: Its name.
    model: str
    #: Fingerprint of its address and parameters.
    fingerprint: str
    #: Digest of the rubric.
    rubric_sha256: str
    #: The text of the rubric.
    rubric: str
    #: Names of the scores.
    criteria: tuple[str, ...]
    #: Version of the SDK that began it.
    sdk: str = ""

    @property
    def id(self) -> str:
        """Digest of task, model, parameters and rubric."""
        decides = [self.task, self.model, self.fingerprint, self.rubric_sha256]
        return hashlib.sha256(json.dumps(decides).encode()).hexdigest()[:16]

    @property
    def name(self) -> str:
        """The name of its file in a run."""
        return f"judge-{self.id}.json"

    @property
    def answers(self) -> str:
        """Name of the file of its answers."""
        return f"judge-{self.id}-answers.jsonl"

    @property
    def calls(self) -> str:
        """Name of the file of its calls."""
        return f"judge-{self.id}-calls.jsonl"

    def to_json(self) -> bytes:
        """Return the content of its file."""
        return (json.dumps({"format": FORMAT, **asdict(self)}, indent=2) + "\n").encode()

    @classmethod
    def parse(cls, content: bytes, where: object) -> JudgeManifest:
        """Return the judge of a file.

        Args:
            content: Content of the file.
            where: Place of the file, for the message.

        Raises:
            UsageError: It is none, or of another format.
        """
        try:
            plain = read_json(content)
            version = plain.pop("format")
            if version != FORMAT:
                raise UsageError(f"{where} is of format {version!r}, and this i2s-sdk reads {FORMAT}")
            return JsonFields(plain).read_as(cls)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"{where} does not describe a judge: {error!r}") from None


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """The answer of a judge about an image."""

    #: Id of the sample.
    sample: str
    #: What the judge said and what that took.
    answer: SampleAnswer
    #: SHA-256 of the image.
    rendering_sha256: str

    def to_json(self) -> dict[str, Any]:
        """Return the answer as its line has it."""
        return {**answer_line(self.sample, self.answer), _IMAGE: self.rendering_sha256}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> JudgeAnswer:
        """Return the answer of a line.

        Raises:
            KeyError, TypeError, ValueError: It is not one.
        """
        return cls(str(plain["id"]), read_answer(plain), str(plain[_IMAGE]))


@dataclass(frozen=True, slots=True)
class _Mark:
    final: bool
    rendering_sha256: str


@dataclass(frozen=True, slots=True)
class JudgeLog:
    """The files of one judge, open to be appended to."""

    answers: JsonlIndex[_Mark]
    calls: JsonlIndex[str]

    def has(self, sample: str, rendering_sha256: str) -> bool:
        """Return whether the judge has answered for this image of a sample, so that it is not asked again."""
        mark = self.answers.marks.get(sample)
        return mark is not None and mark.final and mark.rendering_sha256 == rendering_sha256

    async def put(self, answer: JudgeAnswer) -> None:
        """Keep an answer; returns once it survives this process."""
        self.answers.append(answer.to_json())
        await self.answers.wait_durable()


@contextmanager
def open_judge_log(storage: RunStorage, judge: JudgeManifest) -> Iterator[JudgeLog]:
    """Have the files of a judge, new or not, as long as the block lasts; only within ``storage.alone()``.

    Args:
        storage: Storage of the run.
        judge: Whose they are.
    """
    storage.write_if_absent(judge.name, judge.to_json())
    with (
        JsonlIndex.open(storage, judge.answers, _mark) as answers,
        JsonlIndex.open(storage, judge.calls, call_mark) as calls,
    ):
        yield JudgeLog(answers, calls)


def read_judges(storage: RunStorage) -> list[JudgeManifest]:
    """Return the judges that have worked on a run, in the order of their names.

    Raises:
        UsageError: A file of a judge is damaged.
    """
    names = sorted(name for name in storage.names() if _NAME.fullmatch(name))
    judges = [JudgeManifest.parse(storage.read(name), storage.at(name)) for name in names]
    return sorted(judges, key=lambda judge: (judge.task, judge.model, judge.id))


def read_judge_answers(storage: RunStorage, judge: JudgeManifest) -> dict[str, JudgeAnswer]:
    """Return what a judge said by sample; the last answer counts.

    Raises:
        DataError: A line is damaged; names it.
    """
    lines = storage.lines(judge.answers)
    answers: dict[str, JudgeAnswer] = {}
    for number, plain in enumerate(read_lines(lines), start=1):
        try:
            answer = JudgeAnswer.from_json(plain)
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(str(lines), number, f"is not an answer of a judge: {error!r}") from None
        answers[answer.sample] = answer
    return answers


def read_judge_costs(storage: RunStorage, judge: JudgeManifest) -> list[SampleAnswer]:
    """Return all answers of a judge, those that were replaced by later ones among them: all were paid for."""
    return [JudgeAnswer.from_json(plain).answer for plain in read_lines(storage.lines(judge.answers))]


def _mark(plain: Mapping[str, Any]) -> _Mark:
    return _Mark(is_final(plain), str(plain[_IMAGE]))


#: File in a run folder; absent if nobody has brought scores.
HUMAN = "human-scores.json"


@dataclass(frozen=True, slots=True)
class RunHumanScores:
    """The scores that people gave to the images of a run."""

    #: Whose samples they are.
    task: str
    #: What the files call the model of the run.
    system: str
    #: SHA-256 of each file by its name.
    sources: Mapping[str, str]
    #: Number of rows of that system in the files.
    rows: int
    #: Scores by sample, in the order of the criteria of the task's rubric; the mean of several rows.
    scores: Mapping[str, tuple[float, ...]]

    def to_json(self) -> dict[str, Any]:
        """Return the scores as JSON has them."""
        return {"format": FORMAT, **plain_fields(replace(self, scores=dict(sorted(self.scores.items()))))}


def write_human_scores(storage: RunStorage, scores: RunHumanScores) -> None:
    """Keep scores with a run in place of earlier ones; only within ``storage.alone()``."""
    storage.write(HUMAN, (json.dumps(scores.to_json(), indent=1) + "\n").encode())


def read_human_scores(storage: RunStorage) -> RunHumanScores | None:
    """Return the scores that were brought to a run; None without any.

    Raises:
        UsageError: Their file is damaged, or of another format.
    """
    try:
        content = storage.read(HUMAN)
    except FileNotFoundError:
        return None
    try:
        plain = read_json(content)
        if plain["format"] != FORMAT:
            raise ValueError(f"format {plain['format']!r}")
        scores = {
            str(sample): tuple(float(value) for value in values) for sample, values in plain["scores"].items()
        }
        return JsonFields(plain).read_as(RunHumanScores, scores=scores)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{storage.at(HUMAN)} holds no scores of people: {error!r}") from None
