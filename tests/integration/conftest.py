"""Services for all tests of the packages of the SDK, started once by the SDK's own stack."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from i2s_sdk.settings import Settings
from kept_services import kept_services

REPOSITORY = Path(__file__).resolve().parents[2]
ALL_SERVICES = ("render-latex", "render-html", "render-lilypond", "metrics")


def _without_weights(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return our environment with empty folders where the weights of networks may lie."""
    nowhere = {name: str(tmp_path_factory.mktemp("none")) for name in ("XDG_CACHE_HOME", "TORCH_HOME")}
    return {**os.environ, **nowhere}


@pytest.fixture(scope="session", autouse=True)
def _own_caches_of_evaluations(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Renderings and scores that an earlier session has kept would hide what the services do now."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("I2S_EVALUATION_CACHES", str(tmp_path_factory.mktemp("evaluation-caches")))
        yield


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings that name a renderer and a metric service that run.

    The metric service has no weights of networks, so that each pair takes no time.
    """
    with kept_services(tmp_path_factory.mktemp("logs"), _without_weights(tmp_path_factory)) as settings:
        yield settings


@pytest.fixture(scope="session")
def running_without_networks(running: Settings) -> Settings:
    """The same, for tests that take long or count their calls with networks."""
    return running


@pytest.fixture(scope="session")
def running_as_installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """The same with the networks whose weights this machine has."""
    with kept_services(tmp_path_factory.mktemp("logs"), dict(os.environ)) as settings:
        yield settings


@pytest.fixture(scope="session")
def everything_running_without_networks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings that name a renderer of each kind, and a metric service that has no weights of networks."""
    logs, environment = tmp_path_factory.mktemp("logs"), _without_weights(tmp_path_factory)
    with kept_services(logs, environment, ALL_SERVICES) as settings:
        yield settings


def _variables(settings: Settings) -> dict[str, str]:
    return {
        "I2S_RENDER_LATEX": str(settings.render_latex),
        "I2S_METRICS": str(settings.metrics),
        "I2S_EXAMPLES": str(settings.examples),
    }


@pytest.fixture(scope="session")
def endpoints(running: Settings) -> dict[str, str]:
    """The same as environment variables."""
    return _variables(running)


@pytest.fixture(scope="session")
def endpoints_as_installed(running_as_installed: Settings) -> dict[str, str]:
    """The services with the networks whose weights this machine has, as environment variables."""
    return _variables(running_as_installed)


@pytest.fixture(scope="session")
def light_endpoints(running_without_networks: Settings) -> dict[str, str]:
    """The services without networks as environment variables."""
    return _variables(running_without_networks)


@pytest.fixture(scope="session")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """The documents service alone."""
    with kept_services(tmp_path_factory.mktemp("logs"), dict(os.environ), ["documents"]) as settings:
        yield settings
