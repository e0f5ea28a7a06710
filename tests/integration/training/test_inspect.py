"""``inspect eval i2s/…`` with real services.

What answers is a server on the loopback that speaks the wire of OpenAI, or inspect_ai's provider mockllm.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from i2s_sdk import Settings
from i2s_sdk.data import Instance, read_folder

pytest.importorskip("inspect_ai", reason="i2s-sdk[inspect] is not installed")

pytestmark = pytest.mark.integration

BROKEN = r"\begin{equation} \frac{1}{ \end{equation}"


@pytest.fixture(autouse=True)
def _environment(endpoints: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        **endpoints,
        "INSPECT_LOG_DIR": str(tmp_path / "logs"),
        "INSPECT_DISPLAY": "none",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def equations(running: Settings) -> list[Instance]:
    assert running.examples is not None
    return [instance for instance in read_folder(running.examples).instances if instance.subset == "equation"]


def answered(*answers: str, subset: str = "equation", limit: int | None = None) -> dict:
    """Evaluate i2s/latex with these answers, in the order of the data set, and return the log."""
    code = f"""
import sys, json
from inspect_ai import eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
outputs = [ModelOutput.from_content("mockllm/model", one) for one in json.loads(sys.argv[1])]
for one in outputs:
    one.usage = ModelUsage()  # or the tokens are counted by a file of the network
model = get_model("mockllm/model", custom_outputs=outputs)
(log,) = eval("i2s/latex", model=model, task_args={{"subset": {subset!r}}}, limit={limit!r}, max_samples=1,
              max_connections=1, fail_on_error=False)
print("LOG", log.model_dump_json())
"""
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(answers)], capture_output=True, text=True, check=True
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("LOG "))
    return json.loads(line[4:])


@pytest.fixture
def server(equations: list[Instance]) -> Iterator[str]:
    """A server that answers the image of an equation with its ground truth."""
    truths = {
        equation.image.read_bytes(): equation.structure.read_text()
        for equation in equations
        if equation.structure
    }

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            text, picture = asked["messages"][-1]["content"]
            assert "LaTeX" in text["text"]
            raw = base64.b64decode(picture["image_url"]["url"].partition(",")[2])
            message = {"role": "assistant", "content": f"```latex\n{truths[raw]}```"}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/v1"
        http.shutdown()


def test_the_command_evaluates_with_our_services_as_scorer(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERE_API_KEY", "none")
    program = Path(sys.executable).with_name("inspect")
    command = [program, "eval", "i2s/latex", "--model", "openai-api/here/m", "--model-base-url", server]
    done = subprocess.run(
        [*command, "--limit", "2", "-T", "subset=equation", "--log-format", "json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = (tmp_path / "logs").glob("*.json")
    log = json.loads(path.read_text())
    assert (log["status"], log["eval"]["task"]) == ("success", "i2s/latex")
    scores = {score["name"]: score["metrics"]["mean"]["value"] for score in log["results"]["scores"]}
    assert scores["ems"] == pytest.approx(1.0)
    assert scores["edit"] == 1.0
    assert scores["rendered"] == 1.0
    assert len(log["samples"]) == 2


def test_scores_are_those_of_a_round_trip(equations: list[Instance]) -> None:
    truths = [equation.structure.read_text() for equation in equations if equation.structure]
    log = answered(truths[0], BROKEN, "", truths[3])
    assert log["status"] == "success"
    values = {sample["id"]: sample["scores"]["round_trip"]["value"] for sample in log["samples"]}
    assert [values[equation.id]["rendered"] for equation in equations] == [1.0, 0.0, 0.0, 1.0]
    assert [values[equation.id]["ems"] for equation in equations] == pytest.approx([1.0, 0.0, 0.0, 1.0])
    means = {score["name"]: score["metrics"]["mean"]["value"] for score in log["results"]["scores"]}
    assert means["ems"] == pytest.approx(0.5)
    assert means["rendered"] == 0.5
    broken = next(sample for sample in log["samples"] if sample["id"] == equations[1].id)["scores"][
        "round_trip"
    ]
    assert broken["metadata"]["verdict"] == "COMPILE_ERROR"
    assert broken["explanation"].startswith("COMPILE_ERROR")


def test_a_failure_of_a_service_is_an_error_of_the_sample_and_no_score(
    equations: list[Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("I2S_RENDER_LATEX", "127.0.0.1:1")
    monkeypatch.setenv("I2S_START_SECONDS", "0.5")
    log = answered("x", limit=1)
    (sample,) = log["samples"]
    assert "127.0.0.1:1" in sample["error"]["message"]
    assert not sample["scores"]
