"""The oracle and baselines that look at nothing, evaluated beside a model on the same instances.

What a value means depends on what is reached without looking, and on what the ground truth itself reaches.
The values are kept in the run folder, and in a cache for every later model on the same instances.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from i2s_sdk.data import Instance
from i2s_sdk.errors import DataError
from i2s_sdk.files import cache_folder, write_whole
from i2s_sdk.models.registry import open_model
from i2s_sdk.run.pipeline import OnProgress, Progress
from i2s_sdk.run.plan import Plan, model_fingerprint
from i2s_sdk.run.runner import Needs, Runner, StageName
from i2s_sdk.run.steps import optional_services, scoring_services
from i2s_sdk.run.storage.folder import (
    REFERENCE_POINTS,
    Points,
    RunFolder,
    parse_points,
    point_lines,
    read_points,
    write_points,
)
from i2s_sdk.run.storage.interface import is_url
from i2s_sdk.run.storage.manifest import Manifest
from i2s_sdk.run.storage.record import Record
from i2s_sdk.run.truths import Truths
from i2s_sdk.settings import Settings
from i2s_sdk.stack.services import Services
from i2s_sdk.stats.aggregate import excluded_from_totals
from i2s_sdk.stats.columns import Columns
from i2s_sdk.stats.skill import ORACLE
from i2s_sdk.tasks.metrics import metrics_of
from i2s_sdk.tasks.registry import task_spec
from i2s_sdk.tasks.task import Task

#: Models that are reference points, in the order of tables.
MODELS = ("baseline/blank", "baseline/constant", "baseline/shuffled", "baseline/chance", ORACLE)

#: Folder in a run folder where they are evaluated; it is removed when they are.
WORK = "reference-points"

_MINUTE = 60.0

_log = logging.getLogger(__name__)


def default_cache() -> Path:
    """Return where values are kept if no setting says so: i2s/reference-points of the user's caches."""
    return cache_folder("reference-points")


@dataclass(frozen=True, slots=True)
class ReferencePoints:
    """Reference points of a run."""

    #: Plan of the run, whatever its model.
    plan: Plan
    #: Settings with the cache.
    settings: Settings
    #: Called as their samples go on.
    on_progress: OnProgress
    #: Ground truths that were rendered for the run; None keeps those of each of them.
    truths: Truths | None = None

    def keep(self, folder: RunFolder) -> bool:
        """Put the values into a run folder if they are known, and return whether it has them.

        Values of instances whose reference or target is not that of the run are as good as none.

        Args:
            folder: Folder of a run of the plan that was begun.

        Raises:
            DataError: A line of the run is damaged.
        """
        if folder.storage.exists(REFERENCE_POINTS):
            return _have_data_of(folder, read_points(folder.storage))
        manifest = folder.manifest()
        if manifest is None:
            return False
        try:
            content = self._cached(manifest).read_bytes()
            points = parse_points(content, self._cached(manifest))
        except (OSError, DataError):
            return False
        if not _have_data_of(folder, points):
            return False
        write_points(folder.storage, points)
        return True

    @property
    def there_are_any(self) -> bool:
        """Whether any instance of the plan has reference points."""
        return any(instances_of(name, self.plan) for name in MODELS)

    def needs(self) -> Needs:
        """Return the services that they need."""
        tasks = self.plan.tasks.values()
        renderings = [task.rendering for task in tasks if task.rendering is not None]
        renderers = frozenset(name for rendering in renderings for name in rendering.services)
        others, optional = (
            frozenset(scoring_services(tasks)),
            frozenset(optional_services(tasks, self.plan.whole)),
        )
        return Needs(renderers, others, len(renderings) < len(self.plan.tasks), optional)

    async def work(self, folder: RunFolder, services: Services) -> None:
        """Evaluate them, and keep their values in a run folder and in the cache.

        Args:
            folder: Folder of a run of the plan that has ended.
            services: The services that the plan needs, open.

        Raises:
            I2SError: A service does not answer, or the disk is full.
        """
        manifest = folder.manifest()
        assert manifest is not None, "reference points come after the run"
        points: dict[str, list[Record]] = {}
        wanted = {name: instances_of(name, self.plan) for name in MODELS}
        _log.warning("%s", announcement(wanted, folder.records(texts=False).values(), self.settings.jobs))
        with _work_folder(folder) as work:
            for name, instances in wanted.items():
                records = await self._records(name, instances, work, services) if instances else []
                if records:
                    points[name] = records
        write_points(folder.storage, points)
        try:
            write_whole(self._cached(manifest), point_lines(points))
        except OSError as error:
            _log.warning("reference points cannot be kept for other runs: %s", error)

    async def _records(
        self, name: str, instances: Sequence[Instance], work: Path, services: Services
    ) -> list[Record]:
        model = open_model(name)
        plan = replace(
            self.plan,
            instances=tuple(instances),
            model=name,
            fingerprint=model_fingerprint(self.plan, model),
            turns=1,
        )
        with RunFolder.open(work / name.replace("/", "-"), self.settings) as folder:
            runner = Runner(plan, folder, tuple(StageName), self.settings, self._tell, model, "", self.truths)
            pending = await runner.pending()
            if pending is not None:
                await runner.work(pending, services)
            return [record for record in folder.records(texts=False).values() if record.outcome.counts]

    def _tell(self, progress: Progress) -> None:
        self.on_progress(replace(progress, reference=True))

    def _cached(self, manifest: Manifest) -> Path:
        """Return the file of the cache that holds the values for what decides the values of a run."""
        fingerprints = {name: open_model(name).fingerprint for name in MODELS}
        plain = replace(manifest.options, model="", model_fingerprint="", prompts={}, turns=1).to_json()
        key = json.dumps([fingerprints, plain], sort_keys=True)
        home = self.settings.reference_points_cache or default_cache()
        return home / f"{hashlib.sha256(key.encode()).hexdigest()}.jsonl"


def announcement(wanted: Mapping[str, Sequence[Instance]], records: Iterable[Record], jobs: int) -> str:
    """Return what is said before reference points are evaluated, with the time that they will take.

    It is estimated from what the samples of the run took in the slower one of the stages that render and
    score, which overlap, and is too short if those came from the caches.

    Args:
        wanted: Instances by the name of the reference point.
        records: Samples of the run.
        jobs: Samples in each stage; 0 is the default, twice the processors.
    """
    passes = [instances for instances in wanted.values() if instances]
    number = sum(map(len, passes))
    scored = [record for record in records if record.outcome.counts]
    rendering = sum(record.rendering.seconds or 0.0 for record in scored)
    scoring = sum(record.score.seconds or 0.0 for record in scored)
    at_once = jobs or 2 * (os.cpu_count() or 1)
    mean_seconds = max(rendering, scoring) / len(scored) if scored else 0.0
    about = f", for about {_duration(number * mean_seconds / at_once)}" if scored else ""
    return (
        f"reference points: baselines and the oracle go over the samples too, {number} in {len(passes)} "
        f"passes{about}; they ask no model and are kept for others, and --no-reference-points leaves them out"
    )


def _duration(seconds: float) -> str:
    """Return a rough duration: seconds below two minutes, else minutes."""
    return f"{max(1, round(seconds))} s" if seconds < 2 * _MINUTE else f"{round(seconds / _MINUTE)} min"


def _have_data_of(folder: RunFolder, points: Points) -> bool:
    """Return whether values are of the references and targets of the samples that have ended."""
    records = folder.records(texts=False)
    return all(
        record.instance.has_data_of(records[record.instance.id].instance)
        for of_model in points.values()
        for record in of_model
        if record.instance.id in records
    )


def instances_of(name: str, plan: Plan) -> list[Instance]:
    """Return the instances of a plan that a reference point can answer, without those of wild subsets.

    Tasks whose main column is of metrics that nothing computes are left out.

    Args:
        name: One of MODELS.
        plan: Plan of a run.
    """
    tasks = {task for task, own in plan.tasks.items() if _has_points(own)}
    lenders = Counter((one.task, one.subset) for one in plan.whole if _has_truth(one))

    def can_answer(instance: Instance) -> bool:
        match name:
            case "baseline/blank":
                return True
            case "baseline/constant":
                return bool(task_spec(instance.task).constant)
            case "baseline/shuffled":
                return lenders[instance.task, instance.subset] > _has_truth(instance)
            case "baseline/chance":
                return bool(instance.inputs.get("options"))
            case _:
                return _has_truth(instance)

    return [
        one
        for one in plan.instances
        if one.task in tasks and not excluded_from_totals(one.subset) and can_answer(one)
    ]


def _has_points(task: Task) -> bool:
    spec = task_spec(task.name)
    return bool(Columns(metrics_of(task), spec.averages).metrics_of(spec.main_metric))


def _has_truth(instance: Instance) -> bool:
    return instance.structure is not None or instance.target is not None


@contextmanager
def _work_folder(folder: RunFolder) -> Iterator[Path]:
    """Have a folder for the runs of reference points, which is removed if the block ends without an error.

    It lies in the run folder, so that an interrupted evaluation is resumed; of a run in a store it is
    temporary.
    """
    if is_url(folder.path):
        with tempfile.TemporaryDirectory(prefix="i2s-reference-points-") as temporary:
            yield Path(temporary)
        return
    work = Path(folder.path) / WORK
    yield work
    shutil.rmtree(work, ignore_errors=True)
