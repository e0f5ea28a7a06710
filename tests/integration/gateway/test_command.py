"""``i2s-sdk http`` in front of real services, as a client without gRPC uses it."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from gateway_process import COMMAND, PATIENCE, gateway_process
from i2s_chassis.callers.access import new_token, token_line
from i2s_chassis.contract.process import started, wait_until_serving
from i2s_sdk import render_latex, score

pytestmark = pytest.mark.integration

PNG = {"Accept": "image/png"}


def document(body):
    return f"\\documentclass{{article}}\\begin{{document}}\\thispagestyle{{empty}}{body}\\end{{document}}"


@pytest.fixture(scope="module")
def client(light_endpoints, tmp_path_factory):
    with gateway_process(tmp_path_factory.mktemp("gateway"), light_endpoints, "render-latex", "metrics") as (
        _,
        one,
    ):
        yield one


def encoded(png):
    return {"data": base64.b64encode(png).decode()}


def test_pictures_and_values_are_those_of_grpc(client, running_without_networks, tmp_path):
    files = []
    for number, body in enumerate(("$a^2 + b^2 = c^2$", "$a^2 - b^2 = c^3$")):
        told = client.post("/v1/render", json={"latex": {"document_text": document(body)}}).json()
        (picture,) = told["pictures"]
        alone = client.post("/v1/render", json={"latex": {"document_text": document(body)}}, headers=PNG)
        assert hashlib.sha256(alone.content).hexdigest() == picture["sha256"]
        direct = render_latex(document(body), settings=running_without_networks)
        assert direct.png == alone.content
        files.append(tmp_path / f"{number}.png")
        files[-1].write_bytes(alone.content)
    wanted = score(files[0], files[1], metrics=["ems", "ssim"], settings=running_without_networks)
    body = {
        "reference": encoded(files[0].read_bytes()),
        "prediction": encoded(files[1].read_bytes()),
        "metrics": ["ems", "ssim"],
        "profile": "PROFILE_PAPER",
    }
    said = client.post("/v1/score", json=body).json()
    assert {result["name"]: result["value"] for result in said["results"]} == wanted.values


def test_what_the_source_does_wrong_is_a_verdict(client):
    body = {"latex": {"document_text": document("\\nothing")}}
    answer = client.post("/v1/render", json=body)
    assert (answer.status_code, answer.json()["verdict"]) == (200, "VERDICT_COMPILE_ERROR")
    assert answer.json()["error"]["undefined"]["name"] == "nothing"
    alone = client.post("/v1/render", json=body, headers=PNG)
    assert (alone.status_code, alone.headers["X-I2S-Verdict"]) == (422, "COMPILE_ERROR")


def test_refusals_of_a_service_are_told_in_its_words(client):
    body = {"latex": {"document_text": "x"}, "options": {"page": {"dpi": -1}}}
    answer = client.post("/v1/render", json=body)
    assert (answer.status_code, answer.json()["error"]["status"]) == (400, "INVALID_ARGUMENT")
    assert "dpi" in answer.json()["error"]["message"]


def test_answers_are_as_they_are_described(client):
    described = client.get("/openapi.json").json()
    schemas = {"$defs": described["components"]["schemas"]}
    text = json.dumps(schemas).replace("#/components/schemas/", "#/$defs/")
    bodies = {
        "i2s.render.v1.RenderResponse": client.post(
            "/v1/render", json={"latex": {"document_text": document("x")}, "options": {"latex": {}}}
        ),
        "i2s.render.v1.DescribeResponse": client.get("/v1/services/render-latex"),
        "i2s.metrics.v1.DescribeResponse": client.get("/v1/services/metrics"),
        "Error": client.post("/v1/render", json={}),
    }
    for name, answer in bodies.items():
        Draft202012Validator({**json.loads(text), "$ref": f"#/$defs/{name}"}).validate(answer.json())


def test_it_ends_at_a_signal_with_services_that_it_started(tmp_path):
    with gateway_process(tmp_path, {}, "metrics") as (process, client):
        assert client.get("/v1/health").json()["services"] == {"metrics": "SERVING"}
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert children
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert told.endswith("stopped\n")
    assert not (tmp_path / "announcement.json").exists()
    assert not any(Path(f"/proc/{pid}").exists() for pid in children)


@contextlib.contextmanager
def killed_service(folder, address):
    """Have a renderer at an address until the end of the block, at which it is killed."""
    announcement, log = folder / "announcement", folder / "log"
    command = [sys.executable, "-m", "i2s_render_python", "serve", "--listen", address, "--slots", "2"]
    with (
        log.open("wb") as stderr,
        subprocess.Popen([*command, "--announce", str(announcement)], stderr=stderr) as process,
    ):
        try:
            wait_until_serving(process, announcement, log)
            yield
        finally:
            process.kill()
            announcement.unlink(missing_ok=True)


def test_a_killed_service_costs_no_caller_an_answer(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as held:
        address = f"127.0.0.1:{held.getsockname()[1]}"
    environment = {"I2S_RENDER_PYTHON": address, "I2S_DEADLINE": "600"}
    words = ("render-python", "--wait-seconds", "300")
    with gateway_process(tmp_path, environment, *words) as (_, client), ThreadPoolExecutor(6) as callers:
        assert client.get("/v1/live").status_code == 200
        assert client.get("/v1/health").status_code == 503

        def ask(number):
            program = f"import matplotlib.pyplot as plt\nplt.plot([1, {number}, 2])\n"
            body = {"id": str(number), "python": {"program_text": program}}
            return client.post("/v1/render", json=body, timeout=600)

        asked = [callers.submit(ask, number) for number in range(40)]
        going = set(asked)
        for _ in range(
            3
        ):  # the first requests find nothing, and each life ends while some are being rendered
            with killed_service(tmp_path, address):
                for _ in range(4):
                    _, going = wait(going, return_when=FIRST_COMPLETED)
            assert going
        with killed_service(tmp_path, address):
            wait(going)
        answers = [one.result() for one in asked]
    assert {answer.status_code for answer in answers} == {200}
    told = [answer.json() for answer in answers]
    assert [(one["id"], one["verdict"]) for one in told] == [(str(n), "VERDICT_RENDERED") for n in range(40)]


def test_tokens_are_asked_for_by_the_service_and_passed_on(tmp_path):
    token = new_token()
    access = tmp_path / "access.toml"
    access.write_text(f'[callers.me]\ntokens = ["{token_line(token)}"]\n')
    with (
        started("i2s_metrics", tmp_path, ["--access-file", str(access)]) as service,
        gateway_process(tmp_path, {"I2S_METRICS": service.address}, "metrics") as (_, client),
    ):
        assert client.get("/v1/health").status_code == 200
        stranger = client.get("/v1/services/metrics")
        assert (stranger.status_code, stranger.json()["error"]["status"]) == (401, "UNAUTHENTICATED")
        assert client.get("/v1/services/metrics", headers={"Authorization": f"Bearer {token}"}).json()[
            "metrics"
        ]
        assert client.get("/v1/services/metrics", headers={"Authorization": "Bearer x"}).status_code == 401
        shown = [line for line in service.log.read_text().splitlines() if token in line]
        assert shown == []


def certificate(folder, name):
    """Make a certificate of this machine, and its key."""
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    files = ("-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem")
    subject = ("-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1")
    subprocess.run(["openssl", "req", "-x509", *curve, *files, *subject], check=True, capture_output=True)
    return folder / f"{name}.pem", folder / f"{name}.key"


@pytest.mark.nightly(instead="a renewed certificate is taken up in tests/unit/gateway/test_renewal.py")
def test_a_renewed_certificate_is_shown_to_services_too(tmp_path):
    server, *ours = (certificate(tmp_path, name) for name in ("server", "before", "after"))
    (tmp_path / "authorities.pem").write_bytes(b"".join(one.read_bytes() for one, _ in ours))
    access = tmp_path / "access.toml"
    access.write_text('[callers.gateway]\ncertificates = ["after"]\n')
    options = (
        "--tls-cert",
        server[0],
        "--tls-key",
        server[1],
        "--tls-client-ca",
        tmp_path / "authorities.pem",
    )
    words = (*options, "--access-file", access, "--health-listen", "127.0.0.1:0")
    shown = [
        shutil.copy(one, tmp_path / name) for one, name in zip(ours[0], ("tls.crt", "tls.key"), strict=True)
    ]
    with started("i2s_metrics", tmp_path, [str(word) for word in words]) as service:
        settings = {"I2S_TLS_CA": server[0], "I2S_TLS_CERT": shown[0], "I2S_TLS_KEY": shown[1]}
        environment = {
            "I2S_METRICS": service.address,
            **{name: str(setting) for name, setting in settings.items()},
        }
        with gateway_process(tmp_path, environment, "metrics") as (_, client):
            assert client.get("/v1/services/metrics").status_code == 403
            for one, file in zip(ours[1], shown, strict=True):
                shutil.copy(one, file)
            end = time.monotonic() + PATIENCE
            while client.get("/v1/services/metrics").status_code != 200:
                assert time.monotonic() < end
                time.sleep(1)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--listen", "0.0.0.0:0"), "--https-cert"),
        (("nothing",), "nothing"),
        (("--listen", "here"), "--listen"),
        (("--connections", "0"), "--connections"),
    ],
)
def test_what_cannot_be_served_is_said_at_once(light_endpoints, words, told):
    ended = subprocess.run(
        [COMMAND, "http", *words],
        env={**os.environ, **light_endpoints},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 2
    assert told in ended.stderr
    assert "Traceback" not in ended.stderr
