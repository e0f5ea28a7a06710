"""What a service is started with."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from i2s_client.service_table import OWN_SERVICES
from i2s_sdk.errors import CommandMissingError, UnknownNameError
from i2s_sdk.stack.command import child_environment, chosen_services, find_program


def test_a_service_gets_what_is_addressed_to_it_and_nothing_secret() -> None:
    environ = {
        "PATH": "/bin",
        "LC_ALL": "C",
        "OPENAI_API_KEY": "secret",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "I2S_METRICS": "elsewhere:1",
        "I2S_RENDER_LATEX": "elsewhere:1",
        "I2S_RENDER_LATEX_SLOTS": "3",
        "I2S_METRICS_SLOTS": "2",
    }
    kept = child_environment("render-latex", environ)
    assert kept == {"PATH": "/bin", "LC_ALL": "C", "I2S_RENDER_LATEX_SLOTS": "3"}


def test_a_service_exports_its_traces_where_this_process_does_and_under_its_own_name() -> None:
    ours = {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4317"}
    assert child_environment("metrics", {**ours, "OTEL_SERVICE_NAME": "my-evaluation"}) == ours


def test_what_the_stack_decides_is_not_taken_from_the_environment() -> None:
    environ = {"I2S_METRICS_LISTEN": "0.0.0.0:1", "I2S_METRICS_TLS_CERT": "x", "I2S_METRICS_ANNOUNCE": "y"}
    assert child_environment("metrics", environ) == {}


def test_a_command_beside_python_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside, elsewhere = tmp_path / "venv", tmp_path / "path"
    for folder in (beside, elsewhere):
        folder.mkdir()
        (folder / "i2s-metrics").write_text("#!/bin/sh\n")
        (folder / "i2s-metrics").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(beside / "python"))
    monkeypatch.setenv("PATH", str(elsewhere))
    assert find_program("metrics") == beside / "i2s-metrics"
    (beside / "i2s-metrics").unlink()
    assert find_program("metrics") == elsewhere / "i2s-metrics"


def test_a_missing_command_is_told_with_the_way_around_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(CommandMissingError, match=r"i2s-render-latex.*I2S_RENDER_LATEX=host:port"):
        find_program("render-latex")


def test_services_are_named_without_the_word_render_too() -> None:
    assert chosen_services(["python", "render-latex", "latex"]) == ("render-latex", "render-python")
    assert set(chosen_services([])) == OWN_SERVICES
    with pytest.raises(UnknownNameError, match="did you mean 'latex'"):
        chosen_services(["latx"])
