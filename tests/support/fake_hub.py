"""A stand-in of the Hub of Hugging Face on loopback, as far as data sets are uploaded to it.

It stores repositories, their commits and tags, and answers as the documentation of the Hub's interface says.
"""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@dataclass
class FakeHub:
    """What the Hub has, and what it was asked.

    Attributes:
        url: Address of the server.
        token: The one that it accepts.
        private: Whether a repository is private, by name.
        files: Files of each repository by name.
        tags: Tags of each repository, with the id of their commit.
        log: Method and path of each request.
    """

    url: str = ""
    token: str = "hf_right"
    private: dict[str, bool] = field(default_factory=dict)
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    tags: dict[str, dict[str, str]] = field(default_factory=dict)
    log: list[tuple[str, str]] = field(default_factory=list)


COMMIT = "c" * 40


@contextmanager
def fake_hub() -> Iterator[FakeHub]:
    """Serve a Hub as long as the block lasts."""
    hub = FakeHub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

        def _answer(self, body: bytes) -> None:
            path = urlsplit(self.path).path
            hub.log.append((self.command, path))
            if self.headers.get("Authorization") != f"Bearer {hub.token}":
                self._send(401, {"error": "Invalid credentials in Authorization header"})
                return
            self._send(*_answered(hub, self.command, path, body))

        def _send(self, status: int, content: object, headers: dict[str, str] | None = None) -> None:
            raw = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _answered(hub: FakeHub, method: str, path: str, body: bytes) -> tuple[int, object, dict[str, str]]:
    parts = path.strip("/").split("/")
    if path == "/api/repos/create":
        asked = json.loads(body)
        name = f"{asked['organization']}/{asked['name']}" if asked.get("organization") else asked["name"]
        url = {"url": f"{hub.url}/datasets/{name}"}
        if name in hub.files:
            return 409, {**url, "error": "You already created this dataset repo"}, {}
        hub.private[name] = bool(asked.get("private", asked.get("visibility") == "private"))
        hub.files[name], hub.tags[name] = {}, {}
        return 200, url, {}
    if path == "/api/validate-yaml":
        return 200, {"errors": [], "warnings": []}, {}
    if parts[:2] == ["api", "whoami-v2"]:
        return 200, {"type": "user", "name": "me", "orgs": []}, {}
    name = "/".join(parts[2:4])
    if parts[:2] != ["api", "datasets"] or name not in hub.files:
        return 404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"}
    what = parts[4] if len(parts) > 4 else ""
    match what:
        case "refs":
            tags = [
                {"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": commit}
                for tag, commit in hub.tags[name].items()
            ]
            main = {"name": "main", "ref": "refs/heads/main", "targetCommit": COMMIT}
            return 200, {"branches": [main], "converts": [], "tags": tags}, {}
        case "preupload":
            asked = json.loads(body)["files"]
            files = [{"path": one["path"], "uploadMode": "regular", "shouldIgnore": False} for one in asked]
            return 200, {"files": files}, {}
        case "commit":
            _commit(hub.files[name], body)
            return 200, {"commitOid": COMMIT, "commitUrl": f"{hub.url}/{name}/commit/{COMMIT}"}, {}
        case "tag":
            hub.tags[name][json.loads(body)["tag"]] = parts[5]
            return 200, {}, {}
        case "revision" | "":
            siblings = [{"rfilename": one} for one in sorted(hub.files[name])]
            return 200, {"id": name, "sha": COMMIT, "siblings": siblings, "private": True}, {}
        case "tree":
            found = hub.files[name].items()
            return (
                200,
                [{"type": "file", "path": one, "size": len(raw), "oid": "0"} for one, raw in found],
                {},
            )
    return 404, {"error": f"{method} {path} is not played"}, {}


def _commit(files: dict[str, bytes], body: bytes) -> None:
    for line in body.splitlines():
        entry = json.loads(line)
        value = entry["value"]
        if entry["key"] == "file":
            assert value["encoding"] == "base64"
            files[value["path"]] = base64.b64decode(value["content"])
        elif entry["key"] == "deletedFile":
            files.pop(value["path"], None)
