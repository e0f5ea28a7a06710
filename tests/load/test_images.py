"""An image that is started on a busy machine passes its self-test and canary, and has the same labels."""

from __future__ import annotations

import json

import pytest

import docker_engine
from docker_engine import ROOT, Engine, NoEngineError
from load_parts import chosen_images

SECONDS = 1800  # for each image
REVISION = "org.opencontainers.image.revision"


def labels(engine: Engine, image: str) -> dict[str, str]:
    """Return the labels of an image, which hold the verdict of its canary on the machine that built it."""
    asked = engine.docker("image", "inspect", "--format", "{{json .Config.Labels}}", image, check=False)
    try:
        found: dict[str, str] = json.loads(asked)
    except ValueError:
        docker_engine.lacks(f"there is no image {image}; build it with: make images")
    return found


@pytest.mark.timeout(6 * SECONDS)
@pytest.mark.parametrize("names", chosen_images(), ids=" ".join)
def test_what_images_record_of_themselves_is_that_of_a_quiet_machine(names: tuple[str, ...]) -> None:
    try:
        with docker_engine.engine() as engine:
            for name in names:
                before = labels(engine, f"i2s-{name}:latest")
                assert any(label.startswith("org.image2struct.") for label in before)
                environment = {**engine.environment, "REVISION": before[REVISION]}
                command = [str(ROOT / "deploy/images/record"), name]
                docker_engine.run(command, environment, seconds=SECONDS)
                assert labels(engine, f"i2s-{name}:latest") == before
    except NoEngineError as reason:
        docker_engine.lacks(reason)
