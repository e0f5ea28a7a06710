"""A run on disk, whatever happened to the process that wrote it."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_sdk.errors import DataError, InUseError, ModelError, RunConflictError, UsageError
from i2s_sdk.models import Completion
from i2s_sdk.run.generate import answer_of, failed_answer
from i2s_sdk.run.storage.codec import record_line
from i2s_sdk.run.storage.folder import RECORDS, RunFolder, image_name, read_records, read_run
from i2s_sdk.run.storage.local import LocalStorage
from i2s_sdk.run.storage.manifest import INSTANCES, Manifest, RunOptions
from i2s_sdk.run.storage.record import Outcome, Record
from i2s_sdk.settings import Settings
from run_folders import instances, make_run, options, record_of, write_run
from sample_records import flat_record

_HELD = """
import sys
from i2s_sdk.run.storage.folder import RunFolder
with RunFolder.open(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""

OPTIONS = RunOptions(
    "paper", "oracle", "", "00", ("latex",), None, {"latex": "11"}, {"ems": "1"}, {"x": "22"}, "1"
)


def _record(name: str, outcome: Outcome = Outcome.SCORED) -> Record:
    return flat_record(name, "latex", "equation", "", outcome=outcome, completion="é\ud800\n")


def test_what_was_appended_is_there_again(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path / "run") as folder:
        folder.begin(Manifest(OPTIONS))
        folder.append(_record("a"))
    with RunFolder.open(tmp_path / "run") as folder:
        folder.begin(Manifest(OPTIONS))
        folder.append(_record("b"))
        assert folder.records() == {"a": _record("a"), "b": _record("b")}


def test_a_folder_that_nothing_was_written_to_is_gone_with_the_parents_that_were_made(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for where in (tmp_path / "runs/both/a", tmp_path / "mine"):
        with RunFolder.open(where):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    with RunFolder.open(tmp_path / "runs/both/a") as folder:
        folder.put_answer("one", answer_of(Completion("$x$", attempts=1), 0.0))
    assert (tmp_path / "runs/both/a/answers.jsonl").exists()


def test_a_process_that_waited_for_one_that_removed_the_folder_has_it_anew(tmp_path: Path) -> None:
    where = tmp_path / "run"
    with ExitStack() as first, ThreadPoolExecutor() as threads:
        first.enter_context(RunFolder.open(where))
        waits = threads.submit(_begin_after_a_wait, where, first.close)
        assert waits.result() == Manifest(OPTIONS)
    with RunFolder.open(where) as folder:
        assert folder.manifest() == Manifest(OPTIONS)


def _begin_after_a_wait(where: Path, end_the_other: Callable[[], None]) -> Manifest | None:
    log, handler = logging.getLogger("i2s_sdk.run.storage.local"), logging.Handler()
    handler.emit = lambda record: end_the_other()  # type: ignore[method-assign]
    log.addHandler(handler)
    try:
        with RunFolder.open(where, Settings(lock_seconds=60)) as folder:
            folder.begin(Manifest(OPTIONS))
            return folder.manifest()
    finally:
        log.removeHandler(handler)


def test_the_last_record_of_an_instance_counts(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path) as folder:
        folder.append(_record("a", Outcome.MODEL_FAILURE))
        folder.append(_record("a"))
        assert folder.records()["a"].outcome is Outcome.SCORED


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_line_torn_by_a_kill_is_forgotten_and_the_rest_kept(cut: int, tmp_path: Path) -> None:
    with RunFolder.open(tmp_path) as folder:
        folder.begin(Manifest(OPTIONS))
        folder.append(_record("a"))
        whole = (tmp_path / RECORDS).read_bytes()
        folder.append(_record("b"))
    content = (tmp_path / RECORDS).read_bytes()
    (tmp_path / RECORDS).write_bytes(content[:-cut])
    with RunFolder.open(tmp_path) as folder:
        assert (tmp_path / RECORDS).read_bytes() == whole
        folder.append(_record("c"))
        assert list(folder.records()) == ["a", "c"]


@pytest.mark.parametrize("whole", [True, False])
def test_a_torn_line_of_any_length_is_forgotten(whole: bool, tmp_path: Path) -> None:
    with RunFolder.open(tmp_path) as folder:
        if whole:
            folder.append(_record("a"))
    before = (tmp_path / RECORDS).read_bytes()
    (tmp_path / RECORDS).write_bytes(before + b"x" * 200_000)
    with RunFolder.open(tmp_path):
        assert (tmp_path / RECORDS).read_bytes() == before


def test_a_line_that_is_no_record_is_told_by_its_number(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path) as folder:
        folder.append(_record("a"))
    with (tmp_path / RECORDS).open("a") as records:
        records.write('{"id": "b"}\n')
    with pytest.raises(DataError, match=r"records\.jsonl:2"):
        read_records(tmp_path)


def test_two_processes_do_not_share_a_run(tmp_path: Path) -> None:
    with (
        RunFolder.open(tmp_path),
        pytest.raises(InUseError, match="another process") as raised,
        RunFolder.open(tmp_path),
    ):
        pass
    assert raised.value.exit_code == 4


def test_a_run_of_another_process_is_waited_for_with_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The other process ends when the line has been written, so no time decides."""
    command = [sys.executable, "-c", _HELD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"

        class EndsTheOther(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                other.communicate("")

        log = logging.getLogger("i2s_sdk.run.storage.local")
        handler = EndsTheOther()
        log.addHandler(handler)
        try:
            with RunFolder.open(tmp_path, Settings(lock_seconds=600.0)):
                assert other.returncode == 0
        finally:
            log.removeHandler(handler)
    lines = [one.getMessage() for one in caplog.records]
    assert lines == [f"{tmp_path}: another process works on this run; waiting for it for up to 600 s"]


def test_the_wait_for_another_process_ends(tmp_path: Path) -> None:
    settings = Settings(lock_seconds=0.01)
    with RunFolder.open(tmp_path), pytest.raises(InUseError), RunFolder.open(tmp_path, settings):
        pass


def test_a_run_of_other_options_is_refused_with_every_difference(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path) as folder:
        folder.begin(Manifest(OPTIONS))
    other = replace(OPTIONS, profile="helm", engines={"x": "33"})
    with RunFolder.open(tmp_path) as folder, pytest.raises(RunConflictError) as raised:
        folder.begin(Manifest(other))
    assert "profile: paper there, helm now" in raised.value.message
    assert 'engines: {"x": "22"} there, {"x": "33"} now' in raised.value.message
    assert "model" not in raised.value.message.replace("different", "")


def test_facts_of_the_first_start_are_kept(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path) as folder:
        folder.begin(Manifest(OPTIONS, about={"started": "then"}))
        assert folder.begin(Manifest(OPTIONS, about={"started": "now"})).about == {"started": "then"}


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(UsageError, match=r"thesis\.tex"), RunFolder.open(tmp_path):
        pass
    assert not (tmp_path / RECORDS).exists()


def test_a_manifest_of_another_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"format": 2}')
    with RunFolder.open(tmp_path) as folder, pytest.raises(UsageError, match="format 2"):
        folder.manifest()


def test_a_picture_is_kept_once_under_its_digest(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path) as folder:
        digest = folder.put_image(b"png")
        assert folder.put_image(b"png") == digest
    assert (tmp_path / image_name(digest)).read_bytes() == b"png"
    assert sum(1 for path in (tmp_path / "pictures").rglob("*") if path.is_file()) == 1


def test_engines_and_metrics_are_added_when_a_stage_first_meets_them(tmp_path: Path) -> None:
    generated = Manifest(replace(OPTIONS, engines={}, metrics={}), about={"started": "then"})
    rendered = Manifest(replace(OPTIONS, metrics={}), about={"started": "later", "x": "1"})
    scored = Manifest(replace(OPTIONS, engines={}), {"cis": "no weights"}, {"started": "last"})
    with RunFolder.open(tmp_path) as folder:
        folder.begin(generated)
        folder.begin(rendered)
        found = folder.begin(scored)
        assert found.options == OPTIONS
        assert found.unavailable == {"cis": "no weights"}
        assert found.about == {"started": "then", "x": "1"}
        assert folder.manifest() == found
        other = replace(OPTIONS, metrics={"ems": "2"})
        with pytest.raises(RunConflictError, match="metrics"):
            folder.begin(Manifest(other))


def test_drafts_that_a_kill_left_are_cleared_and_are_no_strangers(tmp_path: Path) -> None:
    (tmp_path / ".drafts").mkdir()
    (tmp_path / ".drafts" / "1-manifest.json").write_text("{")
    with RunFolder.open(tmp_path) as folder:
        assert not (tmp_path / ".drafts").exists()
        folder.begin(Manifest(OPTIONS))
        assert folder.manifest() == Manifest(OPTIONS)


def test_answers_and_what_was_paid_for_them_are_counted_again_at_the_next_start(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path) as folder:
        folder.put_answer("a", answer_of(Completion("x", cost=0.5, attempts=1), 0.0))
        folder.put_answer("b", answer_of(Completion("x", cost=0.5, cached=True), 0.0))
        folder.put_answer("c", failed_answer(ModelError("no"), 0.0))
        before = folder.answered, folder.paid
    with RunFolder.open(tmp_path) as folder:
        assert (folder.answered, folder.paid) == before == (2, 0.5)


def test_numbers_need_no_texts(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path) as folder:
        folder.append(_record("a"))
        (light,) = folder.records(texts=False).values()
        assert (light.answer.completion, light.outcome, light.score.metrics) == ("", Outcome.SCORED, {})
        assert folder.record("a") == _record("a")
        assert folder.record("b") is None


def test_who_reads_a_file_reads_all_of_what_it_was_while_it_is_written_anew(tmp_path: Path) -> None:
    storage = LocalStorage(tmp_path / "run")
    storage.write("results.json", b"before")
    with storage.open("results.json") as reading:
        storage.write("results.json", b"after, and longer")
        assert reading.read() == b"before"
    assert storage.read("results.json") == b"after, and longer"


def test_texts_are_read_when_they_are_wanted(tmp_path: Path) -> None:
    run = read_run(make_run(tmp_path / "run", 20, pictures=False))
    for one, planned in zip(run.ordered(), instances(20), strict=True):
        assert one.answer.completion == ""
        assert run.with_texts(one) == record_of(planned)


def test_of_several_lines_of_one_sample_the_last_counts_and_a_torn_one_does_not(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", 3, pictures=False)
    first = instances(1)[0]
    again = flat_record(
        first.id, first.task, first.subset, first.difficulty, outcome=Outcome.REFUSED, completion="No."
    )
    with (path / RECORDS).open("a") as lines:
        lines.write(json.dumps(record_line(again)) + "\n" + '{"id": "torn", "ta')
    run = read_run(path)
    assert len(run.records) == 3
    assert run.with_texts(run.records[first.id]) == again


def test_a_shard_has_its_own_instances(tmp_path: Path) -> None:
    planned = instances(30)
    parts = [
        read_run(write_run(tmp_path / str(at), planned, {}, options(shard=f"{at}/3"))).planned
        for at in (1, 2, 3)
    ]
    assert sorted(one.id for part in parts for one in part) == sorted(one.id for one in planned)


def test_what_is_no_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not the folder of a run"):
        read_run(tmp_path)
    path = make_run(tmp_path / "run", 1, pictures=False)
    (path / RECORDS).write_text('{"id": "a"}\n')
    with pytest.raises(DataError, match=r"records.jsonl:1: is not a record"):
        read_run(path)
    (path / INSTANCES).write_text('{"name": "a"}\n')
    (path / RECORDS).write_text("")
    with pytest.raises(UsageError, match=r"instances.jsonl, line 1"):
        read_run(path)
    (path / INSTANCES).unlink()
    with pytest.raises(UsageError, match=r"holds no instances.jsonl"):
        read_run(path)
