"""A report that is served on the loopback."""

from __future__ import annotations

import http.client
import json
import threading
import uuid
from pathlib import Path
from queue import SimpleQueue

import pytest

from i2s_sdk.errors import UsageError
from i2s_sdk.report import serving
from i2s_sdk.run.storage.codec import record_line
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.manifest import Manifest
from i2s_sdk.run.storage.object_access import Access
from i2s_sdk.run.storage.object_storage import LEASE
from i2s_sdk.run.storage.record import Outcome
from run_folders import instances, make_run, options, record_of, write_run
from sample_records import changed


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path / "run", 10)


@pytest.fixture
def port(run: Path) -> int:
    ready: SimpleQueue[str] = SimpleQueue()
    threading.Thread(
        target=serving.serve_report, args=([run],), kwargs={"on_ready": ready.put}, daemon=True
    ).start()
    return int(ready.get(timeout=60).rsplit(":", 1)[1].rstrip("/"))


def ask(port: int, path: str, host: str | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.putrequest("GET", path, skip_host=True)
    connection.putheader("Host", host or f"127.0.0.1:{port}")
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, answer.read()


def test_progress_report_and_images_are_served(port: int, run: Path) -> None:
    status, page = ask(port, "/")
    assert (status, b"serving.js" in page) == (200, True)
    progress = json.loads(ask(port, "/progress.json")[1])
    assert progress["runs"][0]["planned"] == 10
    status, report = ask(port, "/index.html")
    assert status == 200
    assert b"equation-0000" in report
    image = next(run.glob("pictures/*/*.png")).relative_to(run)
    assert ask(port, f"/{image}") == (200, (run / image).read_bytes())


def test_a_run_under_way_is_served_as_far_as_it_is(tmp_path: Path) -> None:
    planned = instances(4)
    folder = write_run(tmp_path / "part", planned, {planned[0].id: record_of(planned[0])})
    report = serving.ServedReport([folder], tmp_path / "report")
    report.refresh()
    assert (tmp_path / "report" / "index.html").is_file()
    assert report.progress()["runs"][0]["planned"] == 4
    assert report.progress()["done"] is False


@pytest.mark.parametrize(
    "path", ["/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/pictures/"]
)
def test_no_other_file_and_no_listing_is_served(port: int, path: str) -> None:
    ask(port, "/index.html")
    status, content = ask(port, path)
    assert status == 404
    assert b"root:" not in content


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example:80"])
def test_a_page_of_another_site_gets_nothing_by_its_own_name(port: int, host: str) -> None:
    assert ask(port, "/progress.json", host)[0] == 403


def test_only_the_loopback_is_listened_on(port: int) -> None:
    assert serving.LOOPBACK == "127.0.0.1"


def test_a_folder_that_is_no_run_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not the folder of a run"):
        serving.serve_report([tmp_path])


def test_a_run_that_has_not_begun_is_waited_for(tmp_path: Path) -> None:
    report = serving.ServedReport([tmp_path / "later"], tmp_path / "report")
    assert report.page() is None
    found = report.progress()
    assert (found["done"], found["runs"][0]["begun"], found["runs"][0]["run"]) == (False, False, "later")
    make_run(tmp_path / "later", 3)
    assert report.page() is not None
    assert report.progress()["runs"][0]["planned"] == 3


def test_progress_ends_if_only_failed_samples_remain_and_reads_no_line_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = instances(3)
    failed = [
        changed(record_of(one), outcome=Outcome.RENDER_FAILURE, usable=False, verdict=None) for one in planned
    ]
    folder = write_run(tmp_path / "run", planned, {planned[0].id: failed[0]})
    read: list[bytes] = []

    def parse(line: bytes) -> object:
        read.append(line)
        return json.loads(line)

    monkeypatch.setattr(serving, "read_json", parse)
    report = serving.ServedReport([folder], tmp_path / "report")
    assert report.progress()["done"] is False
    with (folder / "records.jsonl").open("a") as file:
        for one in failed[1:]:
            file.write(json.dumps(record_line(one)) + "\n")
        file.write('{"id": "torn')
    for _ in range(3):
        found = report.progress()
    assert found["done"] is True
    assert found["runs"][0]["scored"] == 0
    assert len(read) == 3


def test_the_served_report_may_ask_this_server_and_run_its_own_scripts_alone(port: int) -> None:
    page = ask(port, "/index.html")[1].decode()
    policy = page.partition("Content-Security-Policy")[2].partition(">")[0]
    assert "connect-src 'self'; script-src 'self' " in policy
    assert "unsafe" not in policy
    assert 'src="news.js" id="news" data-ended="10"' in page
    assert ask(port, "/news.js")[0] == 200


def test_progress_of_a_run_in_a_store_reads_only_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"memory://{uuid.uuid4().hex}/run"
    planned = instances(9)
    read: list[str] = []
    real = Access.read

    def counted(self: Access, name: str) -> bytes:
        if name != LEASE:
            read.append(name)
        return real(self, name)

    with RunFolder.open(url) as run:
        run.begin(Manifest(options()), planned)
        run.append(record_of(planned[0]))
        run.storage.flush()
        watched = serving.RunProgress(url)
        assert watched.now()["ended"] == 1
        monkeypatch.setattr(Access, "read", counted)
        for one in planned[1:4]:
            assert watched.now()["ended"] == planned.index(one)
            run.append(record_of(one))
            run.storage.flush()
        found = watched.now()
        assert (found["planned"], found["ended"]) == (9, 4)
        assert [watched.now() for _ in range(5)] == [found] * 5
        new = list(read)
    assert len(new) == len(set(new)) == 3
    assert all(name.startswith("records/") for name in new)
    assert watched.now() == found
    assert read == new, "the segments were put into one whose lines are known"


def test_the_report_of_a_run_in_a_store_is_made_anew_as_it_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "FRESH_SECONDS", 0.0)
    url = f"memory://{uuid.uuid4().hex}/run"
    planned = instances(3)
    with RunFolder.open(url) as run:
        run.begin(Manifest(options()), planned)
        run.append(record_of(planned[0]))
        run.storage.flush()
        report = serving.ServedReport([url], tmp_path / "report")
        assert report.refresh() == 1
        for one in planned[1:]:
            run.append(record_of(one))
        run.storage.flush()
        assert report.progress()["done"] is True
        assert report.refresh() == 3
    assert planned[2].id in (tmp_path / "report" / "index.html").read_text()
