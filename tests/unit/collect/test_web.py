"""Requests are made with manners, and every answer is stored."""

from __future__ import annotations

import json
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from fake_sources.exchange import FakeAnswer, FakeRequest
from fake_sources.server import FakeServer, fake_server
from i2s_collect.web import client
from i2s_collect.web.answer import Ask, BodyTooLargeError, NotCachedError, SourceStoppedError, WebAnswer
from i2s_collect.web.client import HttpWeb, WebCache, checked_contact
from i2s_collect.web.manners import HostGaps, Manners, wait_of
from i2s_sdk.errors import UsageError


class Source:
    """Answers as a test says."""

    def __init__(self, answer: Callable[[FakeRequest], FakeAnswer]) -> None:
        self.answer = answer


class World:
    """Servers and a client that waits without waiting."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self._stack = folder, stack
        self.waited: list[float] = []
        self.gaps: list[float] = []

    def server(self, answer: Callable[[FakeRequest], FakeAnswer]) -> FakeServer:
        return self._stack.enter_context(fake_server(Source(answer)))

    def web(self, server: FakeServer | None = None, *, gap: float = 0.0, offline: bool = False) -> HttpWeb:
        gaps = HostGaps(self.folder / "hosts", self.gaps.append)
        manners = {server.host: Manners(gap)} if server else {}
        web = HttpWeb(
            WebCache(self.folder / "http"),
            gaps,
            "ann@example.org",
            "1.0",
            manners,
            offline=offline,
            sleep=self.waited.append,
        )
        return self._stack.enter_context(web)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with ExitStack() as stack:
        yield World(tmp_path, stack)


def test_an_answer_is_asked_for_once_and_kept_for_later_processes(world: World) -> None:
    server = world.server(lambda request: FakeAnswer(body=request.query["a"][0].encode()))
    ask = Ask(f"{server.url}/x", (("a", "1"),))
    assert world.web(server).get(ask).body == b"1"
    assert world.web(server).get(ask).body == b"1"
    assert world.web(offline=True).get(ask).body == b"1"
    assert [one.path for one in server.log] == ["/x?a=1"]


def test_offline_nobody_is_asked(world: World) -> None:
    server = world.server(lambda request: FakeAnswer())
    with pytest.raises(NotCachedError, match="offline"):
        world.web(server, offline=True).get(Ask(f"{server.url}/x"))
    assert server.log == []


def test_servers_are_told_who_asks(world: World) -> None:
    server = world.server(lambda request: FakeAnswer())
    world.web(server).get(Ask(f"{server.url}/x"))
    assert server.log[0].headers["user-agent"] == "i2s-collect/1.0 (+ann@example.org)"


@pytest.mark.parametrize(
    "contact", ["", "ann", "a b@c.d", "ann@example.org\nX: y", "ä@example.org", "ftp://x"]
)
def test_without_a_contact_nothing_begins(contact: str) -> None:
    with pytest.raises(UsageError, match="--contact"):
        checked_contact(contact)


def test_the_gap_of_a_host_holds_over_restarts(world: World) -> None:
    server = world.server(lambda request: FakeAnswer())
    world.web(server, gap=50.0).get(Ask(f"{server.url}/1"))
    assert world.gaps == []
    world.web(server, gap=50.0).get(Ask(f"{server.url}/2"))
    (waited,) = world.gaps
    assert 0.0 < waited <= 50.0


def test_a_clock_that_was_set_back_costs_one_gap(world: World) -> None:
    server = world.server(lambda request: FakeAnswer())
    world.web(server, gap=50.0).get(Ask(f"{server.url}/1"))
    place = world.folder / "hosts" / server.host.replace(":", "_")
    place.write_text("99999999999.0")
    world.web(server, gap=50.0).get(Ask(f"{server.url}/2"))
    assert world.gaps == [50.0]


def test_503_is_repeated_after_the_time_that_the_server_asks_for(world: World) -> None:
    busy = FakeAnswer(503, headers={"Retry-After": "7"})
    server = world.server(lambda request: busy if request.number < 2 else FakeAnswer(body=b"now"))
    assert world.web(server).get(Ask(f"{server.url}/x")).body == b"now"
    assert world.waited == [7.0, 7.0]


def test_a_wait_of_hours_ends_the_collection(world: World) -> None:
    server = world.server(lambda request: FakeAnswer(503, headers={"Retry-After": "86400"}))
    with pytest.raises(SourceStoppedError, match="asks to wait 86400 s"):
        world.web(server).get(Ask(f"{server.url}/x"))
    assert len(server.log) == 1


def test_403_stops_the_source_and_is_never_repeated(world: World) -> None:
    server = world.server(lambda request: FakeAnswer(403, b"too many harvesters"))
    with pytest.raises(SourceStoppedError, match=r"answered 403 \(too many harvesters\); the source stops"):
        world.web(server).get(Ask(f"{server.url}/x"))
    assert len(server.log) == 1
    assert not (world.folder / "http").exists()


def test_a_host_may_say_in_its_own_way_that_it_wants_to_wait(world: World) -> None:
    def waits(answer: WebAnswer) -> float | None:
        return 60.0 if answer.status == 403 and b"secondary rate limit" in answer.body else wait_of(answer)

    limited = FakeAnswer(403, b"secondary rate limit")
    server = world.server(lambda request: limited if request.number == 0 else FakeAnswer(body=b"ok"))
    gaps = HostGaps(world.folder / "hosts", world.gaps.append)
    cache = WebCache(world.folder / "http")
    manners = {server.host: Manners(0.0, waits)}
    with HttpWeb(cache, gaps, "a@b.cd", "1", manners, sleep=world.waited.append) as web:
        assert web.get(Ask(f"{server.url}/x")).body == b"ok"
    assert world.waited == [60.0]


def test_a_broken_body_is_asked_for_again(world: World) -> None:
    server = world.server(lambda request: FakeAnswer(body=b"whole" * 50, cut_short=request.number == 0))
    assert world.web(server).get(Ask(f"{server.url}/x")).body == b"whole" * 50
    assert len(server.log) == 2


def test_a_server_that_never_answers_ends_with_one_line(world: World) -> None:
    server = world.server(lambda request: FakeAnswer())
    server.refusing = True
    with pytest.raises(
        SourceStoppedError, match=r"does not answer.*6 times; run the same command later"
    ) as told:
        world.web(server).get(Ask(f"{server.url}/x"))
    assert "\n" not in told.value.message
    assert world.waited == [1.0, 2.0, 4.0, 8.0, 16.0]


def test_an_expected_status_is_an_answer_and_stored(world: World) -> None:
    server = world.server(lambda request: FakeAnswer(404, b"gone"))
    ask = Ask(f"{server.url}/x", expected=frozenset({404}))
    assert world.web(server).get(ask).status == 404
    assert world.web(offline=True).get(ask).status == 404


def test_a_body_that_is_too_large_is_not_read_to_its_end(world: World) -> None:
    server = world.server(lambda request: FakeAnswer(body=bytes(100_000)))
    with pytest.raises(BodyTooLargeError):
        world.web(server).get(Ask(f"{server.url}/x", max_bytes=1000))


def test_robots_txt_is_read_once_and_obeyed(world: World) -> None:
    rules = b"User-agent: *\nDisallow: /images/\nCrawl-delay: 2\n"
    server = world.server(
        lambda request: FakeAnswer(body=rules if request.path == "/robots.txt" else b"page")
    )
    web = world.web(server)
    assert web.get(Ask(f"{server.url}/page", documented=False)).body == b"page"
    with pytest.raises(SourceStoppedError, match=r"robots\.txt"):
        web.get(Ask(f"{server.url}/images/a", documented=False))
    assert web.get(Ask(f"{server.url}/images/a")).body == b"page"  # a documented interface
    assert [one.path for one in server.log] == ["/robots.txt", "/page", "/images/a"]
    assert max(world.gaps) > 1.0  # what the host asks for is more than the gap that is set


@pytest.mark.parametrize(("status", "permitted"), [(404, True), (410, True), (401, False), (403, False)])
def test_without_robots_txt_all_is_permitted_and_a_refusal_forbids_all(
    world: World, status: int, permitted: bool
) -> None:
    server = world.server(lambda request: FakeAnswer(status if request.path == "/robots.txt" else 200))
    ask = Ask(f"{server.url}/page", documented=False)
    if permitted:
        assert world.web(server).get(ask).status == 200
    else:
        with pytest.raises(SourceStoppedError):
            world.web(server).get(ask)


def test_secrets_are_sent_to_the_first_host_alone_and_stored_nowhere(world: World) -> None:
    other = world.server(lambda request: FakeAnswer(body=b"archive"))
    link = {"Location": f"{other.url}/archive?token=hidden"}
    server = world.server(lambda request: FakeAnswer(302, headers=link))
    ask = Ask(
        f"{server.url}/x",
        headers={"Authorization": "Bearer secret", "Accept": "a/b"},
        secret_headers=frozenset({"authorization"}),
    )
    assert world.web(server).get(ask).body == b"archive"
    assert server.log[0].headers["authorization"] == "Bearer secret"
    assert "authorization" not in other.log[0].headers
    stored = b"".join(path.read_bytes() for path in (world.folder / "http").rglob("*") if path.is_file())
    assert b"secret" not in stored
    assert b"hidden" not in stored
    assert b"a/b" in stored


def test_redirections_never_end(world: World) -> None:
    server = world.server(lambda request: FakeAnswer(302, headers={"Location": "/again"}))
    with pytest.raises(SourceStoppedError, match="more than 5 times"):
        world.web(server).get(Ask(f"{server.url}/x"))


@pytest.mark.parametrize(
    "link",
    [
        "http://10.0.0.1/",
        "http://localhost/",
        "https://localhost./",
        "https://printer.local./",
        "https://169.254.169.254/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://[64:ff9b::7f00:1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[2002:7f00:1::]/",
        "file:///etc/passwd",
    ],
)
def test_no_public_server_redirects_into_the_own_network(link: str) -> None:
    assert client._refused_redirection("https://example.org/a", link)


@pytest.mark.parametrize("link", ["https://example.org/b", "https://8.8.8.8/", "https://[2001:4860::1]/"])
def test_public_servers_redirect_to_one_another(link: str) -> None:
    assert not client._refused_redirection("https://example.org/a", link)


@pytest.mark.parametrize("documented", [True, False])
def test_a_name_that_leads_into_the_own_network_is_sent_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, documented: bool
) -> None:
    resolve = socket.getaddrinfo

    def resolved(host: Any, *others: Any, **named: Any) -> Any:
        return resolve("127.0.0.2" if host == "rebound.example" else host, *others, **named)

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    monkeypatch.setattr(client, "is_own_address", lambda text: text == "127.0.0.2")
    with socket.create_server(("127.0.0.2", 0)) as inside:
        link = f"http://rebound.example:{inside.getsockname()[1]}/secret"
        away = FakeAnswer(302, headers={"Location": link})
        server = world.server(lambda request: away if request.path == "/x" else FakeAnswer())
        with pytest.raises(SourceStoppedError, match=r"127\.0\.0\.2 in the own network"):
            world.web(server).get(Ask(f"{server.url}/x", documented=documented))
        connection, _ = inside.accept()
        with connection:
            assert connection.recv(1) == b""


@pytest.mark.parametrize("proxy", ["http://proxy.example:3128", "proxy.example:3128"])
def test_behind_a_proxy_its_address_says_nothing_of_a_host(
    world: World, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    class Stream:
        def get_extra_info(self, name: str) -> tuple[str, int]:
            return "10.0.0.1", 3128

    monkeypatch.setattr(client, "getproxies", lambda: {"http": proxy})
    web = world.web()
    check = web._address_check("http://host.example/", "host.example", False)
    check("connection.connect_tcp.started", {"host": "proxy.example"})
    check("connection.connect_tcp.complete", {"return_value": Stream()})
    assert web._own_hosts == set()


def test_a_changing_answer_of_an_earlier_day_is_asked_for_anew_unless_offline(world: World) -> None:
    server = world.server(lambda request: FakeAnswer(body=str(request.number).encode()))
    ask = Ask(f"{server.url}/x", fresh=True)
    assert world.web(server).get(ask).body == b"0"
    assert world.web(server).get(ask).body == b"0"
    (line,) = (world.folder / "http" / "answers").rglob("*.json")
    stored = json.loads(line.read_bytes())
    stored["taken"] = "2020-01-01T00:00:00+00:00"
    line.write_text(json.dumps(stored))
    assert world.web(offline=True).get(ask).body == b"0"
    assert world.web(server).get(ask).body == b"1"


def test_a_stored_body_that_was_changed_is_asked_for_again(world: World) -> None:
    server = world.server(lambda request: FakeAnswer(body=b"right"))
    ask = Ask(f"{server.url}/x")
    world.web(server).get(ask)
    (body,) = (world.folder / "http" / "bodies").iterdir()
    assert stat.S_IMODE(body.stat().st_mode) & 0o077 == 0
    body.write_bytes(b"wrong")
    assert world.web(server).get(ask).body == b"right"
    assert len(server.log) == 2


def test_a_date_of_retry_after_is_understood() -> None:
    past = WebAnswer(503, {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, b"", "")
    assert wait_of(past) == 0.0
    assert wait_of(WebAnswer(503, {"retry-after": "soon"}, b"", "")) == 60.0
    assert wait_of(WebAnswer(429, {}, b"", "")) == 60.0
    assert wait_of(WebAnswer(404, {"retry-after": "7"}, b"", "")) is None
