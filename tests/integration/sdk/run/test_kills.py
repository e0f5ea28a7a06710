"""Runs that are killed at any moment and started again: nothing lost, nothing twice, the same numbers."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from chat_server import ChatServer
from i2s_sdk.run.storage.folder import (
    ANSWERS,
    APPENDED,
    CALLS,
    RECORDS,
    RENDERINGS,
    RESULTS,
    image_name,
    read_records,
)
from i2s_sdk.run.storage.index import read_lines, unanswered_calls
from i2s_sdk.run.storage.interface import open_storage
from sdk_command import answer_of
from tiny_formulas import TinyFormulas, write_tiny_formulas

pytestmark = pytest.mark.integration


def _command(data: Path, model: str, out: str, *more: str) -> list[str]:
    words = ["evaluate", "--data", str(data), "--model", model, "--out", out, "--json", *more]
    return [sys.executable, "-m", "i2s_sdk.cli", *words]


def _out(run: Path, kind: str) -> str:
    """Return how a run in a folder is named: by its path, or by a URL that leads through fsspec."""
    return str(run) if kind == "folder" else run.as_uri()


def _lines(out: str) -> int:
    """Return how many lines a run has kept in all its files."""
    storage = open_storage(out)
    return sum(1 for name in APPENDED for _ in storage.lines(name))


def _kill_at(command: list[str], environment: dict[str, str], out: str, moment: int) -> bool:
    """Start a command and kill it once the run has so many lines; return whether it was still at work."""
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as one:
        while one.poll() is None and _lines(out) < moment:
            time.sleep(0.01)  # a look, not a wait for something
        one.kill()
    return one.returncode == -9


def _once_each(out: str, data: TinyFormulas) -> None:
    """Assert that each file has each sample once, and that every image is whole."""
    storage = open_storage(out)
    for name in (ANSWERS, RENDERINGS, RECORDS):
        found = Counter(line["id"] for line in read_lines(storage.lines(name)))
        assert found == Counter(data.ids), name
    for record in read_records(storage).values():
        for digest in filter(None, (record.instance.reference_sha256, record.rendering.sha256)):
            assert hashlib.sha256(storage.read(image_name(digest))).hexdigest() == digest


#: Small segments, so that a kill meets many moments of their lives.
_HASTY = {"I2S_STORE_SECONDS": "0.05", "I2S_STORE_LINES": "7", "I2S_LEASE_SECONDS": "2"}


@pytest.mark.parametrize(
    ("kind", "samples", "kills"),
    [
        ("folder", 60, 5),
        pytest.param(
            *("store", 60, 5),
            marks=pytest.mark.nightly(instead="the same in a folder, and a killed run in a bucket (test_s3)"),
        ),
        pytest.param(
            *("folder", 300, 10),
            marks=pytest.mark.nightly(instead="the same with 60 samples and 5 kills"),
        ),
    ],
)
@pytest.mark.timeout(1200)
def test_killed_at_many_moments_a_run_ends_with_the_bytes_of_an_undisturbed_one(
    tmp_path: Path, light_endpoints: dict[str, str], kind: str, samples: int, kills: int
) -> None:
    data = write_tiny_formulas(tmp_path / "data", samples)
    answers = tmp_path / "answers.jsonl"
    rows = ({"id": name, "completion": text} for name, text in data.answers().items())
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    environment = {**os.environ, **light_endpoints, **_HASTY}
    out, quiet = _out(tmp_path / "disturbed", kind), str(tmp_path / "quiet")
    cached = {
        **environment,
        "I2S_RENDER_CACHE": "yes",
        "I2S_SCORE_CACHE": "yes",
        "I2S_EVALUATION_CACHES": str(tmp_path / "caches"),
    }
    disturbed = _command(data.folder, f"replay:{answers}", out)
    moments = sorted(random.Random(3).sample(range(3 * samples), kills))
    killed = [_kill_at(disturbed, cached, out, moment) for moment in moments]
    assert all(killed)
    answer_of(disturbed, cached)
    answer_of(_command(data.folder, f"replay:{answers}", quiet), environment)
    for one in (out, quiet):
        _once_each(one, data)
    assert open_storage(out).read(RESULTS) == open_storage(quiet).read(RESULTS)


@pytest.mark.parametrize(
    "kind",
    [
        "folder",
        pytest.param(
            "store",
            marks=pytest.mark.nightly(instead="the same in a folder, and a killed run in a bucket (test_s3)"),
        ),
    ],
)
def test_no_call_that_was_answered_is_made_again_and_those_cut_off_are_named(
    tmp_path: Path, light_endpoints: dict[str, str], kind: str
) -> None:
    pytest.importorskip("openai")
    data = write_tiny_formulas(tmp_path / "data", 40)
    out = _out(tmp_path / "run", kind)
    with ChatServer(
        data.answers(), data.questions, lambda question, before: "answer:0.05"
    ).serving() as server:
        options = ["--base-url", server.base, "--cache", "none", "--model-jobs", "4"]
        command = _command(data.folder, "openai/tiny", out, *options)
        environment = {**os.environ, **light_endpoints, "I2S_LEASE_SECONDS": "2"}
        kept: Counter[str] = Counter()
        for moment in (1, 30, 75, 120):
            assert _kill_at(command, environment, out, moment)
            for line in read_lines(open_storage(out).lines(ANSWERS)):
                kept.setdefault(line["id"], server.came[line["id"]])
        document = answer_of(command, environment)
        assert all(server.came[name] == before for name, before in kept.items())
        storage = open_storage(out)
        cut_off = unanswered_calls(storage.lines(CALLS), storage.lines(ANSWERS))
        assert document["unanswered_calls"] == cut_off
        assert 0 < cut_off.total() <= 4 * 4  # what four starts had in flight
        begun = Counter(line["id"] for line in read_lines(storage.lines(CALLS)))
        assert begun - cut_off == Counter(data.ids)
        assert all(server.came[name] <= begun[name] for name in data.ids)
        _once_each(out, data)


#: The command with a process that kills itself when it is to write its fifth answer, which is in the cache.
_KILLED_BEFORE_THE_FIFTH_ANSWER = """
import os, signal, sys
from i2s_sdk.cli.main import main
from i2s_sdk.run.storage.folder import RunFolder

put, count = RunFolder.put_answer, 0

def put_or_die(folder, identity, answer):
    global count
    count += 1
    if count == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    put(folder, identity, answer)

RunFolder.put_answer = put_or_die
main()
"""


def test_killed_between_cache_and_answers_a_run_has_the_numbers_and_the_bill_of_an_undisturbed_one(
    tmp_path: Path, light_endpoints: dict[str, str]
) -> None:
    pytest.importorskip("openai")
    data = write_tiny_formulas(tmp_path / "data", 12)
    environment = {**os.environ, **light_endpoints}
    with ChatServer(data.answers(), data.questions).serving() as server:
        prices = tmp_path / "prices.toml"
        prices.write_text(f'[servers."{server.base}"]\n"openai/tiny" = {{ in = 2.0, out = 8.0 }}\n')

        def command(name: str) -> list[str]:
            options = ["--base-url", server.base, "--cache", str(tmp_path / f"cache of {name}")]
            options += ["--model-jobs", "1", "--prices", str(prices)]
            return _command(data.folder, "openai/tiny", str(tmp_path / name), *options)

        killed = [sys.executable, "-c", _KILLED_BEFORE_THE_FIFTH_ANSWER, *command("disturbed")[3:]]
        assert subprocess.run(killed, env=environment, capture_output=True, check=False).returncode == -9
        came = server.came.total()
        storage = open_storage(str(tmp_path / "disturbed"))
        assert len(list(read_lines(storage.lines(ANSWERS)))) == 4 == came - 1
        document = answer_of(command("disturbed"), environment)
        assert set(server.came.values()) == {1}
        assert document["unanswered_calls"] == {}
        quiet = answer_of(command("quiet"), environment)
    assert storage.read(RESULTS) == (tmp_path / "quiet" / RESULTS).read_bytes()
    assert document["spending"] == quiet["spending"]
    assert (quiet["spending"]["cached"], quiet["spending"]["calls"]) == (0, 12)  # type: ignore[index]
