"""The command as on a Mac, a host of its own that reaches services on Linux by TCP alone.

Client and workers run as tests/support/mac makes them: without what Python has on Linux only. The services
are processes of this machine, and the client knows their addresses alone, as with containers.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from i2s_sdk.settings import Settings

pytestmark = pytest.mark.integration

MAC = Path(__file__).parents[2] / "support/mac"
EXAMPLES = Path(__file__).parents[3] / "examples"
SDK = EXAMPLES.parent / "sdk"


@dataclass(frozen=True)
class Mac:
    """A user of a Mac, to whom no program of this machine is known beside Python."""

    home: Path

    @property
    def python(self) -> Path:
        return self.home / "environment/bin/python"

    def environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        return {"PATH": "/nowhere", "HOME": str(self.home), "PYTHONPATH": str(MAC), **variables}

    def run(self, variables: Mapping[str, str], *words: str, code: int = 0) -> str:
        """Run the command; returns what it printed."""
        ended = subprocess.run(
            [self.python, "-m", "i2s_sdk.cli", *words],
            env=self.environment(variables),
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
        )
        said = ended.stdout + ended.stderr
        assert ended.returncode == code, said
        assert "Traceback" not in said
        return said


@pytest.fixture
def mac(tmp_path: Path) -> Mac:
    made = Mac(tmp_path)
    venv = [sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "environment")]
    subprocess.run(venv, check=True)
    (site,) = tmp_path.glob("environment/lib/python3*/site-packages")
    purelib = sysconfig.get_path("purelib")
    (site / "others.pth").write_text(f"import site; site.addsitedir({purelib!r})\n", encoding="utf-8")
    return made


@pytest.fixture
def addresses(everything_running_without_networks: Settings, documents: Settings) -> dict[str, str]:
    running = everything_running_without_networks
    return {
        "I2S_RENDER_LATEX": str(running.render_latex),
        "I2S_RENDER_HTML": str(running.render_html),
        "I2S_RENDER_LILYPOND": str(running.render_lilypond),
        "I2S_METRICS": str(running.metrics),
        "I2S_DOCUMENTS": str(documents.documents),
    }


def test_the_bundled_examples_are_evaluated(mac: Mac, addresses: dict[str, str]) -> None:
    mac.run(addresses, "evaluate", "--limit", "12", "--seed", "1", "--out", "run")
    results = json.loads((mac.home / "run/results.json").read_text())
    assert len(results["tasks"]) > 1
    assert {values["values"]["ems"] for values in results["tasks"].values()} == {1.0}
    assert '"Darwin-' in (mac.home / "run/manifest.json").read_text()
    assert (mac.home / "run/index.html").is_file()


def test_reference_points_follow_a_model(mac: Mac, addresses: dict[str, str]) -> None:
    replay = f"replay:{EXAMPLES / 'try/replay.jsonl'}"
    said = mac.run(
        addresses, "evaluate", "--model", replay, "--task", "latex", "--limit", "2", "--out", "run"
    )
    assert "reference points: " in said
    assert (mac.home / "run/reference-points.jsonl").is_file()


def test_documents_are_converted_and_scored_in_workers(mac: Mac, addresses: dict[str, str]) -> None:
    mac.run(addresses, "evaluate", "--data", str(EXAMPLES / "readoc"), "--limit", "2", "--out", "run")
    results = json.loads((mac.home / "run/results.json").read_text())
    (task,) = results["tasks"].values()
    assert task["total"]["outcomes"] == {"scored": 2}


def test_all_modules_of_the_sdk_load(mac: Mac) -> None:
    for package in (
        "client/src/i2s_client",
        "core/src/i2s_sdk",
        "collect/src/i2s_collect",
        "gateway/src/i2s_gateway",
    ):
        folder = SDK / package
        names = [
            ".".join(path.relative_to(folder.parent).with_suffix("").parts) for path in folder.rglob("*.py")
        ]
        code = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
        chosen = [name for name in names if not name.endswith(("__main__", "tether"))]
        subprocess.run([mac.python, "-c", code, *chosen], env=mac.environment({}), check=True)


def test_without_services_the_command_says_how_containers_are_started(mac: Mac) -> None:
    assert "i2s-sdk up --docker" in mac.run({}, "evaluate", "--limit", "1", "--task", "latex", code=1)
    assert "i2s-sdk up --docker" in mac.run({}, "up", code=1)
