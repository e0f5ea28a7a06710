"""``i2s.toml`` of a working folder names no program and nobody to talk to, unless it is named itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.cli.main import run
from i2s_sdk.errors import SettingsError
from i2s_sdk.settings import Settings
from tiny_formulas import write_tiny_formulas

REACHING = [
    ('prompts = "prompts.toml"', "prompts"),
    ('[evaluate]\nprompts = "prompts.toml"\n[generate]\nprompts = "prompts.toml"', "[evaluate] prompts"),
    ('[evaluate]\nset = ["prompts=prompts.toml"]', "[evaluate] set"),
    ('metrics = "10.0.0.1:7740"', "metrics"),
    ('render_html = "10.0.0.1:7740"', "render_html"),
    ('tls_ca = "ca.pem"', "tls_ca"),
    ('[evaluate]\nmodel = "command:./steal"', "[evaluate] model"),
    ('[generate]\nmodel = "command:./steal"', "[generate] model"),
    ('[evaluate]\nmodel = "hf/data"', "[evaluate] model"),
    ('[evaluate]\nmodel = "inspect/hf/data"', "[evaluate] model"),
    ('[evaluate]\nmodel = ["openai/gpt-4o", "inspect/hf/./data"]', "[evaluate] model"),
    ('[evaluate]\nmodel = "inspect/vllm/data"', "[evaluate] model"),
    ('[evaluate]\nmodel = "inspect/vllm/Qwen/Qwen3-VL:data"', "[evaluate] model"),
    ('[evaluate]\nmodel = "inspect/vllm/data:org/adapter"', "[evaluate] model"),
    ('[evaluate]\nmodel = "inspect/vllm-completions/org/base:./data@main"', "[evaluate] model"),
    ('[evaluate]\nmodel = "inspect/sglang/data"', "[evaluate] model"),
    ('[evaluate]\nmodel = "inspect/nnterp/data"', "[evaluate] model"),
    ('[evaluate]\nmodel = "inspect/of-another-package/data"', "[evaluate] model"),
    ('[evaluate]\nbase-url = "http://10.0.0.1/v1"', "[evaluate] base-url"),
    ('[evaluate]\nbase_url = "http://10.0.0.1/v1"', "[evaluate] base_url"),
    ('[evaluate]\nlog-to = "mlflow:http://10.0.0.1"', "[evaluate] log-to"),
    ('other_renderers = "render-pillow=10.0.0.1:7790"', "other_renderers"),
    ('[evaluate]\nkey-env = "AWS_SECRET_ACCESS_KEY"', "[evaluate] key-env"),
    ('[evaluate]\nmetrics-at = "10.0.0.1:7740"', "[evaluate] metrics-at"),
    ('[evaluate]\nset = ["jobs=2", "render-latex = 10.0.0.1:7740"]', "[evaluate] set"),
    ('[evaluate]\nout = "s3://bucket/run"', "[evaluate] out"),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a program that leaves a mark where it runs."""
    write_tiny_formulas(tmp_path / "data", 1)
    program = tmp_path / "steal"
    program.write_text("#!/bin/sh\ntouch ran\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("I2S_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize(("content", "key"), REACHING)
def test_what_reaches_out_is_refused_in_one_line_that_names_the_key(
    folder: Path, capsys: pytest.CaptureFixture[str], content: str, key: str
) -> None:
    (folder / "i2s.toml").write_text(content + "\n")
    for command in ("evaluate", "generate"):
        assert (
            run(
                [command, "--data", "data", "--dry-run"]
                if command == "evaluate"
                else [command, "--data", "data"]
            )
            == 2
        )
        told = capsys.readouterr().err
        assert told.startswith(f"error: i2s.toml: {key} names ")
        assert "--config ./i2s.toml" in told
        assert told.count("\n") == 1
    assert not (folder / "ran").exists()


def test_a_file_that_is_named_may_say_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "i2s.toml").write_text('metrics = "10.0.0.1:7740"\n')
    with pytest.raises(SettingsError, match="metrics"):
        Settings.load()
    assert Settings.load(config=Path("i2s.toml")).metrics == "10.0.0.1:7740"
    monkeypatch.setenv("I2S_CONFIG", "i2s.toml")
    assert Settings.load().metrics == "10.0.0.1:7740"


def test_everything_else_counts_as_before(folder: Path) -> None:
    (folder / "i2s.toml").write_text(
        'jobs = 3\nprofile = "helm"\n[evaluate]\nmodel = "openai/gpt-4o"\nout = "runs/a"\n'
    )
    assert Settings.load().jobs == 3


@pytest.mark.parametrize(
    "model",
    ["hf/org/data", "inspect/hf/org/data", "inspect/openai/gpt-4o", "inspect/vllm/org/base:org/adapter"],
)
def test_the_name_of_a_model_that_is_no_path_here_may_be_said(folder: Path, model: str) -> None:
    (folder / "i2s.toml").write_text(f'jobs = 3\n[evaluate]\nmodel = "{model}"\n')
    assert Settings.load().jobs == 3


def test_the_name_of_a_model_that_is_too_long_for_a_path_is_none(folder: Path) -> None:
    (folder / "i2s.toml").write_text(f'jobs = 3\n[evaluate]\nmodel = "inspect/hf/{"x" * 5_000}"\n')
    assert Settings.load().jobs == 3


def test_a_flag_and_the_environment_are_stronger_than_the_file(folder: Path) -> None:
    (folder / "i2s.toml").write_text("jobs = 3\n")
    (folder / "own.toml").write_text("jobs = 4\n")
    assert Settings.load(config=Path("own.toml"), environ={}).jobs == 4
    assert Settings.load(config=Path("own.toml"), environ={"I2S_JOBS": "5"}).jobs == 5
    assert Settings.load({"jobs": 6}, config=Path("own.toml"), environ={"I2S_JOBS": "5"}).jobs == 6
