"""Judges behind addresses that the user names on the command line."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from i2s_collect.harm.judges import TOKEN_VARIABLE, EndpointImageJudge, JudgeAddress
from i2s_sdk.cli.main import run
from i2s_sdk.errors import UsageError


@pytest.fixture
def asked() -> Iterator[tuple[str, list[tuple[str | None, dict[str, str]]]]]:
    """The URL of a judge that finds 0.9 in everything, and what it was asked, with its token."""
    log: list[tuple[str | None, dict[str, str]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            log.append((self.headers.get("Authorization"), json.loads(body)))
            answer = b'{"score": 0.9}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            """Write nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/judge", log
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_judge_is_asked_at_its_address_with_the_token(
    asked: tuple[str, list[tuple[str | None, dict[str, str]]]],
) -> None:
    url, log = asked
    address = JudgeAddress.parse(f"org/my-model@2.1={url}", 0.4)
    assert (address.name, address.version, address.url, address.limit) == ("org/my-model", "2.1", url, 0.4)
    judge = address.open({TOKEN_VARIABLE: "secret"})
    assert (judge.judge("a text"), judge.limit) == (0.9, 0.4)
    pictures = EndpointImageJudge(address.open({}), address.limit)
    assert (pictures.judge(b"png"), pictures.limit) == (0.9, 0.4)
    assert log == [("Bearer secret", {"text": "a text"}), (None, {"png": "cG5n"})]


@pytest.mark.parametrize(
    "text", ["", "model", "http://127.0.0.1/", "m@1=ftp://a/b", "m@1=http://a b", "m=http://a", "@1=http://a"]
)
def test_what_is_no_judge_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no judge, such as my-model@2="):
        JudgeAddress.parse(text, 0.5)


WINDOW = ("--from", "2026-10-01", "--until", "2026-10-31")


def test_a_collection_does_not_go_on_with_other_judges(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["collect", "music", *WINDOW, "--offline", "--into", str(tmp_path / "scores")]
    judge = ["--picture-judge", "mine@1=http://127.0.0.1:1/"]
    assert run([*words, *judge]) == 1  # nothing of the window was stored before
    capsys.readouterr()
    assert run(words) == 2
    assert "was begun with judges mine, not none" in capsys.readouterr().err
