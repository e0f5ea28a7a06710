"""The image of the SDK reads each form of DATA that the documentation offers, or says what is missing."""

import io
import json
import os
import subprocess

import datasets
import pytest
from PIL import Image

from docker_engine import ROOT, run

ROWS = 3
LONG = 1800


@pytest.fixture
def clone(tmp_path):
    """A clone of a repository of the Hub: one subset, as a Parquet file."""
    picture = io.BytesIO()
    Image.new("RGB", (40, 20), "white").save(picture, "PNG")
    strings = dict.fromkeys(("download_url", "text"))
    rows = [
        {
            **strings,
            "uuid": f'"{number}"',
            "category": '"equation"',
            "structure": f"x + {number}",
            "difficulty": "easy",
            "image": {"bytes": picture.getvalue(), "path": None},
        }
        for number in range(ROWS)
    ]
    texts = {name: datasets.Value("string") for name in rows[0] if name != "image"}
    features = datasets.Features({**texts, "image": datasets.Image()})
    folder = tmp_path / "set-latex"
    (folder / "equation").mkdir(parents=True)
    table = datasets.Dataset.from_list(rows, features=features)
    table.to_parquet(folder / "equation" / "validation-00000-of-00001.parquet")
    for path in (tmp_path, folder, folder / "equation"):
        path.chmod(0o755)
    return folder


def evaluate(engine, image, folder, *data):
    """Return how a command of the image ends that only says what a run would do."""
    command = [
        "docker", "run", "--rm", "--network", "none", "--read-only", "--tmpfs", "/tmp:mode=1777",
        "--volume", f"{folder}:/data:ro", image,
        "evaluate", *data, "--model", "oracle", "--dry-run", "--json",
    ]  # fmt: skip
    environment = {**os.environ, **engine.environment}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("data", [(), ("--data", "/data")], ids=["bundled", "folder"])
def test_the_bundled_examples_and_a_folder_are_read(engine, images, data):
    done = evaluate(engine, images["sdk"], ROOT / "examples", *data)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["samples"] > ROWS


def test_the_ordinary_image_says_what_reads_parquet(engine, images, clone):
    done = evaluate(engine, images["sdk"], clone, "--data", "hf:/data?task=latex")
    assert done.returncode == 2
    assert "DATASETS=hub" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.nightly(instead="the message of the ordinary image")
@pytest.mark.timeout(LONG)
def test_the_image_for_the_hub_reads_parquet(engine, images, clone):
    build = {**engine.environment, "DATASETS": "hub", "TAG": "hub"}
    run([str(ROOT / "deploy/images/build"), "sdk"], build, seconds=LONG)
    done = evaluate(engine, "i2s-sdk:hub", clone, "--data", "hf:/data?task=latex")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["samples"] == ROWS
