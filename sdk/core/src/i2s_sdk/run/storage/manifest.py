"""The manifest of a run: the options that decide its numbers, facts about its start, and its instances."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Protocol

from i2s_sdk.errors import RunConflictError, UsageError
from i2s_sdk.json_text import JsonFields, read_json
from i2s_wire.metrics.profile import Profile

FORMAT = 1

#: Facts that the user gave a run: its name, and a text about it.
LABEL, NOTE = "label", "note"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Everything that decides the numbers of a run. Two runs of equal options are one run."""

    #: Profile whose rules are followed.
    profile: str
    #: Name of the model.
    model: str
    #: Digest of what else decides its answers.
    model_fingerprint: str
    #: SHA-256 of the index of the data set.
    data_sha256: str
    #: Tasks that are evaluated.
    tasks: tuple[str, ...]
    #: The most instances; None is all.
    limit: int | None
    #: SHA-256 of the prompt of each task.
    prompts: Mapping[str, str]
    #: Name and version of each metric.
    metrics: Mapping[str, str]
    #: Digest of each renderer that has been there.
    engines: Mapping[str, str]
    #: Version of this package.
    sdk: str
    #: Subsets that are evaluated; none means all.
    subsets: tuple[str, ...] = ()
    #: The same.
    difficulties: tuple[str, ...] = ()
    #: Ids of single instances; none means all.
    samples: tuple[str, ...] = ()
    #: Seed of the choice of ``limit`` instances; None takes the first.
    seed: int | None = None
    #: The part that is done here, as "1/3"; empty is the whole.
    shard: str = ""
    #: Answers of a conversation at most: how often a model may correct its answer, and one.
    turns: int = 1

    def differences(self, other: RunOptions, *, resuming: bool = False) -> list[str]:
        """Return what differs, as "name: ours, theirs" for people.

        Args:
            other: The other options.
            resuming: Whether these are of a command that resumes the run of the others. Then metrics that are
                new do not matter: the run keeps those that it was begun with.
        """
        mine, theirs = asdict(self), asdict(other)
        both = sorted(
            self.engines.keys() & other.engines.keys()
        )  # a renderer that was missing may come later
        mine["engines"], theirs["engines"] = (
            {name: side.engines[name] for name in both} for side in (self, other)
        )
        if not (self.metrics and other.metrics):  # a stage that needs none does not know them
            mine["metrics"] = theirs["metrics"]
        elif resuming:
            mine["metrics"] = {name: self.metrics[name] for name in other.metrics if name in self.metrics}
        return [
            f"{name}: {_shown(theirs[name])} there, {_shown(mine[name])} now"
            for name in mine
            if mine[name] != theirs[name]
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the options as JSON has them; ``turns`` is left out if it is 1, as before there were any."""
        plain = asdict(self)
        if self.turns == 1:
            del plain["turns"]
        return plain

    def require_same(self, stored: RunOptions, folder: object) -> None:
        """Return where ``stored``, the options of the run in ``folder``, are these.

        Raises:
            RunConflictError: They are not; names every difference.
        """
        differences = self.differences(stored, resuming=True)
        if differences:
            raise RunConflictError(
                f"{folder} holds a run with other options, and numbers of different runs do not mix; "
                f"name another folder with --out. {'; '.join(differences)}"
            )


@dataclass(frozen=True, slots=True)
class Manifest:
    """The options of a run, and facts about its first start that decide nothing."""

    #: Options that must be equal to go on with the run.
    options: RunOptions
    #: Metrics of the task that the metric service cannot compute, and why.
    unavailable: Mapping[str, str] = field(default_factory=dict)
    #: Facts by name: when, which data folder, versions, isolation.
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The name that the user gave the run; empty if it was given none."""
        return self.about.get(LABEL, "")

    def joined(self, later: Manifest) -> Manifest:
        """Return this one with the engines, metrics and facts that only a later start knows."""
        options = replace(
            self.options,
            engines={**later.options.engines, **self.options.engines},
            metrics=self.options.metrics or later.options.metrics,
        )
        unavailable = self.unavailable if self.options.metrics else later.unavailable
        if options == self.options:
            return self
        return Manifest(options, unavailable, {**later.about, **self.about})

    def to_json(self) -> str:
        """Return the content of the file."""
        plain = {"format": FORMAT, **asdict(self), "options": self.options.to_json()}
        return json.dumps(plain, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def parse(cls, content: bytes, where: object) -> Manifest:
        """Return the manifest in a file.

        Args:
            content: Content of the file.
            where: Place of the file, for the message.

        Raises:
            UsageError: It is none, or of another format.
        """
        try:
            plain = read_json(content)
            version = plain["format"]
            if version != FORMAT:
                raise UsageError(
                    f"{where}: format {version}, not {FORMAT}; use the i2s-sdk that made this run"
                )
            manifest = JsonFields(plain)
            options = _read_options(manifest.fields("options"))
            Profile(options.profile)
            return cls(options, manifest.named_texts("unavailable"), manifest.named_texts("about"))
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{where}: is not the manifest of a run: {error!r}") from None


def _read_options(plain: JsonFields) -> RunOptions:
    """Return the options of a manifest. One that is not known may decide numbers, so it is refused."""
    if unknown := plain.names() - {option.name for option in fields(RunOptions)}:
        raise TypeError(f"unknown options {', '.join(sorted(unknown))}")
    return plain.read_as(RunOptions)


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, Mapping) else str(value or "none")


#: File in a run folder: every instance of the whole run, of all its shards, in the order of the data set.
INSTANCES = "instances.jsonl"


class GroupedSample(Protocol):
    """The fields of an instance that tell which groups it belongs to."""

    @property
    def id(self) -> str:
        """Unique within the data set."""
        ...

    @property
    def task(self) -> str:
        """Such as "latex"."""
        ...

    @property
    def subset(self) -> str:
        """Such as "equation"."""
        ...

    @property
    def difficulty(self) -> str:
        """Empty if unknown."""
        ...


class PlannedSample(GroupedSample, Protocol):
    """An instance that a run evaluates."""

    @property
    def licence(self) -> str:
        """Licence of image and target; empty if unknown."""
        ...

    @property
    def source(self) -> str:
        """Where they come from, for people; empty if unknown."""
        ...


@dataclass(frozen=True, slots=True)
class PlannedInstance:
    """An instance of a run, as its folder has it; see ``PlannedSample``."""

    id: str
    task: str
    subset: str
    difficulty: str = ""
    licence: str = ""
    source: str = ""


def planned_lines(instances: Iterable[PlannedSample]) -> bytes:
    """Return the content of the file."""
    return b"".join(json.dumps(_plain(instance)).encode("ascii") + b"\n" for instance in instances)


def _plain(instance: PlannedSample) -> dict[str, str]:
    """Return an instance as JSON has it; licence and source are left out if they are not known."""
    plain = {
        "id": instance.id,
        "task": instance.task,
        "subset": instance.subset,
        "difficulty": instance.difficulty,
    }
    origin = {"licence": instance.licence, "source": instance.source}
    return plain | {name: text for name, text in origin.items() if text}


def parse_planned(content: bytes, where: object) -> tuple[PlannedInstance, ...]:
    """Return the instances of a file.

    Args:
        content: Content of the file.
        where: Place of the file, for the message.

    Raises:
        UsageError: A line is not an instance; names it.
    """
    instances = []
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            instances.append(JsonFields(read_json(line)).read_as(PlannedInstance))
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{where}, line {number}: is not an instance of a run: {error!r}") from None
    return tuple(instances)
