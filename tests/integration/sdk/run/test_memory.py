"""The resident memory of a run does not grow with the length of what its model answers.

The run generates alone: of a completion that is too long nothing is rendered or scored.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from chat_server import ChatServer
from i2s_sdk.run.storage.folder import ANSWERS
from tiny_formulas import TinyFormulas, write_tiny_formulas

pytestmark = pytest.mark.integration

LONG = 45_000_000
SAMPLES = 8
#: The most memory of a run whose model is asked for eight answers at once. What a usable answer can have is
#: read (13 MB). The answers together have 343 MiB.
MOST_MIB = 150

#: The command, which says its greatest resident size at its end.
_MEASURED = """
import re, sys
from pathlib import Path
from i2s_sdk.cli.main import run

code = run(sys.argv[1:])
print("peak", re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
sys.exit(code)
"""


def _peak_mib(arguments: list[str]) -> float:
    command = [sys.executable, "-c", _MEASURED, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert ended.returncode == 0, ended.stderr
    return int(ended.stdout.split("peak ")[-1]) / 1024


def _answers(run: Path) -> list[str]:
    return [json.loads(line)["message"] for line in (run / ANSWERS).read_text().splitlines()]


def _arguments(kind: str, data: TinyFormulas, folder: Path, text: str) -> list[str]:
    """Return the options that name a model of a kind, which answers each question with this text."""
    if kind == "replay":
        rows = (json.dumps({"id": name, "completion": text}) + "\n" for name in data.ids)
        answers = folder / "answers.jsonl"
        with answers.open("w") as file:
            file.writelines(rows)
        return ["--model", f"replay:{answers}"]
    program = folder / "model.py"
    program.write_text(f"import sys\nsys.stdout.write({text[:4]!r} * {len(text) // 4})\n")
    return ["--model", f"command:{sys.executable} {program} {{image}}"]


_OTHER = pytest.mark.nightly(
    instead="a replay, and the unit tests of what each model reads (test_long_completions)"
)


@pytest.mark.parametrize(
    "kind",
    [pytest.param("server", marks=_OTHER), "replay", pytest.param("command", marks=_OTHER)],
)
@pytest.mark.timeout(900)
def test_memory_of_a_run_is_bounded_if_each_completion_has_45_mb(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("openai")
    data = write_tiny_formulas(tmp_path / "data", SAMPLES)
    peaks = []
    for name, text in (("short", "$x$ " * 2), ("long", "$x$ " * (LONG // 4))):
        folder = tmp_path / name
        folder.mkdir()
        server = ChatServer(dict.fromkeys(data.ids, text), data.questions)
        with server.serving():
            arguments = ["generate", "--data", str(data.folder), "--out", str(folder / "run")]
            arguments += ["--cache", "none", "--model-jobs", "8"]
            if kind == "server":
                arguments += ["--model", "openai/tiny", "--base-url", server.base]
            else:
                arguments += _arguments(kind, data, folder, text)
            peaks.append(_peak_mib(arguments))
        reasons = _answers(folder / "run")
        assert len(reasons) == SAMPLES
        assert all(reason.startswith("not usable: too long") for reason in reasons) == (name == "long")
    print(kind, peaks)
    assert peaks[1] - peaks[0] < MOST_MIB, peaks
