"""Runs in a bucket: S3's own protocol, spoken by s3fs to a server in another process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from i2s_sdk.run.storage.folder import ANSWERS, CALLS, RECORDS, RENDERINGS, RESULTS
from i2s_sdk.run.storage.index import read_lines
from i2s_sdk.run.storage.interface import open_storage
from sdk_command import answer_of
from tiny_formulas import TinyFormulas, write_tiny_formulas

pytestmark = pytest.mark.integration

SAMPLES = 30

_SERVER = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def bucket() -> Iterator[dict[str, str]]:
    """The variables of a process that may use the bucket "bucket"."""
    pytest.importorskip("moto.server")
    pytest.importorskip("s3fs")
    import boto3

    with subprocess.Popen(
        [sys.executable, "-c", _SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        variables = {
            "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{int(server.stdout.readline())}",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        with pytest.MonkeyPatch.context() as patched:
            for name, value in variables.items():
                patched.setenv(name, value)
            boto3.client("s3").create_bucket(Bucket="bucket")
            yield variables
        server.stdin.close()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> tuple[TinyFormulas, str]:
    """A data set, and the name of a model that answers it."""
    folder = tmp_path_factory.mktemp("data")
    found = write_tiny_formulas(folder / "data", SAMPLES)
    rows = ({"id": name, "completion": text} for name, text in found.answers().items())
    (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return found, f"replay:{folder / 'answers.jsonl'}"


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "i2s_sdk.cli", *words, "--json"]


@pytest.mark.timeout(900)
def test_a_run_in_a_bucket_killed_and_gone_on_with_has_the_bytes_of_a_local_one(
    bucket: dict[str, str],
    data: tuple[TinyFormulas, str],
    light_endpoints: dict[str, str],
    tmp_path: Path,
) -> None:
    formulas, model = data
    environment = {**os.environ, **light_endpoints, **bucket, "I2S_STORE_SECONDS": "0.2"}
    url = "s3://bucket/runs/whole"
    words = ["evaluate", "--data", str(formulas.folder), "--model", model, "--out"]
    with subprocess.Popen(
        _command(*words, url), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as one:
        while one.poll() is None and not list(open_storage(url).lines(RECORDS)):
            time.sleep(0.05)  # a look, not a wait for something
        one.kill()
    assert one.returncode == -9
    document = answer_of(_command(*words, url), environment)
    assert (document["run"], document["report"]) == (url, f"{url}/index.html")
    answer_of(_command(*words, str(tmp_path / "local")), environment)
    storage = open_storage(url)
    assert storage.read(RESULTS) == (tmp_path / "local" / RESULTS).read_bytes()
    for name in (ANSWERS, RENDERINGS, RECORDS):
        found = Counter(line["id"] for line in read_lines(storage.lines(name)))
        assert found == Counter(formulas.ids), name
    assert "lock.json" not in storage.names()


@pytest.mark.nightly(instead="shards in folders (test_shards), and a killed run in a bucket")
@pytest.mark.timeout(900)
def test_shards_in_a_bucket_merge_into_the_bytes_of_one_run(
    bucket: dict[str, str],
    data: tuple[TinyFormulas, str],
    light_endpoints: dict[str, str],
    tmp_path: Path,
) -> None:
    formulas, model = data
    environment = {**os.environ, **light_endpoints, **bucket}
    words = ["evaluate", "--data", str(formulas.folder), "--model", model]
    for index in (1, 2):
        shard = ["--shard", f"{index}/2", "--out", f"s3://bucket/runs/shards/{index}"]
        answer_of(_command(*words, *shard), environment)
    shards = [f"s3://bucket/runs/shards/{index}" for index in (1, 2)]
    answer_of(_command("merge", *shards, "--out", "s3://bucket/runs/merged"), environment)
    answer_of(_command(*words, "--out", str(tmp_path / "local")), environment)
    merged = open_storage("s3://bucket/runs/merged")
    assert merged.read(RESULTS) == (tmp_path / "local" / RESULTS).read_bytes()
    report = answer_of(
        _command("report", "s3://bucket/runs/merged", "--out", str(tmp_path / "report")), environment
    )
    assert Path(str(report["report"])).is_file()
    assert list(read_lines(merged.lines(CALLS))) == []


def test_what_is_wrong_with_a_bucket_is_one_line(bucket: dict[str, str], tmp_path: Path) -> None:
    environment = {**os.environ, **bucket, "I2S_RETRY_SECONDS": "1"}
    data = write_tiny_formulas(tmp_path / "data", 1)
    words = ["generate", "--data", str(data.folder), "--out"]
    for url, changes, code, said in (
        ("s3://no-such-bucket/run", {}, 2, "s3://no-such-bucket/run: writing lock.json failed: "),
        (
            "s3://bucket/run",
            {"AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9"},
            1,
            "tried for 1 s; the same command",
        ),
    ):
        answer = subprocess.run(
            _command(*words, url), env=environment | changes, capture_output=True, text=True, check=False
        )
        assert answer.returncode == code
        assert answer.stderr.startswith("error: ")
        assert said in answer.stderr
        assert answer.stderr.count("\n") == 1
