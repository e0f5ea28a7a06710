"""Episodes behind OpenEnv's own server, client and validator."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import openenv_server
import pytest
from openenv.core import GenericEnvClient

from i2s_sdk import Settings
from i2s_sdk.data import Instance
from i2s_training import RoundTripReward
from served_app import served

pytestmark = pytest.mark.usefixtures("found_by_name")


@pytest.fixture
def url(running: Settings) -> Iterator[str]:
    reward = RoundTripReward(floor=0.5, normalize=True, clip=True, settings=running)
    with served(openenv_server.app(reward, str(running.examples), turns=3)) as address:
        yield address
    reward.close()


def test_its_client_plays_an_episode(url: str, posterior: Instance, truth: str, broken: str) -> None:
    with GenericEnvClient(base_url=url).sync() as client:
        start = client.reset(instance=posterior.id)
        text, image = start.observation["messages"][-1]["content"]
        assert "LaTeX" in text["text"]
        assert image["image_url"]["url"].startswith("data:image/png;base64,")
        assert (start.reward, start.done) == (None, False)
        first = client.step({"completion": broken})
        assert (first.reward, first.done) == (0.0, False)
        assert first.observation["verdict"] == "COMPILE_ERROR"
        assert first.observation["error"]
        assert first.observation["messages"][0]["role"] == "user"
        second = client.step({"completion": truth})
        assert second.reward == pytest.approx(1.0)
        assert base64.b64decode(second.observation["rendering"]).startswith(b"\x89PNG")
        assert client.state()["rewards"] == pytest.approx([0.0, 1.0])
        last = client.step({"completion": "DONE"})
        assert (last.reward, last.done) == (pytest.approx(1.0), True)


def test_sessions_are_apart(url: str, posterior: Instance, truth: str) -> None:
    with GenericEnvClient(base_url=url).sync() as one, GenericEnvClient(base_url=url).sync() as other:
        for client in (one, other):
            client.reset(instance=posterior.id)
        one.step({"completion": truth})
        assert len(one.state()["rewards"]) == 1
        assert other.state()["rewards"] == []


def test_an_answer_that_no_service_judged_has_no_reward(
    running: Settings, posterior: Instance, truth: str
) -> None:
    nobody = "127.0.0.1:9"
    reward = RoundTripReward(
        settings=Settings(
            render_latex=nobody,
            metrics=nobody,
            retry_seconds=0.1,
            start_seconds=0.1,
            examples=running.examples,
        )
    )
    with (
        served(openenv_server.app(reward, str(running.examples))) as address,
        GenericEnvClient(base_url=address).sync() as client,
    ):
        client.reset(instance=posterior.id)
        lost = client.step({"completion": truth})
        assert (lost.reward, lost.done, lost.observation["valid"]) == (None, False, False)
        assert nobody in lost.observation["reason"]
    reward.close()


def test_its_validator_passes_the_server(url: str, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    command = [str(Path(sys.executable).parent / "openenv"), "validate", "--url", url]
    subprocess.run([*command, "--output", str(report)], check=True)
    said = json.loads(report.read_text())
    assert said["passed"]
    assert said["mode"] == "simulation"
