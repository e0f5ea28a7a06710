"""Commands that need services print what is recorded, as text and as JSON, with values."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from current_recordings import compare_json, compare_text, is_recorded, masked, recorded
from i2s_client import RenderClient
from i2s_sdk.run.storage.folder import MANIFEST
from kept_services import kept_addresses
from recorded import lost, recorded_run, shape

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
#: Files of the examples in the working folder, by their names there.
FILES = {
    "formula.tex": "structures/equation-gaussian-posterior.tex",
    "formula.png": "references/equation-gaussian-posterior.png",
    "other.png": "references/equation-evidence-bound.png",
    "packages.tex": "try/needs-packages.tex",
    "melody.ly": "structures/music-melody.ly",
    "chart.py": "charts/programs/grouped-bars.py",
    "site.tar.gz": "structures/webpage-html-timetable.tar.gz",
    "replay.jsonl": "try/replay.jsonl",
}
EVALUATE = f"evaluate --data {EXAMPLES} --out run --limit 6"
#: Commands by the name of their recording.
COMMANDS = {
    "evaluate": f"{EVALUATE} --model replay:replay.jsonl",
    "evaluate-helm": f"{EVALUATE} --model replay:replay.jsonl --profile helm",
    "evaluate-two": f"{EVALUATE} --model oracle --model replay:replay.jsonl",
    "metrics": "metrics",
    "render-html": "render html site -o out.png",
    "render-latex": "render latex formula.tex -o out.png",
    "render-latex-repaired": "render latex packages.tex -o out.png",
    "render-lilypond": "render lilypond melody.ly -o out.png",
    "render-python": "render python chart.py -o out.png",
    "resume": "evaluate --data data --model replay:answers.jsonl --out interrupted --fail-on-error 10",
    "score": "score formula.png other.png",
    "score-helm": "score formula.png other.png --profile helm",
    "score-of-task": "score formula.png other.png --task latex",
}
#: Commands whose text is recorded as well; those of the others differ in values alone.
TEXTS = ("evaluate", "evaluate-two", "render-latex", "render-latex-repaired", "score")
RENDERERS = ("render-latex", "render-html", "render-lilypond", "render-python")
#: Keys whose values are those of one run or one machine; the keys below them are recorded.
VOLATILE = frozenset({"engine", "isolation", "usage"})


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of the commands: addresses of services, the metric service without weights."""
    nowhere = {name: str(tmp_path_factory.mktemp("none")) for name in ("XDG_CACHE_HOME", "TORCH_HOME")}
    environment = {**os.environ, **nowhere}
    names, logs = (*RENDERERS, "metrics"), tmp_path_factory.mktemp("logs")
    with kept_addresses(logs, environment, names) as (_, addresses):
        variables = {variable(name): address for name, address in addresses.items()}
        yield {**environment, **variables, "COLUMNS": "160"}


def variable(service: str) -> str:
    """Return the variable that names a service that runs."""
    return f"I2S_{service.upper().replace('-', '_')}"


@pytest.fixture
def folder(tmp_path: Path, variables: dict[str, str]) -> Path:
    """A working folder with files of the examples, a stored run that was interrupted, and its data.

    That run was begun by the engine of another machine, which is said to be that of this one.
    """
    for name, file in FILES.items():
        shutil.copy(EXAMPLES / file, tmp_path / name)
    shutil.unpack_archive(tmp_path / "site.tar.gz", tmp_path / "site")
    manifest = recorded_run("interrupted", tmp_path) / MANIFEST
    begun = json.loads(manifest.read_text(encoding="utf-8"))
    with RenderClient(variables["I2S_RENDER_LATEX"]) as client:
        begun["options"]["engines"]["render-latex"] = client.describe().engine.digest
    manifest.write_text(json.dumps(begun), encoding="utf-8")
    return tmp_path


def printed(words: list[str], folder: Path, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder."""
    command = [sys.executable, "-m", "i2s_sdk.cli", *words]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


def stable(document: Any) -> Any:
    """Return a JSON document with keys in place of values of one run or one machine."""
    if isinstance(document, Mapping):
        return {key: sorted(value) if key in VOLATILE else stable(value) for key, value in document.items()}
    return [stable(item) for item in document] if isinstance(document, list) else document


def has_recorded_engines(variables: dict[str, str]) -> bool:
    """Return whether engines and fonts are those that drew what is recorded."""
    known = {}
    for name in RENDERERS:
        with RenderClient(variables[variable(name)]) as client:
            about = client.describe()
        known[name] = [about.engine.name, about.engine.version, about.fonts_digest]
    return is_recorded("outputs/engines.json", known)


@pytest.mark.parametrize("name", TEXTS)
def test_commands_print_what_they_did(name: str, folder: Path, variables: dict[str, str]) -> None:
    done = printed(COMMANDS[name].split(), folder, variables)
    # An evaluation tells its progress, which is that of a clock.
    told = "" if name.startswith("evaluate") else done.stderr
    text = f"{done.stdout}--- standard error\n{told}exit code {done.returncode}\n"
    if has_recorded_engines(variables):
        compare_text(f"outputs/{name}.txt", masked(text, folder))


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_print_the_json_that_they_did(name: str, folder: Path, variables: dict[str, str]) -> None:
    done = printed([*COMMANDS[name].split(), "--json"], folder, variables)
    document = {"exit code": done.returncode, "document": stable(json.loads(masked(done.stdout, folder)))}
    if has_recorded_engines(variables):
        compare_json(f"outputs/{name}.json", document)
    else:
        assert list(lost(shape(recorded(f"outputs/{name}.json")), shape(document))) == []
