"""Images to values: one pair, or pairs of files of two folders; and what values there are."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TypeVar, overload

from i2s_client.metrics import AsyncMetricsClient
from i2s_client.service_table import METRICS
from i2s_sdk.errors import DataError, I2SError, UnknownNameError, UsageError
from i2s_sdk.files import read_file
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.services import open_services, passing_logs
from i2s_sdk.stats.means import Mean, mean
from i2s_sdk.tasks.registry import DEFAULT_TASK, open_task
from i2s_wire.metrics.description import MetricDescription
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import Score, ScoreRequest

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


@dataclass(frozen=True, slots=True)
class ImagePair:
    """One comparison; ``name`` is relative to the folders."""

    name: str
    reference: Path
    prediction: Path


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs of two folders."""

    #: Pairs, sorted by name.
    matched: tuple[ImagePair, ...]
    #: Names of references that have no prediction.
    missing: tuple[str, ...] = ()
    #: Names of predictions that have no reference.
    unmatched: tuple[str, ...] = ()


def find_pairs(reference: Path, prediction: Path) -> Pairs:
    """Return the pairs of two folders, or of one image and a folder of predictions of it.

    Files are matched by their name relative to the folder; if an image has another suffix in the other
    folder, by the name without it, as long as only one file there has it.

    Raises:
        DataError: A folder holds no image, or a prediction is a file and the reference a folder.
    """
    if reference.is_dir() and not prediction.is_dir():
        raise DataError(prediction, 0, f"is not a folder, but {reference} is; give two folders or two images")
    predictions = images_in(prediction)
    if not reference.is_dir():
        return Pairs(tuple(ImagePair(name, reference, path) for name, path in predictions.items()))
    references = images_in(reference)
    by_stem = _by_stem(predictions)
    pairs: list[ImagePair] = []
    missing: list[str] = []
    taken: set[str] = set()
    for name, path in references.items():
        match = name if name in predictions else by_stem.get(_stem(name))
        if match is None or (match != name and match in references):
            missing.append(name)
        else:
            pairs.append(ImagePair(name, path, predictions[match]))
            taken.add(match)
    unmatched = tuple(name for name in predictions if name not in taken)
    return Pairs(tuple(pairs), tuple(missing), unmatched)


def images_in(folder: Path) -> dict[str, Path]:
    """Return the images of a folder and those below it, by relative name, sorted.

    Raises:
        DataError: There are none.
    """
    images = {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in SUFFIXES and path.is_file()
    }
    if not images:
        raise DataError(folder, 0, f"holds no image ({', '.join(SUFFIXES)})")
    return images


def _by_stem(names: Sequence[str] | dict[str, Path]) -> dict[str, str]:
    counts = Counter(_stem(name) for name in names)
    return {_stem(name): name for name in names if counts[_stem(name)] == 1}


def _stem(name: str) -> str:
    return str(PurePosixPath(name).with_suffix(""))


A = TypeVar("A")

#: Called with how many pairs are compared and how many there are.
OnScored = Callable[[int, int], None]


class Missing(enum.StrEnum):
    """The meaning of a reference without prediction.

    ERROR: it is listed, and the comparison is not complete. SKIP: it is left out. ZERO: every metric is 0
    for it, as for a rendering that failed.
    """

    ERROR = "error"
    SKIP = "skip"
    ZERO = "zero"


@dataclass(frozen=True, slots=True)
class PairScore:
    """One pair of a folder."""

    #: Relative to the folders.
    name: str
    #: Its values; None if there are none at all.
    score: Score | None = None
    #: Why there are none; None also if there is no prediction.
    error: I2SError | None = None


@dataclass(frozen=True, slots=True)
class FolderScore:
    """The pairs of two folders."""

    #: Sorted by name; references without prediction among them if they count as zero.
    pairs: tuple[PairScore, ...]
    #: Means by metric, each over the pairs that have a value.
    means: Mapping[str, Mean]
    #: Names of references without prediction.
    missing: tuple[str, ...]
    #: Names of predictions without reference.
    unmatched: tuple[str, ...]
    #: Metrics that the service cannot compute, and why.
    unavailable: Mapping[str, str]
    #: Profile whose rules are followed.
    profile: Profile
    #: What a reference without prediction means.
    policy: Missing = Missing.ERROR
    #: Metrics that were asked for by name.
    asked: tuple[str, ...] = field(default=())

    @property
    def values(self) -> dict[str, float]:
        """Means by metric, of those metrics that have one."""
        return {name: one.value for name, one in self.means.items() if one.value is not None}

    @property
    def complete(self) -> bool:
        """Whether every pair has every value that was wanted, and no prediction is missing unexpectedly."""
        whole = all(pair.error is None and not (pair.score and pair.score.failures) for pair in self.pairs)
        listed = self.policy is Missing.ERROR and self.missing
        return whole and not listed and not set(self.asked) & self.unavailable.keys()


@overload
def score(
    reference: bytes,
    prediction: bytes,
    *,
    task: str = DEFAULT_TASK,
    profile: Profile | str | None = None,
    metrics: Sequence[str] = (),
    missing: Missing | str = Missing.ERROR,
    settings: Settings | None = None,
    on_progress: OnScored | None = None,
) -> Score: ...


@overload
def score(
    reference: Path | str | bytes,
    prediction: Path | str | bytes,
    *,
    task: str = DEFAULT_TASK,
    profile: Profile | str | None = None,
    metrics: Sequence[str] = (),
    missing: Missing | str = Missing.ERROR,
    settings: Settings | None = None,
    on_progress: OnScored | None = None,
) -> Score | FolderScore: ...


def score(
    reference: Path | str | bytes,
    prediction: Path | str | bytes,
    *,
    task: str = DEFAULT_TASK,
    profile: Profile | str | None = None,
    metrics: Sequence[str] = (),
    missing: Missing | str = Missing.ERROR,
    settings: Settings | None = None,
    on_progress: OnScored | None = None,
) -> Score | FolderScore:
    """Compare two images, the images of two folders, or one image with a folder of predictions of it.

    >>> score("reference.png", "rendering.png").values  # doctest: +SKIP
    >>> score("references/", "renderings/").means["ems"]  # doctest: +SKIP

    Args:
        reference: What should have come out: path, encoded image, or folder.
        prediction: What came out: path, encoded image, or folder. Files of folders are matched by name.
        task: Decides how images of different size are compared: padded with white (latex, music) or the
            prediction resized (webpage).
        profile: Profile whose rules are followed; None takes that of the settings.
        metrics: Names; none means all that are available.
        missing: What a reference without prediction means, in folders.
        settings: None reads environment and configuration file.
        on_progress: Called for each pair of folders.

    Returns:
        The score of the pair; for a folder of predictions, those of all pairs and their means.

    Raises:
        UnknownNameError: There is no such task or metric.
        DataError: An image cannot be read, or a folder holds none.
        RequestRefusedError: There is no such metric.
        StackError: The metric service cannot be started.
        ServiceError: It does not answer.
    """
    settings = settings or Settings.load()
    if not isinstance(prediction, bytes) and not isinstance(reference, bytes):
        two = Path(reference), Path(prediction)
        if two[0].is_dir() or two[1].is_dir():
            like = _request(task, profile, metrics, settings)
            notify = on_progress or _say_nothing
            work = _Folders(find_pairs(*two), like, Missing(missing), notify)
            return run_blocking(_with_service(work.scores, settings))
    request = replace(
        _request(task, profile, metrics, settings),
        reference=_content(reference),
        prediction=_content(prediction),
    )

    async def ask(service: AsyncMetricsClient) -> Score:
        return await service.score(
            request.reference,
            request.prediction,
            size_policy=request.size_policy,
            profile=request.profile,
            metrics=request.metrics,
        )

    return run_blocking(_with_service(ask, settings))


def metrics(*, settings: Settings | None = None) -> tuple[MetricDescription, ...]:
    """Return what the metric service can compute, and what it cannot and why.

    Raises:
        StackError: The metric service cannot be started.
        ServiceError: It does not answer.
    """

    async def ask(service: AsyncMetricsClient) -> tuple[MetricDescription, ...]:
        return (await service.describe()).metrics

    return run_blocking(_with_service(ask, settings or Settings.load()))


@dataclass(frozen=True, slots=True)
class _Folders:
    """Compares all pairs over one stream: a reference of many predictions is sent once."""

    pairs: Pairs
    like: ScoreRequest
    missing: Missing
    on_progress: OnScored

    async def scores(self, service: AsyncMetricsClient) -> FolderScore:
        about = await service.describe()
        known = {metric.name: metric for metric in about.metrics if self.like.profile in metric.profiles}
        for name in self.like.metrics:
            if name not in known:
                raise UnknownNameError("metric", name, known)
        wanted = self.like.metrics or tuple(known)
        unavailable = {name: known[name].unavailable_reason for name in wanted if not known[name].available}
        names = tuple(name for name in wanted if name not in unavailable)
        answered = [pair_score async for pair_score in self._streamed(service, names)] if names else []
        zero = self.missing is Missing.ZERO
        zeros = [PairScore(name) for name in self.pairs.missing if zero]
        scored = tuple(sorted((*answered, *zeros), key=lambda one: one.name))
        return FolderScore(
            pairs=scored,
            means={name: mean(_value(pair_score, name, zero) for pair_score in scored) for name in names},
            missing=self.pairs.missing,
            unmatched=self.pairs.unmatched,
            unavailable=unavailable,
            profile=self.like.profile,
            policy=self.missing,
            asked=self.like.metrics,
        )

    async def _streamed(
        self, service: AsyncMetricsClient, names: tuple[str, ...]
    ) -> AsyncIterator[PairScore]:
        total = len(self.pairs.matched)
        ids = {str(number): pair for number, pair in enumerate(self.pairs.matched)}
        broken: dict[str, DataError] = {}
        done = 0
        self.on_progress(done, total)
        async for item in service.score_stream(self._requests(ids, names, broken)):
            done += 1
            self.on_progress(done, total)
            yield PairScore(ids[item.id].name, item.answer, item.error)
        for identity, error in broken.items():
            yield PairScore(ids[identity].name, error=error)

    def _requests(
        self, ids: Mapping[str, ImagePair], names: tuple[str, ...], broken: dict[str, DataError]
    ) -> Iterator[ScoreRequest]:
        last, reference = None, b""
        for identity, pair in ids.items():
            try:
                if pair.reference != last:
                    last, reference = pair.reference, _content(pair.reference)
                prediction = _content(pair.prediction)
            except DataError as error:
                broken[identity] = error
                continue
            yield replace(self.like, reference=reference, prediction=prediction, metrics=names, id=identity)


def _value(pair: PairScore, name: str, zero: bool) -> float | None:
    if pair.score is None:
        return 0.0 if zero and pair.error is None else None
    return pair.score.values.get(name)


def _request(
    task: str, profile: Profile | str | None, metrics: Sequence[str], settings: Settings
) -> ScoreRequest:
    """Return what all pairs have in common."""
    rendering = open_task(task).rendering
    if rendering is None:
        raise UsageError(f"task {task!r} compares no images; its values come from `i2s-sdk score --lines`")
    policy = rendering.size_policy
    return ScoreRequest(b"", b"", policy, Profile(profile or settings.profile), tuple(metrics))


async def _with_service(ask: Callable[[AsyncMetricsClient], Awaitable[A]], settings: Settings) -> A:
    with passing_logs() as logs:
        async with open_services(settings, logs, (METRICS,)) as services:
            return await ask(services.scorer)


def _content(image: Path | str | bytes) -> bytes:
    return image if isinstance(image, bytes) else read_file(Path(image))


def _say_nothing(done: int, total: int) -> None:
    pass
