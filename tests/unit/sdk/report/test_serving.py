"""A report that is served on the loopback."""

from __future__ import annotations

import http.client
import json
import threading
from pathlib import Path
from queue import SimpleQueue

import pytest

from i2s_sdk.errors import UsageError
from i2s_sdk.report import serving
from run_folders import instances, make_run, record_of, write_run


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
