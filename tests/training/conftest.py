"""Services of .venv for tests that run in the environment of the training frameworks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from i2s_sdk.data import Instance, read_folder
from i2s_sdk.settings import Settings

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

from kept_services import REPOSITORY, kept_services

PYTHON = REPOSITORY / ".venv" / "bin" / "python"
BROKEN = r"\begin{equation} \frac{1}{ \end{equation}"


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings that name a renderer and a metric service that run."""
    nowhere = {name: str(tmp_path_factory.mktemp("none")) for name in ("XDG_CACHE_HOME", "TORCH_HOME")}
    path = f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, **nowhere, "PATH": path}
    with kept_services(tmp_path_factory.mktemp("logs"), environment, python=PYTHON) as settings:
        yield settings


@pytest.fixture
def found_by_name(running: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The services in the environment, as a training process has them."""
    monkeypatch.setenv("I2S_RENDER_LATEX", str(running.render_latex))
    monkeypatch.setenv("I2S_METRICS", str(running.metrics))
    monkeypatch.setenv("I2S_EXAMPLES", str(running.examples))


@pytest.fixture(scope="session")
def posterior(running: Settings) -> Instance:
    """The first bundled equation."""
    assert running.examples is not None
    return read_folder(running.examples).instances[0]


@pytest.fixture(scope="session")
def truth(posterior: Instance) -> str:
    """Its ground truth."""
    assert isinstance(posterior.structure, Path)
    return posterior.structure.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def broken() -> str:
    """An answer that does not compile."""
    return BROKEN
