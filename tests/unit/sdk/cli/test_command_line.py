"""The command line without any service."""

from __future__ import annotations

import io
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest

from i2s_sdk.cli.main import COMMANDS, group, run
from i2s_sdk.cli.run_options import default_folder
from i2s_wire.installation import install_command
from i2s_wire.renderers import RENDERER_SPECS

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        *([name, "--help"] for name in COMMANDS),
        *(["render", renderer_spec.languages[0], "--help"] for renderer_spec in RENDERER_SPECS),
    ],
)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = f"""
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
from i2s_sdk.cli.main import run
sys.exit(run({arguments!r}))
"""
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.startswith("Usage: i2s-sdk")
    imported = set(answer.stderr.split())
    assert "i2s_sdk.cli.main" in imported
    assert (
        not {"grpc", "google", "nltk", "rich", "PIL", "numpy", "asyncio", "tenacity", "rapidfuzz"} & imported
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples_in_its_help(name: str) -> None:
    command = group.get_command(click.Context(group), name)
    assert command is not None
    assert command.name == name
    assert f"i2s-sdk {name}" in (command.help or "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evalaute"], "did you mean 'evaluate'"),
        (["evaluate", "--modle", "oracle"], "--model"),
        (["evaluate", "--model", "orcale"], "did you mean 'oracle'"),
        (["evaluate", "--model", "replay:/nowhere.jsonl"], "/nowhere.jsonl"),
        (["evaluate", "--data", "/nowhere"], "/nowhere/instances.jsonl"),
        (["evaluate", "--task", "latx"], "did you mean 'latex'"),
        (["evaluate", "--limit", "0"], "--limit 0"),
        (["evaluate", "--subset", "equatoin"], "did you mean 'equation'"),
        (["evaluate", "--sample-id", "equation-gaussian-posteriori"], "did you mean"),
        (["evaluate", "--shard", "4/3"], "--shard 4/3"),
        (["evaluate", "--dry-run", "--model", "orcale"], "did you mean 'oracle'"),
        (["evaluate", "--dry-run", "--model", "openai/"], "lacks a part"),
        (["evaluate", "--fail-on-error", "some"], "--fail-on-error"),
        (["generate", "--model", "orcale"], "did you mean 'oracle'"),
        (["render-run", "/nowhere"], "/nowhere holds no run"),
        (["score-run", "/nowhere"], "/nowhere holds no run"),
        (["evaluate", "--jobs", "many"], "--jobs"),
        (["evaluate", "--render-latex-at", "here"], "here"),
        (["render", "latx", "-", "--json"], "did you mean 'latex'"),
        (["render", "latex", "/nowhere.tex", "--json"], "/nowhere.tex"),
        (["render", "latex", "-"], "-o PNG"),
        (["render", "html", "/nowhere", "--json"], "/nowhere"),
        (["render", "html", "-", "--json"], "the completion is empty"),
        (["render", "html", "x", "--json", "--viewport", "wide"], "--viewport wide"),
        (["render", "lilypond", "-"], "-o PNG"),
        (["evaluate", "--set", "tls_cert=a.pem"], "--set tls_key"),
        (["evaluate", "--set", "deadline"], "--set deadline"),
        (["evaluate", "--set", "deadline=soon"], "--set deadline: 'soon' is not a number"),
        (["evaluate", "--set", "dead_line=1"], "no setting is called 'dead_line'"),
        (["score", "/nowhere", "/nowhere", "--missing", "maybe"], "--missing"),
        (["score", "/nowhere.png", "/nowhere.png"], "/nowhere.png"),
        (["score", "a.png", "b.png", "--task", "webpages"], "did you mean 'webpage'"),
        (["doctor", "--config", "/nowhere.toml"], "/nowhere.toml"),
    ],
)
def test_wrong_use_is_told_with_exit_code_2_and_leaves_nothing(
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("I2S_EXAMPLES", str(EXAMPLES))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


def test_print_config_shows_what_is_in_force(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("I2S_METRICS", "10.0.0.1:7740")
    assert run(["evaluate", "--profile", "helm", "--print-config"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert 'profile = "helm"' in lines
    assert 'metrics = "10.0.0.1:7740"' in lines
    assert "# render_latex is not set" in lines


def test_the_same_command_has_the_same_folder_and_others_have_others() -> None:
    assert default_folder(None, "oracle", "paper") == Path("runs/examples-oracle-paper")
    assert default_folder("/data/my set", "replay:a/b.jsonl", "helm") == Path(
        "runs/my-set-replay-a-b.jsonl-helm"
    )
    assert default_folder("hf:a/b", "oracle", "paper", "1/3") == Path("runs/hf-a-b-oracle-paper-shard-1-3")


def test_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("i2s-sdk, version ")


def test_a_command_of_a_package_that_cannot_be_used_is_left_out_of_the_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = EntryPoint("broken", "no_such_package:command", "i2s_sdk.commands")
    monkeypatch.setattr(sys.modules[run.__module__], "plugins", lambda group: {"broken": broken})
    assert run(["--help"]) == 0
    assert "broken" not in capsys.readouterr().out
    assert run(["broken"]) == 2
    assert "no_such_package" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "extra"), [(["collect"], "collect"), (["http"], "http"), (["dataset", "push"], "collect")]
)
def test_a_command_of_a_package_that_is_not_installed_names_its_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], extra: str
) -> None:
    monkeypatch.setattr(sys.modules[run.__module__], "plugins", lambda group: {})
    assert run(words) == 2
    assert install_command(f"i2s-sdk[{extra}]") in capsys.readouterr().err
