"""The commands as scripts use them, against real services."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from chat_server import ChatServer
from tiny_formulas import write_tiny_formulas

pytestmark = pytest.mark.integration

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
_ASKED = ("evaluate", "--data", "data", "--out", "run", "--model", "openai/tiny", "--cache", "none")
DOCUMENT = r"""\documentclass{article}
\begin{document}
whole \newpage second
\end{document}
"""


@pytest.fixture
def command(endpoints: dict[str, str], tmp_path: Path):
    def run(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "i2s_sdk.cli", *arguments],
            input=given,
            env={**os.environ, **endpoints},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    return run


def test_a_fragment_is_rendered_with_the_preamble_of_the_profile(command, tmp_path: Path) -> None:
    answer = command("render", "latex", "-", "-o", "out.png", given=r"\[ \mathbb{R} \]")
    assert answer.returncode == 0, answer.stderr
    with Image.open(tmp_path / "out.png") as picture:
        assert answer.stdout == f"RENDERED: out.png, {picture.width} x {picture.height} pixels\n"
        assert picture.mode == "RGB"


def test_with_json_standard_output_is_one_document(command, tmp_path: Path) -> None:
    answer = command("render", "latex", "-", "-o", "out.png", "--json", given="x^2")
    document = json.loads(answer.stdout)
    assert answer.returncode == 0
    assert document["verdict"] == "RENDERED"
    assert [repair["kind"] for repair in document["repairs"]] == ["wrap_math"]
    assert document["isolation"]["tier"] in ("NAMESPACE", "LANDLOCK", "CONTAINER")
    assert document["out"] == "out.png"
    with Image.open(tmp_path / "out.png") as picture:
        assert (picture.width, picture.height) == (
            document["picture"]["width"],
            document["picture"]["height"],
        )


def test_a_refused_source_has_no_picture_and_exit_code_1(command, tmp_path: Path) -> None:
    answer = command("render", "latex", "-", "-o", "out.png", "--no-repair", given="a_1")
    assert answer.returncode == 1
    assert answer.stdout == ""
    assert "Missing $ inserted" in answer.stderr
    assert "COMPILE_ERROR" in answer.stderr
    assert not (tmp_path / "out.png").exists()


def test_a_document_is_rendered_as_it_is(command, tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(DOCUMENT)
    answer = command("render", "latex", "a.tex", "-o", "a.png", "--whole-page", "--dpi", "50", "--json")
    document = json.loads(answer.stdout)
    assert (document["verdict"], document["total_pages"]) == ("RENDERED", 2)
    picture = document["picture"]
    assert (picture["width"], picture["height"]) in ((425, 550), (414, 585))  # letter or A4
    second = command("render", "latex", "a.tex", "-o", "b.png", "--page", "2", "--json")
    assert json.loads(second.stdout)["picture"]["sha256"] != picture["sha256"]


def test_a_file_that_is_no_text_is_told(command, tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_bytes(b"a\xff")
    answer = command("render", "latex", "a.tex", "-o", "a.png")
    assert answer.returncode == 2
    assert "byte 1 is 0xff" in answer.stderr


def test_a_source_that_the_service_refuses_is_told_with_the_field(command) -> None:
    answer = command("render", "latex", "-", "--dpi", "0", "--json", given="$x$")
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert "options.page.dpi" in answer.stderr


def test_a_picture_scored_against_itself_is_perfect(command) -> None:
    reference = str(EXAMPLES / "references" / "equation-gaussian-posterior.png")
    document = json.loads(command("score", reference, reference, "--json").stdout)
    assert document["metrics"]["ems"] == pytest.approx(1.0)
    assert document["failures"] == {}


def test_the_task_decides_how_sizes_are_made_equal(command, tmp_path: Path) -> None:
    for name, size in (("a.png", (40, 30)), ("b.png", (20, 60))):
        Image.new("RGB", size, "black").save(tmp_path / name)
    padded = json.loads(command("score", "a.png", "b.png", "--task", "latex", "--json").stdout)
    resized = json.loads(command("score", "a.png", "b.png", "--task", "webpage", "--json").stdout)
    assert (padded["width"], padded["height"]) == (40, 60)
    assert (resized["width"], resized["height"]) == (40, 30)


def test_only_the_metrics_asked_for_are_computed(command) -> None:
    reference = str(EXAMPLES / "references" / "equation-gaussian-posterior.png")
    answer = command("score", reference, reference, "--metrics", "ssim,pixel", "--profile", "helm")
    assert answer.returncode == 0
    assert [line.split()[0] for line in answer.stdout.splitlines()] == ["ssim", "pixel"]
    unknown = command("score", reference, reference, "--metrics", "emz", "--json")
    assert unknown.returncode == 2
    assert unknown.stdout == ""
    assert "emz" in unknown.stderr


def test_a_metric_without_value_is_told_with_exit_code_1(command, tmp_path: Path) -> None:
    Image.new("RGB", (60, 60), "white").save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes((tmp_path / "a.png").read_bytes()[:60])
    answer = command("score", "a.png", "b.png", "--metrics", "ssim", "--json")
    assert answer.returncode == 1
    document = json.loads(answer.stdout)
    assert document["metrics"] == {}
    assert document["failures"]["ssim"]["kind"] == "BAD_IMAGE"


def test_doctor_finds_a_working_machine_good(command) -> None:
    answer = command("doctor", "--json")
    document = json.loads(answer.stdout)
    assert answer.returncode == 0, document
    found = {finding["name"]: finding for finding in document["findings"]}
    assert document["ok"]
    assert found["render-latex canary"]["detail"].startswith("RENDERED")
    assert found["host"]["state"] != "bad"
    assert found["render-latex isolation"]["state"] == "good"
    assert "ems 1" in found["canary score"]["detail"]


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str]:
    """Two folders: a and b agree, c has no prediction, d no reference."""
    for folder, names in (("r", "abc"), ("p", "abd")):
        (tmp_path / folder).mkdir()
        for name in names:
            Image.new("RGB", (40, 30), "black" if name == "a" else "white").save(
                tmp_path / folder / f"{name}.png"
            )
    return "r", "p"


def test_folders_are_scored_by_name_and_what_is_missing_is_told(command, folders) -> None:
    answer = command("score", *folders, "--metrics", "ssim,pixel", "--json")
    assert answer.returncode == 1
    document = json.loads(answer.stdout)
    assert [pair["name"] for pair in document["pairs"]] == ["a.png", "b.png"]
    assert document["metrics"] == {"ssim": 1.0, "pixel": 1.0}
    assert document["n"] == {"ssim": 2, "pixel": 2}
    assert (document["missing"], document["unmatched"]) == (["c.png"], ["d.png"])
    assert "2 of 2 pairs" in answer.stderr
    told = command("score", *folders, "--metrics", "ssim")
    assert told.returncode == 1
    assert told.stdout.splitlines()[-1] == "mean ssim     1.000000  (n=2 of 2)"
    assert told.stderr.splitlines()[-2:] == ["no reference: d.png was not compared", "no prediction: c.png"]


@pytest.mark.parametrize(("missing", "mean", "n"), [("skip", 1.0, 2), ("zero", 2 / 3, 3)])
def test_a_missing_prediction_may_be_left_out_or_count_zero(
    command, folders, missing: str, mean: float, n: int
) -> None:
    answer = command("score", *folders, "--metrics", "ssim", "--missing", missing, "--json")
    assert answer.returncode == 0, answer.stderr
    document = json.loads(answer.stdout)
    assert document["metrics"]["ssim"] == pytest.approx(mean)
    assert document["n"]["ssim"] == n


def test_one_reference_is_scored_against_a_folder_of_predictions(command, folders) -> None:
    document = json.loads(command("score", "r/b.png", "p", "--metrics", "ssim", "--json").stdout)
    values = {pair["name"]: pair["metrics"]["ssim"] for pair in document["pairs"]}
    assert values["b.png"] == values["d.png"] == 1.0 > values["a.png"]


def test_a_picture_that_cannot_be_decoded_has_no_value_and_does_not_stop_the_others(
    command, folders, tmp_path: Path
) -> None:
    (tmp_path / "p" / "a.png").write_bytes(b"no picture")
    answer = command("score", *folders, "--metrics", "ssim", "--missing", "skip", "--json")
    assert answer.returncode == 1
    document = json.loads(answer.stdout)
    assert document["n"] == {"ssim": 1}
    assert document["pairs"][0]["failures"]["ssim"]["kind"] == "BAD_IMAGE"


def test_a_metric_that_the_service_lacks_is_told_and_not_scored(command, folders) -> None:
    listed = json.loads(command("metrics", "--json").stdout)["metrics"]
    lacking = [one["name"] for one in listed if not one["available"]]
    if not lacking:
        pytest.skip("every metric is available here")
    names = f"ssim,{lacking[0]}"
    answer = command("score", *folders, "--metrics", names, "--missing", "skip", "--json")
    assert answer.returncode == 1
    document = json.loads(answer.stdout)
    assert list(document["unavailable"]) == [lacking[0]]
    assert list(document["metrics"]) == ["ssim"]
    everything = command("score", *folders, "--missing", "skip", "--json")
    assert everything.returncode == 0
    assert lacking[0] in json.loads(everything.stdout)["unavailable"]


def test_an_unknown_metric_of_folders_is_wrong_use(command, folders) -> None:
    answer = command("score", *folders, "--metrics", "ems,ssmi")
    assert answer.returncode == 2
    assert "did you mean 'ssim'" in answer.stderr


def test_doctor_finds_a_service_that_nobody_serves_bad(command, endpoints: dict[str, str]) -> None:
    answer = command("doctor", "--metrics-at", "127.0.0.1:1", "--set", "start_seconds=0.2")
    assert answer.returncode == 1
    assert "bad      canary score" in answer.stdout
    assert "127.0.0.1:1" in answer.stdout


def test_metrics_are_listed_with_their_definition_and_by_task(command) -> None:
    document = json.loads(command("metrics", "--json").stdout)
    names = {metric["name"] for metric in document["metrics"]}
    assert {"ems", "pixel", "ssim"} <= names
    assert all(metric["available"] or metric["unavailable_reason"] for metric in document["metrics"])
    latex, chart = (document["tasks"][task] for task in ("latex", "chart"))
    assert (latex["main"], latex["averages"]) == ("ems", {})
    assert latex["metrics"]["ems"] == {"by": "metrics", "aggregate": "mean"}
    assert latex["metrics"]["edit"]["by"] != "metrics"
    assert set(chart["averages"][chart["main"]]) < set(chart["metrics"])


def test_evaluate_tells_its_numbers_and_where_the_report_is(command, tmp_path: Path) -> None:
    answer = command("evaluate", "--task", "latex", "--limit", "2")
    assert answer.returncode == 0, answer.stderr
    assert "2 of 2" in answer.stdout
    report = tmp_path / "runs" / "examples-oracle-paper" / "index.html"
    assert answer.stdout.splitlines()[-1] == f"Report: {report}"
    assert "2 of 2 samples scored" in report.read_text()


def test_too_many_failures_of_ours_are_exit_code_3(command, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "equation-gaussian-posterior", "completion": "$x$"}\n')
    arguments = ("evaluate", "--model", "replay:a.jsonl", "--limit", "2", "--out", "run", "--json")
    answer = command(*arguments)
    assert answer.returncode == 3
    document = json.loads(answer.stdout)
    assert (document["scored"], document["planned"], document["covered"]) == (1, 2, False)
    assert "1 of 2 samples have no score" in answer.stderr
    assert command(*arguments, "--fail-on-error", "50%").returncode == 0


def test_the_reason_of_a_model_failure_is_printed(command, tmp_path: Path) -> None:
    pytest.importorskip("openai")
    data = write_tiny_formulas(tmp_path / "data", 2)
    failing = data.ids[1]

    def one_is_busy(question: str, before: int) -> str:
        return "status:429,60" if question == failing else "answer"

    with ChatServer(data.answers(), data.questions, one_is_busy).serving() as server:
        # It asks for more patience than this call may have, so it is asked once.
        answer = command(*_ASKED, "--base-url", server.base, "--retry-seconds", "30")
        assert server.came == {data.ids[0]: 1, failing: 1}
    assert answer.returncode == 3, answer.stderr
    (line,) = (one for one in answer.stderr.splitlines() if "model_failure" in one)
    assert line.startswith(f"  1 model_failure: openai/tiny at {server.base}: no answer after 1 attempt; ")
    assert "HTTP 429" in line
    assert line.endswith("(it asks to come back after 60 s)")


def test_a_model_that_does_not_answer_has_the_seconds_of_timeout(command, tmp_path: Path) -> None:
    pytest.importorskip("openai")
    data = write_tiny_formulas(tmp_path / "data", 1)
    with ChatServer({}, data.questions, lambda question, before: "hang").serving() as server:
        seconds = ("--timeout", "1", "--retry-seconds", "0.5")
        answer = command(*_ASKED, "--base-url", server.base, "--no-preflight", *seconds)
    assert answer.returncode == 3, answer.stderr
    (line,) = (one for one in answer.stderr.splitlines() if "model_failure" in one)
    assert line.endswith("no answer after 1 attempt; the last: no answer within 1 s")


def test_progress_goes_to_standard_error_as_plain_lines(command) -> None:
    answer = command("evaluate", "--task", "latex", "--limit", "1", "--out", "run", "--json")
    json.load(io.StringIO(answer.stdout))
    assert "1 of 1 samples" in answer.stderr
    assert "\x1b" not in answer.stderr
