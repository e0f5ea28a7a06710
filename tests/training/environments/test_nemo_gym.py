"""The resources server in NeMo Gym's own application: the rewards of ``/verify``, and masked rows."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("nemo_gym", reason="nemo-gym needs Python 3.13.14")

import nemo_gym_server
from fastapi.testclient import TestClient
from nemo_gym.config_types import BaseServerConfig
from nemo_gym.server_utils import ServerClient
from omegaconf import OmegaConf

from i2s_sdk.data import Instance


def client_of(**config: Any) -> TestClient:
    head = BaseServerConfig(host="127.0.0.1", port=1)
    server = nemo_gym_server.RoundTripResourcesServer(
        config=nemo_gym_server.RoundTripConfig(
            host="127.0.0.1", port=1, entrypoint="", domain="other", name="i2s", **config
        ),
        server_client=ServerClient(head_server_config=head, global_config_dict=OmegaConf.create({})),
    )
    return TestClient(server.setup_webserver())


def row(instance: str, answer: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": answer, "annotations": []}]
    message = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": content}
    return {
        "instance": instance,
        "responses_create_params": {"input": [{"role": "user", "content": "read"}]},
        "response": {
            "id": "r",
            "object": "response",
            "created_at": 0,
            "model": "m",
            "output": [message],
            "parallel_tool_calls": False,
            "tool_choice": "none",
            "tools": [],
        },
    }


@pytest.mark.usefixtures("found_by_name")
def test_responses_are_verified(posterior: Instance, truth: str, broken: str) -> None:
    client = client_of()
    good, bad = (client.post("/verify", json=row(posterior.id, one)).json() for one in (truth, broken))
    assert (good["reward"], good["verdict"], good["mask_sample"]) == (pytest.approx(1.0), "RENDERED", False)
    assert (bad["reward"], bad["verdict"], bad["mask_sample"]) == (0.0, "COMPILE_ERROR", False)
    assert bad["first_error"]


def test_a_response_that_no_service_judged_is_masked(
    monkeypatch: pytest.MonkeyPatch, posterior: Instance, truth: str
) -> None:
    for name, value in (("RENDER_LATEX", "127.0.0.1:9"), ("METRICS", "127.0.0.1:9")):
        monkeypatch.setenv(f"I2S_{name}", value)
    monkeypatch.setenv("I2S_RETRY_SECONDS", "0.1")
    monkeypatch.setenv("I2S_START_SECONDS", "0.1")
    masked = client_of().post("/verify", json=row(posterior.id, truth)).json()
    assert masked["mask_sample"] is True
    assert "127.0.0.1:9" in masked["failure_reason"]
    assert masked["_ng_failure_class"] == "judge_failed"
