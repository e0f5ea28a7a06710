"""One pair of pictures to values, and what values there are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from i2s_sdk.clients.descriptions import MetricDescription
from i2s_sdk.clients.metrics import AsyncMetricsClient
from i2s_sdk.clients.score_types import Score
from i2s_sdk.errors import DataError
from i2s_sdk.profile import Profile
from i2s_sdk.runs.sizes import size_policy
from i2s_sdk.settings import Settings
from i2s_sdk.stack.blocking import run_blocking
from i2s_sdk.stack.logs import passing_logs
from i2s_sdk.stack.services import METRICS, open_services

A = TypeVar("A")


def score(
    reference: Path | str | bytes,
    prediction: Path | str | bytes,
    *,
    task: str = "latex",
    profile: Profile | str | None = None,
    metrics: Sequence[str] = (),
    settings: Settings | None = None,
) -> Score:
    """Compare two pictures.

    >>> score("reference.png", "rendering.png").values  # doctest: +SKIP

    Args:
        reference: What should have come out: path, or an encoded picture.
        prediction: What came out: path, or an encoded picture.
        task: Decides how pictures of different size are compared: padded with white (latex, music) or the
            prediction resized (webpage).
        profile: The rule book; None takes that of the settings.
        metrics: Names; none means all that are available.
        settings: None reads environment and configuration file.

    Raises:
        UnknownNameError: There is no such task.
        DataError: A picture cannot be read.
        RequestRefusedError: There is no such metric.
        StackError: The metric service cannot be started.
        ServiceError: It does not answer.
    """
    settings = settings or Settings.load()
    rules, policy = Profile(profile or settings.profile), size_policy(task)
    pair = _content(reference), _content(prediction)

    async def ask(service: AsyncMetricsClient) -> Score:
        return await service.score(*pair, size_policy=policy, profile=rules, metrics=metrics)

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


async def _with_service(ask: Callable[[AsyncMetricsClient], Awaitable[A]], settings: Settings) -> A:
    with passing_logs() as logs:
        async with open_services(settings, logs, (METRICS,)) as services:
            return await ask(services.scorer)


def _content(picture: Path | str | bytes) -> bytes:
    if isinstance(picture, bytes):
        return picture
    try:
        return Path(picture).read_bytes()
    except OSError as error:
        raise DataError(Path(picture), 0, f"cannot be read: {error.strerror}") from None
