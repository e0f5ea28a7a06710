"""A cluster that somebody gives in I2S_KUBECONFIG, with the overlay of I2S_CLUSTER_OVERLAY applied to it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STEP_SECONDS = 900  # above the ten minutes that the documented wait for a rollout takes

Shell = Callable[[str], subprocess.CompletedProcess[str]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(STEP_SECONDS + 60))


@pytest.fixture(scope="session")
def overlay() -> Path:
    """The folder of the operator's own kustomization."""
    named = os.environ.get("I2S_CLUSTER_OVERLAY")
    if not os.environ.get("I2S_KUBECONFIG") or not named:
        pytest.skip("NOT TESTED ON A CLUSTER: I2S_KUBECONFIG and I2S_CLUSTER_OVERLAY name none")
    return Path(named).resolve()


@pytest.fixture(scope="session")
def shell(overlay: Path) -> Shell:
    """Run a command of the docs as it stands there, from the root of the repository."""
    assert shutil.which("kubectl"), "kubectl is not installed"
    environment = {**os.environ, "KUBECONFIG": os.environ["I2S_KUBECONFIG"]}

    def run(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-euc", command],
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=STEP_SECONDS,
        )

    return run
