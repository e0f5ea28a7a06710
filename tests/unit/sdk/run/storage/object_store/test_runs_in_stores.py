"""Runs at URLs: the same run as in a folder, and what a store adds."""

from __future__ import annotations

import errno
import json
import shutil
import uuid
from collections import Counter
from pathlib import Path

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.errors import DataError, InUseError, RunConflictError, StoreError, UsageError
from i2s_sdk.models import Completion, ModelOptions
from i2s_sdk.models.model import Finish
from i2s_sdk.models.provider import Answer as Said
from i2s_sdk.models.provider_model import ProviderModel
from i2s_sdk.models.question import ReadQuestion
from i2s_sdk.report import write_report
from i2s_sdk.run.export import export
from i2s_sdk.run.generate import GenerateStage, answer_of
from i2s_sdk.run.merge import merge
from i2s_sdk.run.pipeline import Sample
from i2s_sdk.run.plan import dry_run
from i2s_sdk.run.stages import generate
from i2s_sdk.run.storage.folder import (
    ANSWERS,
    APPENDED,
    CALLS,
    INSTANCES,
    MERGING,
    RECORDS,
    RENDERINGS,
    RESULTS,
    RunFolder,
    image_name,
    read_records,
    read_run,
)
from i2s_sdk.run.storage.index import marked_calls, read_lines
from i2s_sdk.run.storage.interface import open_storage
from i2s_sdk.run.storage.manifest import Manifest
from i2s_sdk.run.storage.object_storage import LEASE
from i2s_sdk.run.storage.record import Outcome, Record
from i2s_sdk.settings import Settings
from i2s_sdk.stats.aggregate import summarize_run
from i2s_sdk.tasks.registry import open_task
from named_pictures import named_picture
from run_folders import instances, make_run, options, record_of, rendered_of, write_run
from sample_records import flat_record
from tiny_formulas import write_tiny_formulas
from troubled_store import sometimes, troubled

NUMBER = 15
_SETTINGS = Settings(lease_seconds=0.2, retry_seconds=20.0)


@pytest.fixture(params=["memory", "file"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new folder of a store."""
    return f"memory://{uuid.uuid4().hex}/run" if request.param == "memory" else (tmp_path / "store").as_uri()


def _record(name: str) -> Record:
    return flat_record(name, "latex", "equation", "", outcome=Outcome.SCORED, completion="é\ud800\n")


def test_a_run_goes_on_where_an_earlier_start_ended(url: str) -> None:
    for name in "ab":
        with RunFolder.open(url) as folder:
            folder.begin(Manifest(options()), instances(3))
            assert folder.path == url
            folder.put_answer(name, answer_of(Completion("x", cost=0.5, attempts=1), 0.0))
            folder.put_rendering(_record(name).instance, rendered_of(_record(name), text="t"))
            folder.append(_record(name))
            assert folder.record(name) == _record(name)
            digest = folder.put_image(name.encode())
            assert folder.image(digest) == name.encode()
    with RunFolder.open(url) as folder:
        assert (folder.answered, folder.paid, len(folder.renderings), len(folder.ended)) == (2, 1.0, 2, 2)
        assert folder.records() == {"a": _record("a"), "b": _record("b")}
        # The completion is the answer's.
        assert folder.rendering_of("a") == rendered_of(_record("a"), text="t")
        with pytest.raises(DataError, match=f"{url}/pictures/00/"):
            folder.image("00")
    assert read_records(url, texts=False).keys() == {"a", "b"}


def test_another_run_is_refused_and_so_are_strangers(url: str) -> None:
    with RunFolder.open(url) as folder:
        folder.begin(Manifest(options()))
    with (
        RunFolder.open(url) as folder,
        pytest.raises(RunConflictError, match=f"{url} holds a run with other"),
    ):
        folder.begin(Manifest(options(profile="helm")))
    open_storage(url + "/more").write("thesis.tex", b"x")
    with pytest.raises(UsageError, match=r"holds 'thesis\.tex' and no run"), RunFolder.open(url + "/more"):
        pass


def test_a_second_process_is_refused(url: str) -> None:
    with (
        RunFolder.open(url, _SETTINGS),
        pytest.raises(InUseError, match="another process works on this run"),
        RunFolder.open(url, Settings(lease_seconds=600.0)),
    ):
        pass
    assert not open_storage(url).exists(LEASE)


def test_a_merge_into_a_store_and_back_keeps_every_byte(tmp_path: Path, url: str) -> None:
    planned = instances(NUMBER)
    parts = []
    for index in (1, 2, 3):
        path = tmp_path / f"part-{index}"
        records = {one.id: record_of(one, folder=path) for one in planned}
        write_run(path, planned, records, options(shard=f"{index}/3"))
        part = f"{url}/part-{index}" if index < 3 else path  # shards may lie anywhere
        if index < 3:
            merged_part = open_storage(part)
            for file in (one for one in path.rglob("*") if one.is_file() and one.name != RECORDS):
                merged_part.write(str(file.relative_to(path)), file.read_bytes())
            merged_part.write("records/00000001-00000001-a1.jsonl", (path / RECORDS).read_bytes())
        parts.append(part)
    local = merge([tmp_path / f"part-{index}" for index in (1, 2, 3)], tmp_path / "local")
    there = merge(parts, f"{url}/whole")
    back = merge([f"{url}/whole"], tmp_path / "back")
    assert there.summary == local.summary == back.summary
    expected = (tmp_path / "local" / RESULTS).read_bytes()
    assert (
        open_storage(f"{url}/whole").read(RESULTS) == (tmp_path / "back" / RESULTS).read_bytes() == expected
    )
    assert (tmp_path / "back" / RECORDS).read_bytes() == (tmp_path / "local" / RECORDS).read_bytes()
    assert there.report == f"{url}/whole/index.html"
    stored = read_run(f"{url}/whole")
    for one in stored.ordered():
        for digest in filter(None, (one.instance.reference_sha256, one.rendering.sha256)):
            assert stored.image(digest) == (tmp_path / "local" / image_name(digest)).read_bytes()


def test_a_merge_that_was_cut_off_begins_anew_and_nothing_else_goes_on_with_it(
    tmp_path: Path, url: str
) -> None:
    run = make_run(tmp_path / "run", NUMBER)
    with RunFolder.open(url, merging=True) as target:
        target.storage.write(MERGING, b"")
        target.append(_record("half"))
    with pytest.raises(UsageError, match="a merge that was not finished"), RunFolder.open(url):
        pass
    merge([run], url)
    assert read_run(url).records.keys() == read_run(run).records.keys()
    assert MERGING not in open_storage(url).names()
    with pytest.raises(UsageError, match="holds a run already"):
        merge([run], url)


def test_a_report_lies_where_it_is_asked_for(tmp_path: Path, url: str) -> None:
    run = make_run(tmp_path / "run", NUMBER)
    merge([run], url)
    own = write_report([url]).path
    assert own == f"{url}/index.html"
    local = write_report([url], tmp_path / "report").path
    assert Path(local).read_bytes() == open_storage(url).read("index.html")
    digests = {one.instance.reference_sha256 for one in read_run(run).ordered()}
    assert all((tmp_path / "report" / image_name(digest)).is_file() for digest in digests)
    both = write_report([url, run], f"{url}-both").path
    assert both == f"{url}-both/index.html"
    assert open_storage(f"{url}-both").exists(image_name(min(digests)))
    single = write_report([url], f"{url}-single/all.html", single_file=True).path
    assert single == f"{url}-single/all.html"
    assert b"data:image/png;base64" in open_storage(f"{url}-single").read("all.html")


def test_an_export_may_come_from_and_go_to_a_store(tmp_path: Path, url: str) -> None:
    run = make_run(tmp_path / "run", NUMBER)
    merge([run], url)
    expected = tmp_path / "expected.csv"
    assert export(run, expected) == export(url, tmp_path / "a.csv") == export(url, f"{url}/tables/b.csv")
    assert (
        (tmp_path / "a.csv").read_bytes() == expected.read_bytes() == open_storage(url).read("tables/b.csv")
    )


def test_a_run_copied_out_of_a_store_is_read_and_gone_on_with_as_it_is(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", NUMBER)
    merge([run], (tmp_path / "store").as_uri())
    shutil.copytree(tmp_path / "store", tmp_path / "copy")
    assert summarize_run(read_run(tmp_path / "copy")) == summarize_run(read_run(run))
    with RunFolder.open(tmp_path / "copy") as folder:
        folder.append(_record("more"))
    assert "more" in read_records(tmp_path / "copy")


def test_pandas_reads_the_records_in_two_lines(tmp_path: Path, url: str) -> None:
    fsspec, pandas = pytest.importorskip("fsspec"), pytest.importorskip("pandas")
    merge([make_run(tmp_path / "run", NUMBER)], url)
    with RunFolder.open(url) as folder:
        folder.append(_record("more"))
    files = fsspec.open_files(f"{url}/records/*.jsonl", "rt")
    records = pandas.concat([pandas.read_json(file.open(), lines=True) for file in files])
    records = records.drop_duplicates("id", keep="last")
    assert set(records["id"]) == read_records(url).keys()


def test_lines_reach_the_store_by_themselves_and_those_of_earlier_stages_first(url: str) -> None:
    settings = Settings(store_lines=5, store_seconds=0.01)
    with RunFolder.open(url, settings) as folder:
        for number in range(60):
            folder.put_answer(str(number), answer_of(Completion("x"), 0.0))
            record = _record(str(number))
            folder.put_rendering(record.instance, rendered_of(record))
            folder.append(record)
            if number % 6:
                continue
            storage = open_storage(url)
            records, renderings, answers = (
                {line["id"] for line in read_lines(storage.lines(name))}
                for name in (RECORDS, RENDERINGS, ANSWERS)
            )
            assert records <= renderings <= answers
    assert {len(list(open_storage(url).lines(name))) for name in APPENDED[:3]} == {60}
    assert len(open_storage(url).names()) < 10


class _Provider:
    """Says what of the run was in the store when it was asked."""

    vendor, model, base_url, repeatable = "openai", "tiny", "", False
    parameters: dict[str, float | int | str | None] = {}  # noqa: RUF012 - as the protocol has it

    def __init__(self, url: str) -> None:
        self.url = url
        self.marked: dict[str, bool] = {}

    async def ask(self, question: ReadQuestion) -> Said:
        found = {line["id"] for line in read_lines(open_storage(self.url).lines(CALLS))}
        self.marked[question.id] = question.id in found
        return Said("$x$", Finish.STOP)

    async def close(self) -> None:
        pass


async def test_a_call_is_in_the_store_before_it_is_made_and_its_answer_before_the_sample_goes_on(
    tmp_path: Path, url: str
) -> None:
    image = tmp_path / "a.png"
    provider = _Provider(url)
    model = ProviderModel(provider, ModelOptions(cache=None))
    with RunFolder.open(url, Settings(store_lines=1000, store_seconds=1000.0)) as folder:
        stage = GenerateStage({"latex": open_task("latex")}, model, folder)
        with marked_calls(model, folder.calls):
            for name in "abc":
                image.write_bytes(named_picture(name))
                await stage(Sample(Instance(name, "latex", "equation", image)))
                assert name in {line["id"] for line in read_lines(open_storage(url).lines(ANSWERS))}
        assert provider.marked == {"a": True, "b": True, "c": True}
        assert folder.unanswered_calls() == {}


def test_a_stage_over_a_store_that_fails_now_and_then_ends_as_over_a_quiet_one(tmp_path: Path) -> None:
    data = write_tiny_formulas(tmp_path / "data", 60)
    replayed = tmp_path / "answers.jsonl"
    rows = ({"id": name, "completion": text} for name, text in data.answers().items())
    replayed.write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = Settings(store_lines=3, store_seconds=0.01, retry_seconds=120.0)
    with troubled(sometimes(0.2)):
        result = generate(data.folder, f"replay:{replayed}", out="troubled://run", settings=settings)
        assert (result.done, result.folder) == (60, "troubled://run")
        found = Counter(line["id"] for line in read_lines(open_storage("troubled://run").lines(ANSWERS)))
        assert found == Counter(data.ids)
        left = dry_run(data.folder, f"replay:{replayed}", out="troubled://run", settings=settings)
        assert (left.samples, left.answered) == (60, 60)


def test_a_store_that_goes_away_ends_the_run_and_says_what_was_not_written() -> None:
    down = False

    def trouble(operation: str, path: str) -> None:
        if down and operation == "put":
            raise OSError(errno.EBUSY, "Service Unavailable")

    settings = Settings(retry_seconds=0.2, store_seconds=1000.0)
    with troubled(trouble):
        raised = pytest.raises(StoreError, match=r"Service Unavailable.*1 lines were not written; the same")
        with raised, RunFolder.open("troubled://run", settings) as folder:
            folder.begin(Manifest(options()))
            folder.append(_record("a"))
            folder.storage.flush()
            down = True
            folder.append(_record("b"))
        down = False
        assert read_records("troubled://run").keys() == {"a"}
        assert open_storage("troubled://run").exists(INSTANCES)


def test_once_the_store_refused_no_more_samples_are_begun() -> None:
    def trouble(operation: str, path: str) -> None:
        if operation == "put" and "/records/" in path:
            raise PermissionError("Access Denied")

    settings = Settings(store_seconds=0.01)
    raised = pytest.raises(StoreError, match=r"Access Denied; check .* lines were not written")
    with (
        troubled(trouble),
        raised,
        RunFolder.open("troubled://run", settings) as folder,
    ):
        for number in range(100_000):
            folder.append(_record(str(number)))
        pytest.fail("every line was taken")
