"""The plan of a run, before anything is started: its instances, model and rules; what it would ask for."""

from __future__ import annotations

import asyncio
import hashlib
import json
import platform
import subprocess
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TypedDict, Unpack

from i2s_client.service_table import DOCUMENTS
from i2s_sdk.data import DataSet, Instance, Selection, Shard
from i2s_sdk.data.locations import BUNDLED, data_name, is_bundled, read_origin
from i2s_sdk.data.opening import open_data
from i2s_sdk.errors import UsageError
from i2s_sdk.models.costs import BYTES_PER_TOKEN, Estimate, estimate
from i2s_sdk.models.model import Model
from i2s_sdk.models.options import MAX_TOKENS_FACT, OPTIONS_FACT, ModelOptions
from i2s_sdk.models.registry import reads_documents, require_model
from i2s_sdk.report.published import DATA_SET
from i2s_sdk.run.generate import DocumentPages
from i2s_sdk.run.storage.codec import is_final
from i2s_sdk.run.storage.folder import ANSWERS
from i2s_sdk.run.storage.index import Key, key_of, line_key, read_lines
from i2s_sdk.run.storage.interface import PathOrUrl, open_storage
from i2s_sdk.run.storage.manifest import RunOptions
from i2s_sdk.scoring.own import OwnScorer
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.services import open_services, passing_logs
from i2s_sdk.stats.spending import FromCache
from i2s_sdk.tasks.metrics import metrics_of
from i2s_sdk.tasks.own_prompts import OwnPrompt, read_prompts
from i2s_sdk.tasks.question import Exchange, ImagePart, Question, TextPart
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.task import ConfiguredTask, DocumentTask, SampledTask, Task
from i2s_sdk.tasks.turn import RevisingTask, require_turns, turn_name, turn_texts
from i2s_wire.documents import DocumentsDescription
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.description import RendererDescription


@dataclass(frozen=True, slots=True)
class ResolvedSelection:
    """The instances of a data set that a run takes, and the rules for them."""

    #: Profile whose rules are followed.
    profile: Profile
    #: Tasks of the instances, by name, in the order of the data set.
    tasks: Mapping[str, Task]
    #: The data set.
    data: DataSet
    #: Its instances that the run has, in all its shards.
    whole: tuple[Instance, ...]
    #: Instances of the run that this shard has.
    instances: tuple[Instance, ...]
    #: Selection that was asked for.
    selection: Selection
    #: Prompts of the user in place of those of the tasks, by the name of the task.
    prompts: Mapping[str, OwnPrompt] = field(default_factory=dict, kw_only=True)
    #: Scorers of the user beside those of the tasks.
    scorers: tuple[OwnScorer, ...] = field(default=(), kw_only=True)
    #: Answers of a conversation at most; 1 asks no model to correct its answer.
    turns: int = field(default=1, kw_only=True)


@dataclass(frozen=True, slots=True)
class Plan(ResolvedSelection):
    """A run as it was asked for."""

    #: Name of the model whose answers are judged.
    model: str
    #: Digest of what else decides its answers.
    fingerprint: str
    #: SHA-256 of the prompt of each task of a run whose answers are there already; None computes them from
    #: the prompts.
    asked: Mapping[str, str] | None = field(default=None, kw_only=True)

    def options(self, engines: Mapping[str, str], metrics: Mapping[str, str]) -> RunOptions:
        """Return everything that decides the numbers.

        Args:
            engines: Digest of each renderer.
            metrics: Version of each metric.
        """
        chosen = self.selection
        return RunOptions(
            profile=str(self.profile),
            model=self.model,
            model_fingerprint=self.fingerprint,
            data_sha256=self.data.sha256,
            tasks=tuple(self.tasks),
            limit=chosen.limit,
            prompts=self._digests() if self.asked is None else self.asked,
            metrics=dict(metrics),
            engines=dict(engines),
            sdk=version("i2s-sdk"),
            subsets=chosen.subsets,
            difficulties=chosen.difficulties,
            samples=chosen.ids,
            seed=chosen.seed,
            shard=str(chosen.shard or ""),
            turns=self.turns,
        )

    def _digests(self) -> dict[str, str]:
        return {
            name: _digest(task, self.prompts.get(name), turn_texts(task) if self.turns > 1 else ())
            for name, task in self.tasks.items()
        }


def choose(
    data: DataSet,
    profile: Profile,
    tasks: Sequence[str],
    selection: Selection,
    settings: Settings | None = None,
    scorers: Sequence[str] = (),
    turns: int = 1,
) -> ResolvedSelection:
    """Return what a run takes.

    Args:
        data: Where the instances are from.
        profile: Profile whose rules are followed.
        tasks: Tasks that are wanted; none means all that the data set has.
        selection: Which instances of these tasks are taken.
        settings: Settings that change what some tasks ask; None takes their defaults.
        scorers: Scorers of the user, such as "my.py:score".
        turns: Answers of a conversation at most.

    Raises:
        SettingsError: A setting of a task has no meaning.
        UnknownNameError: A task, subset or difficulty is unknown.
        UsageError: Nothing is left, or a task has no turns.
    """
    if turns < 1:
        raise UsageError(f"{turns} turns: a run has at least one")
    for task in tasks:
        open_task(task)
    wanted = tuple(instance for instance in data.instances if not tasks or instance.task in tasks)
    if not wanted:
        raise UsageError(f"{data.folder} holds no instance of task {', '.join(tasks)}")
    whole = tuple(replace(selection, shard=None).apply(wanted))
    shard = selection.shard
    mine = whole if shard is None else tuple(instance for instance in whole if shard.has(instance.id))
    names = dict.fromkeys(instance.task for instance in whole)
    tasks_of_run = {name: open_task(name, profile, settings) for name in names}
    if turns > 1:
        for one in tasks_of_run.values():
            require_turns(one)
    prompts = read_prompts(settings.prompts) if settings is not None and settings.prompts else {}
    own = _own_scorers(scorers, tasks_of_run)
    return ResolvedSelection(
        profile, tasks_of_run, data, whole, mine, selection, prompts=prompts, scorers=own, turns=turns
    )


def _own_scorers(texts: Sequence[str], tasks: Mapping[str, Task]) -> tuple[OwnScorer, ...]:
    """Return the scorers of the user.

    Raises:
        UsageError: One cannot be used, or has a metric of a name that is taken.
    """
    scorers = tuple(OwnScorer.parse(text) for text in texts)
    names = [metric.name for task in tasks.values() for metric in metrics_of(task)]
    for scorer in scorers:
        if taken := [metric.name for metric in scorer.metrics if metric.name in names]:
            raise UsageError(
                f"--scorer {scorer.name}: there is a metric {taken[0]!r} already; rename the function, or "
                "the name in METRICS"
            )
        names += [metric.name for metric in scorer.metrics]
    return scorers


def plan_run(choice: ResolvedSelection, model: str, fingerprint: str) -> Plan:
    """Return the plan of a run.

    Args:
        choice: What it takes of which data set.
        model: Name of the model.
        fingerprint: Fingerprint of the model.
    """
    return Plan(
        choice.profile,
        choice.tasks,
        choice.data,
        choice.whole,
        choice.instances,
        choice.selection,
        model,
        fingerprint,
        prompts=choice.prompts,
        scorers=choice.scorers,
        turns=choice.turns,
    )


def model_fingerprint(choice: ResolvedSelection, model: Model) -> str:
    """Return the fingerprint of a model in a run.

    If questions have a sampling, it matters whether the user chose the temperature: one that was chosen
    is sent, and the default is replaced by that of the question.

    Args:
        choice: What the run takes.
        model: Model that is asked.
    """
    if any(isinstance(task, SampledTask) for task in choice.tasks.values()):
        return model.sampling_fingerprint
    return model.fingerprint


def _digest(task: Task, own: OwnPrompt | None = None, further: Sequence[str] = ()) -> str:
    """Return what tells the words of a prompt, and the sampling of its task if it has one, from others.

    Args:
        task: Task whose prompt it is.
        own: Prompt of the user in its place.
        further: Texts that further turns are asked with.
    """
    asked: object = task.prompt_texts()
    if isinstance(task, SampledTask):
        asked = {"texts": asked, "sampling": asdict(task.sampling)}
    if own is not None:
        asked = {"task": asked, "own": own.identity}
    if further:
        asked = {"first": asked, "turns": further}
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


class SelectionArgs(TypedDict, total=False):
    """Arguments by name; each may be left out."""

    #: Profile whose rules are followed; None takes that of the settings.
    profile: Profile | str | None
    #: Tasks that are evaluated; none means all that the data set has.
    tasks: Sequence[str]
    #: The same.
    subsets: Sequence[str]
    #: The same.
    difficulties: Sequence[str]
    #: Ids of single instances; none means all.
    samples: Sequence[str]
    #: The most instances; None is all.
    limit: int | None
    #: Seed of a choice of ``limit`` instances; None takes the first in the order of the data set.
    seed: int | None
    #: The part that is done here, such as "1/3"; None is all. ``merge`` joins the parts.
    shard: Shard | str | None
    #: Scorers of your own, functions in Python files such as "my.py:score"; see docs/daily-use.md.
    scorers: Sequence[str]
    #: Answers of a conversation at most: after each but the last, the model is shown its rendering and may
    #: correct it; see docs/turns.md.
    turns: int


def resolve_selection(
    data: Path | str | None, settings: Settings, **wanted: Unpack[SelectionArgs]
) -> ResolvedSelection:
    """Open a data set and return what of it is wanted.

    Args:
        data: A folder, or ``hf:OWNER/NAME``; None takes the bundled examples.
        settings: Where the examples lie, and the profile if none is wanted.
        wanted: See ``SelectionArgs``.

    Raises:
        TypeError: There is no argument of that name.
        UsageError: A name or the data set does not fit; says why.
    """
    unknown = ", ".join(sorted(wanted.keys() - SelectionArgs.__annotations__.keys()))
    if unknown:
        raise TypeError(
            f"unexpected keyword argument {unknown}; there are {', '.join(SelectionArgs.__annotations__)}"
        )
    shard = wanted.get("shard")
    selection = Selection(
        tuple(wanted.get("subsets", ())),
        tuple(wanted.get("difficulties", ())),
        tuple(wanted.get("samples", ())),
        wanted.get("limit"),
        wanted.get("seed"),
        Shard.parse(shard) if isinstance(shard, str) else shard,
    )
    dataset = open_data(data, examples=settings.examples, subsets=selection.subsets)
    profile = Profile(wanted.get("profile") or settings.profile)
    tasks, scorers = wanted.get("tasks", ()), wanted.get("scorers", ())
    return choose(dataset, profile, tasks, selection, settings, scorers, wanted.get("turns", 1))


_GIT_SECONDS = 5.0

#: The fact that says whether answers of earlier runs were taken, and once the run has ended how many.
ANSWER_CACHE = "answer cache"


def facts(
    plan: Plan,
    engines: Sequence[RendererDescription],
    comparer: MetricsDescription | None,
    documents: DocumentsDescription | None = None,
    *,
    whole: bool = False,
    options: str = "",
    max_tokens: int | None = None,
    answer_cache: bool = False,
) -> dict[str, str]:
    """Return facts by name, as they are shown to people.

    Args:
        plan: Plan of the run.
        engines: Renderers that are there.
        comparer: The metric service, if it is there.
        documents: The documents service, if it is there.
        whole: Whether the model answers documents as a whole, so that settings of their pages mean nothing.
        options: Options that the model is asked with, as words of a command.
        max_tokens: The most tokens of a completion; None for a model that is not called.
        answer_cache: Whether answers of earlier runs are taken.
    """
    known = {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": data_name(plan.data),
    }
    if is_bundled(plan.data.folder):
        known[BUNDLED] = f"those of i2s-sdk {version('i2s-sdk')}"
    if origin := read_origin(plan.data.folder):
        known[DATA_SET] = ", ".join(origin)
    for engine in engines:
        isolation = f"{engine.isolation.tier.name.lower()} ({', '.join(engine.isolation.mechanisms)})"
        known[engine.service] = (
            f"{engine.version}, {engine.engine.name} {engine.engine.version}, isolation {isolation}"
        )
        known[f"{engine.service} engine digest"] = engine.engine.digest
        known[f"{engine.service} fonts digest"] = engine.fonts_digest
        if source := engine.versions.get("font-source"):
            known[f"{engine.service} fonts"] = source
    for task in plan.tasks.values():
        if isinstance(task, ConfiguredTask) and not (whole and isinstance(task, DocumentTask)):
            known |= task.facts()
    if comparer is not None:
        known[comparer.service] = f"{comparer.version}, device {comparer.device}"
    if documents is not None:
        programs = ", ".join(f"{one.name} {one.version}" for one in documents.engines)
        tier = documents.isolation.tier.name.lower()
        known[documents.service] = f"{documents.version}, {programs}, isolation {tier}"
    if options:
        known[OPTIONS_FACT] = options
    if max_tokens is not None:
        known[MAX_TOKENS_FACT] = str(max_tokens)
    if answer_cache:
        known[ANSWER_CACHE] = "on"
    state = _git_state()
    if state:
        known["git"] = state
    return {**known, "python": platform.python_version(), "platform": platform.platform()}


def with_taken_answers(about: Mapping[str, str], taken: FromCache) -> dict[str, str]:
    """Return the facts of a run that has ended, with the number and the dates of answers from the cache.

    Args:
        about: Its facts so far.
        taken: What came from the cache.
    """
    if taken.samples:
        return {**about, ANSWER_CACHE: f"on; samples: {taken}"}
    return dict(about)


def _git_state() -> str:
    """Return the commit of the repository that this package is run from, "-dirty" behind it if changed."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=_GIT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""


@dataclass(frozen=True, slots=True)
class DryRun:
    """The questions that an evaluation would ask, counted."""

    #: Samples of the run.
    samples: int
    #: Samples that the run folder has an answer for.
    answered: int
    #: Estimate for the questions of the other samples that have no answer there. With turns it is of all
    #: that can be asked.
    estimate: Estimate
    #: Answers of a conversation at most.
    turns: int = 1
    #: Samples that have no further turns, as the task asks several questions of them.
    without_turns: int = 0


def dry_run(
    data: Path | str | None = None,
    model: str = "oracle",
    *,
    out: PathOrUrl | None = None,
    options: ModelOptions | None = None,
    settings: Settings | None = None,
    **wanted: Unpack[SelectionArgs],
) -> DryRun:
    """Return what ``evaluate`` with the same arguments would ask a model for; no key is needed.

    Args:
        data: See ``evaluate``.
        model: Name of the model.
        out: Run folder, whose answers are not asked for again; None, or one that is not there, has none.
        options: Options of the calls, with the prices.
        settings: None reads environment and configuration file.
        wanted: See ``evaluate``.

    Raises:
        UsageError: A name or the data set does not fit; says why.
    """
    settings = settings or Settings.load()
    require_model(model)
    choice = resolve_selection(data, settings, **wanted)
    answered = _answered(out, settings) if out is not None else frozenset[Key]()
    remaining = [instance for instance in choice.instances if instance.id not in answered]
    of_documents = any(isinstance(task, DocumentTask) for task in choice.tasks.values())
    asked = _Asked(choice, model, of_documents and reads_documents(model), answered)
    estimated = run_blocking(_estimate(asked, remaining, options, settings))
    if choice.turns > 1:
        longest = (options or ModelOptions()).max_tokens
        further = (found for instance in choice.instances for found in asked.further_turns(instance, longest))
        estimated += estimate(model, further, options)
    return DryRun(
        len(choice.instances),
        len(choice.instances) - len(remaining),
        estimated,
        choice.turns,
        0
        if choice.turns == 1
        else sum(asked.only_question(instance) is None for instance in choice.instances),
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """The questions about instances that a model would be asked."""

    #: The instances, and their tasks.
    choice: ResolvedSelection
    #: Name of the model.
    model: str
    #: Whether the model answers documents as a whole.
    whole: bool
    #: Questions that need not be asked again.
    answered: Set[Key]

    def is_shown_pages(self, instance: Instance) -> bool:
        task = self.choice.tasks[instance.task]
        return isinstance(task, DocumentTask) and not self.whole and task.document_of(instance) is not None

    def questions(self, instance: Instance) -> Iterator[tuple[Instance, Question]]:
        task = self.choice.tasks[instance.task]
        if isinstance(task, DocumentTask) and self.whole:
            questions: tuple[Question, ...] = (task.whole_question(instance),)
        else:
            questions = task.questions(instance)
        for question in questions:
            if key_of(instance.id, question.name) not in self.answered:
                own = self.choice.prompts.get(instance.task)
                yield instance, own.applied(question) if own is not None else question

    def only_question(self, instance: Instance) -> Question | None:
        """Return the question of an instance; None if the task asks several of it, and so has no turns."""
        questions = self.choice.tasks[instance.task].questions(instance)
        return questions[0] if [question.name for question in questions] == [""] else None

    def further_turns(self, instance: Instance, longest: int) -> Iterator[tuple[Instance, Question]]:
        """Yield questions as long as those of the turns after the first can be; none if it has no turns.

        Args:
            instance: Instance that they are asked of.
            longest: The most tokens of an answer.
        """
        first = self.only_question(instance)
        if first is None:
            return
        if (own := self.choice.prompts.get(instance.task)) is not None:
            first = own.applied(first)
        question, earlier = first, list[Exchange]()
        answer = _longest_answer(first.max_tokens or longest)
        task = self.choice.tasks[instance.task]
        texts = "".join(turn_texts(task))
        if isinstance(task, RevisingTask):  # whose request has the code once more
            texts += answer
        # As large as the reference: the rendering, and its difference.
        images = () if instance.image is None else (ImagePart(instance.image), ImagePart(instance.image))
        for turn in range(2, self.choice.turns + 1):
            earlier.append(Exchange(question.parts, answer))
            parts = (TextPart(texts), *images)
            question = replace(first, parts=parts, name=turn_name(turn), earlier=tuple(earlier))
            if key_of(instance.id, question.name) not in self.answered:
                yield instance, question


@lru_cache(maxsize=4)
def _longest_answer(tokens: int) -> str:
    """Return a text as long as an answer of so many tokens; it is the same for all questions."""
    return "x" * (BYTES_PER_TOKEN * tokens)


async def _estimate(
    asked: _Asked, instances: Sequence[Instance], options: ModelOptions | None, settings: Settings
) -> Estimate:
    paged = [one for one in instances if asked.is_shown_pages(one)]
    others = (found for one in instances if not asked.is_shown_pages(one) for found in asked.questions(one))
    total = await asyncio.to_thread(estimate, asked.model, others, options)
    if not paged:
        return total
    with passing_logs() as logs:
        async with open_services(settings, logs, (DOCUMENTS,)) as services:
            assert services.documents is not None, "it was asked for"
            images = DocumentPages(services.documents)
            for instance in paged:
                task = asked.choice.tasks[instance.task]
                assert isinstance(task, DocumentTask)
                async with images.sketched(instance, task) as shown:
                    total += await asyncio.to_thread(estimate, asked.model, asked.questions(shown), options)
    return total


def _answered(out: PathOrUrl, settings: Settings) -> frozenset[Key]:
    """Return the samples, and of others the questions, that need not be asked again."""
    lines = open_storage(out, settings).lines(ANSWERS)
    finals = {line_key(line): is_final(line) for line in read_lines(lines)}
    return frozenset(key for key, final in finals.items() if final)
