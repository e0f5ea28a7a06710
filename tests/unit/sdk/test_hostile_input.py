"""What others made is read to a result or to one of the package's own errors, whatever it holds.

Data sets, archives, replay files, settings, price lists, run folders, answers of servers: plain bytes, JSON
of other shapes than expected, and JSON that is nested too deeply.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from i2s_sdk.data.check import check
from i2s_sdk.data.folder import INDEX, read_content, read_folder
from i2s_sdk.data.hub import read_row
from i2s_sdk.errors import I2SError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.site_files import read_repository, read_tar, read_zip
from i2s_sdk.models import anthropic_messages, openai_chat
from i2s_sdk.models.cache import AnswerCache
from i2s_sdk.models.costs import Prices
from i2s_sdk.models.provider import AttemptError
from i2s_sdk.models.replay import open_replay
from i2s_sdk.run.storage.folder import read_run
from i2s_sdk.settings import Settings
from i2s_sdk.stack.state import read_record
from i2s_sdk.stats.aggregate import summarize_run
from questions import complete
from run_folders import make_run

DEEP = b'{"id":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
DEEP_OBJECT = b'{"id":"a","completion":"x","task":' + b'{"a":' * 200_000 + b"1" + b"}" * 200_001

TEXTS = st.text(max_size=8) | st.sampled_from(
    [
        "latex",
        "webpage",
        "music",
        "a",
        "a.png",
        "../a.png",
        "/",
        "\0",
        "\ud800",
        "\x1b[31m",
        "refused",
        "scored",
        "x" * 300,
    ]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS


def shaped(names: list[str]) -> st.SearchStrategy[bytes]:
    """JSON lines whose objects have the names that a reader looks for, with any values."""
    values = st.recursive(
        SCALARS,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*names, "x"]), inner, max_size=4)
        ),
        max_leaves=12,
    )
    lines = st.dictionaries(st.sampled_from(names), values, max_size=len(names)) | values
    return st.lists(lines.map(lambda one: json.dumps(one).encode()), max_size=4).map(b"\n".join)


BYTES = st.binary(max_size=60)
INDEX_LINES = BYTES | shaped(
    ["id", "task", "subset", "image", "difficulty", "structure", "text", "assets", "source", "name", "path"]
)
REPLAY_LINES = BYTES | shaped(["id", "completion", "outcome", "message", "failure", "finish"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.png").write_bytes(b"no picture")
    (tmp_path / "a").write_bytes(b"")
    return tmp_path


@given(INDEX_LINES)
@example(DEEP)
@example(DEEP_OBJECT)
@example(b'{"id":"a","task":"latex","subset":"s","image":"a.png","assets":' + b"[" * 900 + b"]" * 900 + b"}")
@pytest.mark.slow
def test_any_index_is_a_data_set_or_a_fault(folder: Path, raw: bytes) -> None:
    (folder / INDEX).write_bytes(raw)
    for read in (read_folder, check):
        try:
            for instance in read(folder).instances:
                read_content(instance)
        except I2SError as error:
            assert error.message


@given(REPLAY_LINES)
@example(DEEP)
@example(DEEP_OBJECT)
@example(b'{"id":"a","completion":null,"outcome":"refused","failure":"text"}')
@example(b'{"id":"a","completion":null,"outcome":"refused","message":[1]}')
def test_any_replay_file_answers_or_fails_by_a_known_error(folder: Path, raw: bytes) -> None:
    path = folder / "answers.jsonl"
    path.write_bytes(raw)
    for identity in ("a", "a.png", "", "\0"):
        try:
            model = open_replay(str(path))
            completion = asyncio.run(complete(model, Instance(identity, "latex", "s", path)))
            assert isinstance(completion.text, str)
        except I2SError as error:
            assert isinstance(error.message, str)


HELM = {
    "adapter_spec": {"model": "m"},
    "request_states": [
        {
            "instance": {"id": "a", "input": {"multimedia_content": {"media_objects": []}}},
            "result": {"success": True, "completions": [{"text": "x", "finish_reason": {"reason": "stop"}}]},
        }
    ],
}


def with_one_change(value: object, at: int, other: object) -> object:
    """Return JSON with its value number ``at``, counted depth first, replaced by another."""
    counter = iter(range(1_000_000))

    def walk(one: object) -> object:
        if next(counter) == at:
            return other
        if isinstance(one, dict):
            return {name: walk(inner) for name, inner in one.items()}
        return [walk(inner) for inner in one] if isinstance(one, list) else one

    return walk(value)


@given(st.integers(0, 16), st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=2), max_leaves=3))
def test_any_state_of_helm_answers_or_fails_by_a_known_error(folder: Path, at: int, other: object) -> None:
    (folder / "scenario_state.json").write_text(json.dumps(with_one_change(HELM, at, other)))
    try:
        model = open_replay(str(folder / "scenario_state.json"))
        asyncio.run(complete(model, Instance("a", "latex", "s", folder / "a.png")))
    except I2SError as error:
        assert error.message


def test_a_deep_state_of_helm_is_a_known_error(folder: Path) -> None:
    (folder / "scenario_state.json").write_bytes(DEEP)
    with pytest.raises(I2SError, match="nested deeper"):
        open_replay(str(folder / "scenario_state.json"))


def tar(members: list[tuple[str, bytes, bytes]]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, kind, content in members:
            one = tarfile.TarInfo(name)
            one.type, one.size = kind, len(content) if kind == tarfile.REGTYPE else 0
            archive.addfile(one, io.BytesIO(content))
    return out.getvalue()


NAMES = st.sampled_from(
    ["index.html", "a/b", "../x", "/x", "a//b", "./a", "a", "\udc80", "x" * 300]
) | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)
KINDS = st.sampled_from(
    [tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.FIFOTYPE, tarfile.GNUTYPE_SPARSE]
)
TARS = st.lists(st.tuples(NAMES, KINDS, st.binary(max_size=20)), max_size=4).map(tar)


@st.composite
def damaged(draw: st.DrawFn, archives: st.SearchStrategy[bytes]) -> bytes:
    """An archive with some bytes changed, and perhaps cut off."""
    raw = bytearray(draw(archives))
    for _ in range(draw(st.integers(0, 3))):
        if raw:
            raw[draw(st.integers(0, min(len(raw), 600) - 1))] = draw(st.integers(0, 255))
    return bytes(raw[: draw(st.integers(0, len(raw)))] if draw(st.booleans()) else raw)


def packed(names: list[str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in dict.fromkeys(names):
            archive.writestr(name or "a", b"content")
    return out.getvalue()


ZIPS = st.lists(st.sampled_from(["index.html", "a/", "../x", "/x", "a//b", "é"]), max_size=4).map(packed)


@given(BYTES | damaged(TARS) | damaged(TARS.map(lambda raw: gzip.compress(raw, mtime=0))) | damaged(ZIPS))
def test_any_archive_is_files_or_a_value_error(raw: bytes) -> None:
    for read in (read_tar, read_repository, read_zip):
        reader: Callable[[bytes], object] = read
        try:
            assert reader(raw) is not None
        except ValueError as error:
            assert str(error)


@given(
    st.dictionaries(
        st.sampled_from(["uuid", "image", "structure", "text", "category", "difficulty", "download_url"]),
        SCALARS | BYTES | st.fixed_dictionaries({"bytes": BYTES}),
    )
)
def test_any_row_is_an_instance_or_a_value_error(columns: dict[str, object]) -> None:
    for task in ("latex", "webpage"):
        try:
            read_row(columns, task, "s")
        except ValueError as error:
            assert str(error)


@given(
    BYTES
    | shaped(["choices", "message", "content", "error", "type", "usage", "finish_reason", "text", "model"])
)
@example(DEEP)
@example(b'{"type":"message","content":[' + b"[" * 900 + b"]" * 900 + b"]}")
@example(b'{"choices":[{"message":{"content":' + b"[" * 900 + b"]" * 900 + b"}}]}")
def test_any_body_of_a_server_is_an_answer_or_a_failed_attempt(raw: bytes) -> None:
    for read in (openai_chat.read_answer, anthropic_messages.read_answer):
        try:
            assert isinstance(read(raw.decode("utf-8", "replace")).text, str)
        except AttemptError as error:
            assert error.message


@given(
    BYTES
    | st.sampled_from(
        [b"a = " + b"[" * 200_000, b"[evaluate]\nmodel = 1", b"jobs = nan", b"deadline = 'x'", b"jobs = []"]
    )
)
def test_any_configuration_file_is_settings_or_a_known_error(folder: Path, raw: bytes) -> None:
    (folder / "own.toml").write_bytes(raw)
    for read in (lambda path: Settings.load(config=path, environ={}), Prices.load):
        try:
            read(folder / "own.toml")
        except I2SError as error:
            assert error.message


RUN_FILES = ["records.jsonl", "instances.jsonl", "manifest.json"]


@given(
    st.sampled_from(RUN_FILES),
    st.integers(0, 60),
    st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=2), max_leaves=3),
)
def test_any_run_folder_is_a_run_or_a_known_error(
    tmp_path_factory: pytest.TempPathFactory, name: str, at: int, other: object
) -> None:
    run = make_run(tmp_path_factory.mktemp("run") / "run", 3, pictures=False)
    path = run / name
    lines = (
        [json.loads(line) for line in path.read_text().splitlines()]
        if name.endswith("l")
        else [json.loads(path.read_text())]
    )
    path.write_text("\n".join(json.dumps(with_one_change(line, at, other)) for line in lines))
    try:
        stored = read_run(run)
        for record in stored.ordered():
            stored.with_texts(record)
        assert summarize_run(stored) is not None
    except I2SError as error:
        assert error.message


@pytest.mark.parametrize("name", RUN_FILES)
def test_a_deep_file_of_a_run_is_a_known_error(tmp_path: Path, name: str) -> None:
    run = make_run(tmp_path / "run", 3, pictures=False)
    (run / name).write_bytes(DEEP + b"\n")
    with pytest.raises(I2SError, match="nested deeper"):
        read_run(run)


def test_a_deep_kept_answer_is_no_answer(tmp_path: Path) -> None:
    (tmp_path / "ab").mkdir()
    (tmp_path / "ab" / "abc.json").write_bytes(DEEP)
    assert AnswerCache(tmp_path).get("abc") is None


def test_a_deep_record_of_the_stack_is_a_known_error(tmp_path: Path) -> None:
    (tmp_path / "stack.json").write_bytes(DEEP)
    with pytest.raises(I2SError, match="nested deeper"):
        read_record(tmp_path)
