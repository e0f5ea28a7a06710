"""A report served to a browser on this machine, with the progress of a run that is under way."""

from __future__ import annotations

import functools
import json
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any

from i2s_sdk.json_text import read_json
from i2s_sdk.report.page import write_report
from i2s_sdk.report.view import run_name
from i2s_sdk.run.storage.folder import RECORDS, RENDERINGS, REPORT, read_manifest, read_planned, read_run
from i2s_sdk.run.storage.interface import Followed, PathOrUrl, is_url, open_storage
from i2s_sdk.run.storage.local import LOCK
from i2s_sdk.run.storage.record import Outcome


def require_run_or_none_yet(run: PathOrUrl) -> None:
    """Return if a folder holds a run, or can hold one that has not begun.

    Raises:
        UsageError: The folder holds something else.
    """
    if not is_url(run):
        folder = Path(run)
        beginning = folder.is_dir() and (folder / LOCK).exists() and read_manifest(open_storage(run)) is None
        if not folder.exists() or beginning:
            return
    read_run(run)


class RunProgress:
    """The progress of a run. Lines that were read once are not read again.

    Args:
        run: Folder of the run, or its URL.

    Attributes:
        run: The same.
        planned: Samples of the run, or of its shard; None if it has not begun.
    """

    def __init__(self, run: PathOrUrl) -> None:
        self.run = run
        self.planned: int | None = None
        self._name = ""
        self._files: tuple[Followed, Followed] | None = None
        self._records: dict[str, str | None] = {}  # the last outcome of each sample
        self._rendered: set[str] = set()

    def now(self) -> dict[str, Any]:
        """Return the counts, as JSON has them.

        Raises:
            UsageError: The run is damaged.
            DataError: The same.
        """
        if not is_url(self.run) and not Path(self.run).exists():
            return self._shown()
        if self._files is None:
            self._files = self._begin()
        if self._files is None:
            return self._shown()
        records, renderings = self._files
        for line in records.new():
            plain = read_json(line)
            self._records[plain["id"]] = plain["outcome"]
        self._rendered.update(read_json(line)["id"] for line in renderings.new())
        return self._shown()

    def _begin(self) -> tuple[Followed, Followed] | None:
        """Read what the run is going to do; returns its records and renderings, None if it has not begun."""
        storage = open_storage(self.run)
        manifest = read_manifest(storage)
        if manifest is None:
            return None
        self.planned = len(read_planned(storage, manifest))
        self._name = run_name(manifest)
        return storage.follow(RECORDS), storage.follow(RENDERINGS)

    def _shown(self) -> dict[str, Any]:
        planned = self.planned or 0
        ended = self._records
        return {
            "run": self._name or open_storage(self.run).name,
            "begun": self.planned is not None,
            "planned": planned,
            "rendered": min(len(self._rendered), planned),
            "scored": sum(Outcome(one).counts for one in ended.values() if one),
            "ended": len(ended),
        }


#: The only address that is listened on.
LOOPBACK = "127.0.0.1"

#: Seconds that a report of a run under way is shown before it is made anew.
FRESH_SECONDS = 10.0

_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'"


@dataclass
class ServedReport:
    """A report of runs that is made anew while they grow."""

    #: Folders of the runs, or URLs of such.
    runs: Sequence[PathOrUrl]
    #: Folder that the report is written to.
    folder: Path

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._made: tuple[int, ...] | None = None
        self._at = 0.0
        self._progress = [RunProgress(run) for run in self.runs]

    def progress(self) -> dict[str, Any]:
        """Return how far the runs are, as JSON has it; only what was appended since is read."""
        with self._lock:
            runs = [run_progress.now() for run_progress in self._progress]
        return {
            "runs": runs,
            "ended": sum(run["ended"] for run in runs),
            "done": all(run["begun"] and run["ended"] >= run["planned"] for run in runs),
        }

    def refresh(self) -> int | None:
        """Write the report, unless it is that of what the runs hold, or was written a moment ago.

        Returns:
            How many samples it has; None if no run has begun.
        """
        with self._lock:
            counts = tuple(run_progress.now()["ended"] for run_progress in self._progress)
            begun = [run_progress.run for run_progress in self._progress if run_progress.planned is not None]
            if not begun:
                return None
            made = self._made
            if made is None or (counts != made and time.monotonic() - self._at >= FRESH_SECONDS):
                write_report(begun, self.folder)
                self._made, self._at = counts, time.monotonic()
            return sum(self._made or ())

    def page(self) -> bytes | None:
        """Return the report with the script that tells of new results; None if no run has begun."""
        ended = self.refresh()
        if ended is None:
            return None
        page = (self.folder / REPORT).read_bytes()
        page = page.replace(b"script-src ", b"connect-src 'self'; script-src 'self' ", 1)
        script = f'<script src="news.js" id="news" data-ended="{ended}"></script>'.encode()
        before, body, after = page.rpartition(b"</body>")
        return before + script + body + after


class _Handler(SimpleHTTPRequestHandler):
    """Answers requests of the browser of this machine, and of no page of another site."""

    def __init__(self, *args: Any, report: ServedReport, **more: Any) -> None:  # noqa: ANN401
        self._report = report
        super().__init__(*args, directory=str(report.folder), **more)

    def do_GET(self) -> None:
        if not self._is_ours():
            self.send_error(HTTPStatus.FORBIDDEN, "only this machine is answered")
            return
        path = self.path.partition("?")[0]
        if path == "/":
            self._send(_page("serving.html"), "text/html; charset=utf-8")
        elif path in ("/serving.js", "/serving.css", "/news.js"):
            kind = "text/javascript" if path.endswith("js") else "text/css"
            self._send(_page(path[1:]), f"{kind}; charset=utf-8")
        elif path == "/progress.json":
            self._send(json.dumps(self._report.progress()).encode(), "application/json")
        else:
            page = self._report.page() if path == "/index.html" else None
            if page is not None:
                self._send(page, "text/html; charset=utf-8", policy=None)
            elif path == "/index.html":
                self._send(_page("serving.html"), "text/html; charset=utf-8")
            else:
                super().do_GET()

    def do_HEAD(self) -> None:
        self.send_error(HTTPStatus.METHOD_NOT_ALLOWED)

    def list_directory(self, path: Any) -> None:  # noqa: ANN401
        """Refuse to list a folder."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: ANN401
        """Log nothing: the terminal is for the address."""

    def _is_ours(self) -> bool:
        """Return whether the request names this machine, so that no other site reads through its own name."""
        host = self.headers.get("Host", "").rpartition(":")[0]
        return host in (LOOPBACK, "localhost")

    def _send(self, content: bytes, kind: str, policy: str | None = _POLICY) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if policy is not None:  # the report has its own
            self.send_header("Content-Security-Policy", policy)
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)


def serve_report(
    runs: Sequence[PathOrUrl], *, port: int = 0, on_ready: Callable[[str], None] | None = None
) -> None:
    """Serve the report of runs on the loopback until Ctrl-C.

    Args:
        runs: Folders of the runs, or URLs of such; runs may be under way, or not yet begun.
        port: Port that is listened on; 0 takes a free one.
        on_ready: Called with the address.

    Raises:
        UsageError: A folder is not a run.
        OSError: The port is taken.
    """
    for run in runs:
        require_run_or_none_yet(run)
    with tempfile.TemporaryDirectory(prefix="i2s-report-") as folder:
        report = ServedReport(runs, Path(folder))
        handler = functools.partial(_Handler, report=report)
        with ThreadingHTTPServer((LOOPBACK, port), handler) as server:
            server.daemon_threads = True
            if on_ready is not None:
                on_ready(f"http://{LOOPBACK}:{server.server_address[1]}/")
            server.serve_forever()


def _page(name: str) -> bytes:
    return files("i2s_sdk.report").joinpath("templates", name).read_bytes()
