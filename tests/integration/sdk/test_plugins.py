"""A package that is installed beside the SDK provides tasks, a scorer, a model and a renderer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from PIL import Image

REPOSITORY = Path(__file__).resolve().parents[3]
SUPPORT = REPOSITORY / "tests/support"
DRAWS = "from PIL import Image\nImage.new('RGB', (30, 20), 'teal').save('page.png')\n"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment that sees these packages, and has the example package and a broken one."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True, with_pip=False)
    python = folder / "bin/python"
    paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
    packages = Path(paths["purelib"])
    beside = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n{SUPPORT}\n"
    (packages / "beside.pth").write_text(beside)
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index",
         "--no-deps", "--no-build-isolation", "--disable-pip-version-check", str(SUPPORT / "shades_package")],
        check=True, timeout=300,
    )  # fmt: skip
    broken = packages / "broken_tasks-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-tasks\nVersion: 1.0\n")
    (broken / "entry_points.txt").write_text(
        "[i2s_sdk.tasks]\nhopeless = broken_tasks:TASK\n"
        "[i2s_sdk.scorers]\nshade.hopeless = broken_tasks:Scorer\n"
    )
    (packages / "broken_tasks.py").write_text("raise RuntimeError('it was never\\ntested')\n")
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    lines = []
    for grey in (0, 100, 255):
        Image.new("L", (16, 16), grey).save(folder / f"{grey}.png")
        line = {"id": f"g{grey}", "task": "shade", "subset": "plain", "inputs": {"image": f"{grey}.png"}}
        lines.append(json.dumps({**line, "target": grey}) + "\n")
    (folder / "instances.jsonl").write_text("".join(lines))
    return folder


def _run(environment: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(environment / "bin/python"), "-m", "i2s_sdk.cli", *arguments],
        cwd=folder, capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "I2S_REFERENCE_POINTS": "no", "I2S_EXAMPLES": str(REPOSITORY / "examples")},
    )  # fmt: skip


def test_help_names_what_packages_provide_and_imports_none(environment: Path, tmp_path: Path) -> None:
    ended = _run(environment, tmp_path, "evaluate", "--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    provided = " ".join(ended.stdout.partition("Provided by other packages:")[2].split())
    assert "tasks drawing (shades), hopeless (broken-tasks), shade (shades)" in provided
    assert "scorers shade.hopeless (broken-tasks), sobench.characters (shades)" in provided
    assert "models parrot/NAME (shades)" in provided
    assert "renderers render-pillow (shades)" in provided


def test_a_task_and_a_model_are_evaluated_and_a_broken_scorer_is_one_warning(
    environment: Path, data: Path, tmp_path: Path
) -> None:
    ended = _run(environment, tmp_path, "evaluate", "--data", "data", "--model", "parrot/100", "--json")
    assert ended.returncode == 0, ended.stderr
    result = json.loads(ended.stdout)
    values = result["tasks"]["shade"]["values"]
    assert values["closeness"] == pytest.approx((1 - 100 / 255 + 1 + 1 - 155 / 255) / 3)
    warnings = [line for line in ended.stderr.splitlines() if "broken-tasks" in line]
    assert warnings == [
        "i2s_sdk.scorers 'shade.hopeless' of the package broken-tasks cannot be used: "
        "RuntimeError: it was never tested; it is left out"
    ]
    assert "Traceback" not in ended.stderr
    table = _run(environment, tmp_path, "table", result["run"])
    assert table.returncode == 0, table.stderr
    assert "Shades of grey" in table.stdout


def test_a_broken_task_that_is_used_is_one_line(environment: Path, data: Path, tmp_path: Path) -> None:
    ended = _run(
        environment, tmp_path, "evaluate", "--data", "data", "--task", "hopeless", "--model", "oracle"
    )
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [
        "error: i2s_sdk.tasks 'hopeless' of the package broken-tasks cannot be used: "
        "RuntimeError: it was never tested"
    ]


def test_a_mistake_in_the_name_of_its_model_is_one_line(
    environment: Path, data: Path, tmp_path: Path
) -> None:
    ended = _run(environment, tmp_path, "evaluate", "--data", "data", "--model", "parrot")
    assert (ended.returncode, ended.stderr) == (2, "error: model 'parrot' needs a text: parrot/TEXT\n")


def test_a_scorer_adds_its_metric_to_a_task_of_the_sdk(environment: Path, tmp_path: Path) -> None:
    sobench = str(REPOSITORY / "examples/sobench")
    ended = _run(environment, tmp_path, "evaluate", "--data", sobench, "--limit", "2", "--json")
    assert ended.returncode == 0, ended.stderr
    result = json.loads(ended.stdout)
    assert result["tasks"]["sobench"]["values"]["characters"] > 0
    without = subprocess.run(
        [sys.executable, "-m", "i2s_sdk.cli", "table", result["run"], "--json"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert without.returncode == 0, without.stderr
    assert "characters" not in without.stdout, "a machine without the package has the other columns"


def test_a_renderer_is_started_and_renders(environment: Path, tmp_path: Path) -> None:
    folder = tmp_path / "drawings"
    folder.mkdir()
    Image.new("RGB", (30, 20), "teal").save(folder / "a.png")
    line = {"id": "a", "task": "drawing", "subset": "plain", "inputs": {"image": "a.png"}, "target": DRAWS}
    (folder / "instances.jsonl").write_text(json.dumps(line) + "\n")
    ended = _run(environment, tmp_path, "evaluate", "--data", "drawings", "--json", "--out", "run")
    assert ended.returncode == 0, ended.stderr
    result = json.loads(ended.stdout)
    assert result["tasks"]["drawing"]["values"] == {"rendered": 1.0, "characters": float(len(DRAWS))}
    manifest = json.loads((tmp_path / "run/manifest.json").read_text())
    assert list(manifest["options"]["engines"]) == ["render-pillow"]
