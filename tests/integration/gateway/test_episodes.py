"""Episodes of ``i2s-sdk http`` in front of real services, over a kill of the gateway."""

from __future__ import annotations

import base64
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway_process import gateway_process
from i2s_sdk import Settings
from i2s_sdk.data import Instance, read_folder
from i2s_training import Episode, RoundTripReward

pytestmark = pytest.mark.integration

SERVICES = ("render-latex", "metrics")
OPTIONS = {"normalize": True, "clip": True, "turns": 4}


@pytest.fixture(scope="module")
def posterior(running: Settings) -> Instance:
    assert running.examples is not None
    return read_folder(running.examples).instances[0]


@pytest.fixture(scope="module")
def reward(running: Settings) -> Iterator[RoundTripReward]:
    opened = RoundTripReward(normalize=True, clip=True, settings=running)
    yield opened
    opened.close()


def test_an_episode_goes_on_after_a_kill_with_the_rewards_of_python(
    light_endpoints: dict[str, str], posterior: Instance, reward: RoundTripReward, tmp_path: Path
) -> None:
    assert isinstance(posterior.structure, Path)
    assert posterior.image is not None
    truth = posterior.structure.read_text()
    answers = [truth.replace(r"\tau", r"\taux"), truth.replace(r"\tau", "x"), truth]
    episode = Episode(reward, posterior.image, floor=0.5, turns=4)
    question = episode.reset()
    wanted = [episode.step(answer) for answer in answers]
    image = base64.b64encode(posterior.image.read_bytes()).decode()
    words = (*SERVICES, "--store", str(tmp_path / "store"))
    with gateway_process(tmp_path, light_endpoints, *words) as (process, client):
        said = client.post("/v1/references", json={"references": [{"image": image}]}).json()
        opening = {"reference": {"digest": said["digests"][0]}, "floor": 0.5, **OPTIONS}
        made = client.post("/v1/episodes", json=opening).json()
        assert made["messages"] == question.messages
        assert made["image"] == image
        path = f"/v1/episodes/{made['id']}"
        first = client.post(f"{path}/step", json={"completion": answers[0]}).json()
        process.send_signal(signal.SIGKILL)
        process.wait()
    with gateway_process(tmp_path, light_endpoints, *words) as (_, client):
        assert client.get(path).json()["turn"] == 1
        later = [client.post(f"{path}/step", json={"completion": answer}).json() for answer in answers[1:]]
        done = client.post(f"{path}/step", json={"completion": "DONE"}).json()
    for step, found in zip(wanted, [first, *later], strict=True):
        assert found["step"]["value"] == pytest.approx(step.reward)
        seen = found["observation"]
        assert (seen["verdict"], seen["messages"]) == (step.verdict, step.messages)
        assert seen["rendering"] == (base64.b64encode(step.rendering).decode() if step.rendering else None)
    assert done["reward"]["value"] == pytest.approx(1.0)
    assert done["done"] is True
