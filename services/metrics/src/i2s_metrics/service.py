"""The metric service: opens workers and networks, passes the canary, provides its servicer."""

from __future__ import annotations

import asyncio
import io
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from PIL import Image, ImageDraw

from i2s_chassis.errors import CallError, StartError
from i2s_chassis.jail import own_process
from i2s_chassis.jail.work_folder import WorkFolder
from i2s_chassis.server.service import Chassis, Register
from i2s_metrics import registry
from i2s_metrics.confinement import log_confinement, may_use_gpu
from i2s_metrics.engine import MetricsEngine
from i2s_metrics.model import ComparisonJob, JobResult, MetricValue, Network
from i2s_metrics.networks.files import Inventory, close_all_but, take_inventory
from i2s_metrics.networks.messages import HostSettings
from i2s_metrics.networks.networks import Networks, NetworksError
from i2s_metrics.registry import Missing
from i2s_metrics.servicer import MetricsServicer, add_MetricsServiceServicer_to_server
from i2s_metrics.settings import MetricsSettings
from i2s_metrics.worker import WorkerSettings
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy

_TOLERANCE = 1e-9


async def check(engine: MetricsEngine, missing: Missing) -> None:
    """Compare an image with itself in profile paper: every metric has to be 1.

    Args:
        engine: The engine that compares.
        missing: Networks that are left aside, because they are not here or were not started yet;
            their process has a canary of its own.

    Raises:
        StartError: It is not, or no worker can do it; the libraries do not work as they should.
    """
    image = _picture()
    metrics = registry.available(Profile.PAPER, missing)
    try:
        score = await engine.score(ComparisonJob(image, image, SizePolicy.PAD, Profile.PAPER, metrics))
    except CallError as error:
        raise StartError(f"the first comparison failed: {error.message}") from error
    for name, value in zip(metrics, _values(score), strict=True):
        if not abs(value - 1) <= _TOLERANCE:
            raise StartError(
                f"{name} of a picture with itself is {value} and not 1; reinstall numpy, scipy, pillow "
                "and numba in the versions that i2s-metrics was locked with"
            )


def _picture() -> bytes:
    image = Image.new("RGB", (160, 120), "white")
    ImageDraw.Draw(image).ellipse((20, 10, 90, 70), fill=(30, 90, 200))
    encoded = io.BytesIO()
    image.save(encoded, "PNG")
    return encoded.getvalue()


def _values(score: JobResult) -> list[float]:
    return [outcome.value if isinstance(outcome, MetricValue) else float("nan") for outcome in score.outcomes]


@contextmanager
def own_temporary_folder() -> Iterator[None]:
    """Have temporary files in a folder that is removed with the service, or by the next one if it is killed.

    The server that forks workers makes one (``pymp-…``) for its socket, which nobody else would remove.
    """
    before = tempfile.tempdir
    with WorkFolder("metrics") as folder:
        tempfile.tempdir = str(folder.path)
        try:
            yield
        finally:
            tempfile.tempdir = before


class MetricsService:
    """Worker processes behind the wire of i2s.metrics.v1."""

    name = MetricsSettings.service
    wire_names = ("i2s.metrics.v1.MetricsService",)

    def __init__(self, settings: MetricsSettings) -> None:
        self._settings = settings

    @asynccontextmanager
    async def open(self, chassis: Chassis) -> AsyncIterator[Register]:
        """Start the workers and have one prove itself; close them at the end.

        Raises:
            StartError: A comparison with a known result came out otherwise.
        """
        own_process.hide()
        settings = self._settings
        places = settings.places
        inventory = await asyncio.to_thread(take_inventory, places)
        close_all_but(inventory, places)
        with own_temporary_folder():
            async with self._open(inventory, chassis) as register:
                yield register

    @asynccontextmanager
    async def _open(self, inventory: Inventory, chassis: Chassis) -> AsyncIterator[Register]:
        settings = self._settings
        async with Networks.open(
            host_settings(settings, inventory), settings.network_patience_seconds, chassis.telemetry
        ) as networks:
            engine = MetricsEngine.open(
                WorkerSettings(
                    settings.max_image_pixels,
                    settings.reference_memory,
                    inventory.missing,
                    settings.max_jpeg_scans,
                    settings.worker_log,
                ),
                networks,
                workers=settings.workers or settings.slots,
                jobs_per_worker=settings.jobs_per_worker,
                wall_seconds=settings.limit.wall_seconds,
                telemetry=chassis.telemetry,
            )
            async with engine as running:
                preloaded = await _preload(settings, inventory, networks)
                await check(
                    running, inventory.missing if preloaded else dict.fromkeys(Network, "not started")
                )
                log_confinement("workers", await running.confinement())
                servicer = MetricsServicer(settings, running, networks, inventory.missing, chassis)
                yield lambda server: add_MetricsServiceServicer_to_server(servicer, server)


def host_settings(settings: MetricsSettings, inventory: Inventory) -> HostSettings:
    """Return what the process of the networks needs to know."""
    return HostSettings(
        weights=inventory.found,
        device=settings.device,
        precision=settings.precision,
        threads=settings.torch_threads,
        batch_size=settings.batch_size,
        batch_wait_seconds=settings.batch_wait_ms / 1000,
        feature_bytes=settings.feature_memory,
        device_bytes=settings.device_memory,
        confined=settings.confine_networks,
        log_bytes=settings.worker_log,
    )


async def _preload(settings: MetricsSettings, inventory: Inventory, networks: Networks) -> bool:
    """Load the networks now if that is wanted, or if a GPU may be used: Describe has to name it."""
    if not inventory.found or not (settings.preload_networks or may_use_gpu(settings.device)):
        return False
    try:
        await networks.start()
    except NetworksError as error:
        raise StartError(f"the networks cannot be started: {error}") from error
    return True
