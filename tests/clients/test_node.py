"""The client for Node, as somebody without Python uses it: the packages of its lock file, real services."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from i2s_chassis.callers.access import new_token, token_line
from i2s_chassis.contract.process import started
from i2s_sdk import score
from kept_services import kept_services

pytestmark = pytest.mark.integration

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/clients/node"
SECONDS = 600
GOOD = "\\documentclass{article}\\begin{document}\\thispagestyle{empty}$a^2 + b^2$\\end{document}"
BAD = GOOD.replace("$a^2", "\\nothing $a^2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The example with its packages."""
    npm = shutil.which("npm")
    assert npm is not None, "npm is not installed; it comes with Node.js"
    folder = tmp_path_factory.mktemp("node")
    for file in EXAMPLE.iterdir():
        if file.is_file():
            shutil.copy(file, folder)
    subprocess.run([npm, "ci", "--ignore-scripts", "--no-fund"], cwd=folder, check=True, timeout=SECONDS)
    return folder


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    with kept_services(tmp_path_factory.mktemp("logs"), dict(os.environ)) as settings:
        yield settings


@pytest.fixture(scope="module")
def reference(folder, services):
    """An image of the good document, drawn through the client."""
    (folder / "first.tex").write_text(GOOD)
    shutil.copy(ROOT / "examples/references/algorithm-beam-search.png", folder / "any.png")
    run(folder, services, "first.tex", "any.png")
    return (folder / "rendering.png").rename(folder / "reference.png")


def run(folder, services, *words, code=0, **more):
    environment = {
        "PATH": os.environ["PATH"],
        "I2S_PROTOS": str(ROOT / "protos"),
        "I2S_RENDER_LATEX": services.render_latex,
        "I2S_METRICS": services.metrics,
        **more,
    }
    ended = subprocess.run(
        ["node", "render_and_score.mjs", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode == code, ended.stderr
    return json.loads(ended.stdout) if code == 0 else ended.stderr


def test_the_values_are_those_of_the_sdk(folder, services, reference):
    (folder / "other.tex").write_text(GOOD.replace("b^2", "c^3"))
    told = run(folder, services, "other.tex", reference.name)
    assert told["verdict"] == "RENDERED"
    assert (
        told["metrics"]
        == score(reference, folder / "rendering.png", metrics=["ems", "ssim"], settings=services).values
    )
    assert told["metrics"]["ems"] < 1


def test_what_a_source_does_wrong_is_a_verdict_and_no_error(folder, services, reference):
    (folder / "bad.tex").write_text(BAD)
    told = run(folder, services, "bad.tex", reference.name)
    assert told["verdict"] == "COMPILE_ERROR"
    assert told["error"] == {"line": 1, "message": "Undefined control sequence."}
    assert "metrics" not in told


def test_a_service_that_is_not_there_and_a_token_without_tls_are_errors(folder, services, reference):
    (folder / "good.tex").write_text(GOOD)
    assert "UNAVAILABLE" in run(
        folder, services, "good.tex", reference.name, code=1, I2S_METRICS="127.0.0.1:1"
    )
    assert "without TLS" in run(folder, services, "good.tex", reference.name, code=1, I2S_TOKEN="secret")


def test_tls_and_tokens(folder, services, reference, tmp_path):
    pair = ("-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem")
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    name = ("-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost")
    subprocess.run(["openssl", "req", "-x509", *curve, *pair, *name], check=True, capture_output=True)
    token = new_token()
    (tmp_path / "access.toml").write_text(f'[callers.me]\ntokens = ["{token_line(token)}"]\n')
    options = (
        *("--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem")),
        *("--access-file", str(tmp_path / "access.toml"), "--health-listen", "127.0.0.1:0"),
    )
    # The verdict is asked for alone: one service with TLS is enough.
    (folder / "bad.tex").write_text(BAD)
    with started("i2s_render_latex", tmp_path, options) as renderer:
        chosen = {"I2S_RENDER_LATEX": renderer.address, "I2S_TLS_CA": str(tmp_path / "cert.pem")}
        assert "UNAUTHENTICATED" in run(folder, services, "bad.tex", reference.name, code=1, **chosen)
        told = run(folder, services, "bad.tex", reference.name, **chosen, I2S_TOKEN=token)
        assert told["verdict"] == "COMPILE_ERROR"
