"""The commands of the quickstart do what the page says."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from chat_server import ChatServer
from command_terminal import Terminal
from documentation_pages import blocks, commands, section
from i2s_sdk.data import open_data

pytestmark = pytest.mark.integration

PAGE = "index.md"
EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
SERVER = "http://127.0.0.1:8000/v1"


@pytest.fixture
def terminal(tmp_path: Path, light_endpoints: dict[str, str]) -> Terminal:
    return Terminal(tmp_path, light_endpoints)


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    """A server that answers with the ground truth of the bundled examples of LaTeX."""
    import hashlib

    latex = [instance for instance in open_data(str(EXAMPLES)).instances if instance.task == "latex"]
    questions = {hashlib.sha256(one.image.read_bytes()).hexdigest(): one.id for one in latex if one.image}
    answers = {one.id: one.structure.read_text() for one in latex if one.structure is not None}
    with ChatServer(answers, questions).serving() as serving:
        yield serving


def values(run: Path) -> dict[str, float]:
    """The means of a run over its samples of LaTeX."""
    results = json.loads((run / "results.json").read_text())
    values: dict[str, float] = results["tasks"]["latex"]["values"]
    return values


def test_with_a_key(terminal: Terminal, server: ChatServer) -> None:
    export, dry_run, evaluation, table = commands(section(PAGE, "You have an API key"))
    assert export == "export OPENAI_API_KEY=YOUR_KEY"
    terminal.environ["OPENAI_API_KEY"] = "YOUR_KEY"
    assert "at most $" in terminal.run(dry_run)
    terminal.run(evaluation, "--base-url", server.base, "--key-env", "OPENAI_API_KEY")
    assert values(terminal.folder / "runs/gpt-4o")["ems"] == pytest.approx(1.0)
    assert "1.000" in terminal.run(table)


def test_with_a_local_server(terminal: Terminal, server: ChatServer) -> None:
    serve, evaluation, table = commands(section(PAGE, "You have a local server: vLLM, Ollama, llama.cpp"))
    assert serve.startswith("vllm serve ")
    assert f"--base-url {SERVER}" in evaluation
    terminal.environ["I2S_REFERENCE_POINTS"] = "yes"
    terminal.run(evaluation.replace(SERVER, server.base))
    assert values(terminal.folder / "runs/local")["ems"] == pytest.approx(1.0)
    printed = terminal.run(table)
    assert "baseline/shuffled" in printed
    assert "Skill" in printed


def test_with_own_data(terminal: Terminal, server: ChatServer) -> None:
    folder = terminal.folder / "exams"
    folder.mkdir()
    for instance in open_data(str(EXAMPLES)).instances[:3]:
        assert instance.image is not None
        assert instance.structure is not None
        shutil.copy(instance.image, folder / f"{instance.id}.png")
        shutil.copy(instance.structure, folder / f"{instance.id}.tex")
    made, checked, oracle, evaluation = commands(section(PAGE, "You have your own data"))
    for line in (made, checked, oracle):
        terminal.run(line)
    terminal.run(evaluation, "--base-url", server.base)
    for run in ("oracle", "exam"):
        assert values(terminal.folder / "runs" / run)["ems"] == pytest.approx(1.0)


def test_while_training(
    terminal: Terminal, light_endpoints: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = section(PAGE, "You train a model")
    (up,) = commands(text)
    assert up == "i2s-sdk up render-latex metrics"  # tests/integration/sdk/stack tests this command
    for name, value in light_endpoints.items():
        monkeypatch.setenv(name, value)
    (code,) = blocks(text, "python")
    formula = open_data(None).instances[0]
    assert formula.image is not None
    assert formula.structure is not None
    names = {
        "prompts": ["What is shown?"] * 2,
        "completions": [formula.structure.read_text(), "no idea"],
        "images": [base64.b64decode(base64.b64encode(formula.image.read_bytes()))] * 2,
        "sources": [formula.structure.read_text()] * 2,
    }
    exec(compile(code, PAGE, "exec"), names)
    good, bad = names["rewards"]
    names["reward"].close()  # type: ignore[attr-defined]
    assert good == pytest.approx(1.0)
    assert bad < good


def test_on_a_cluster(terminal: Terminal) -> None:
    first, second, merge, *rest = commands(section(PAGE, "You have a cluster"))
    for line in (first, second):
        terminal.run(line)
    terminal.run(merge)
    whole = json.loads((terminal.folder / "runs/whole/results.json").read_text())
    assert (whole["planned"], whole["scored"]) == (4, 4)
    build, *applied = rest
    assert (EXAMPLES.parent / build).exists()
    overlays = [line.rpartition(" -k ")[2] for line in applied]
    assert overlays
    described = (EXAMPLES.parent / "docs/kubernetes.md").read_text()
    assert all(f"kubectl apply --server-side -k {overlay}\n" in described for overlay in overlays)
