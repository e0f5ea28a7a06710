"""Repositories are found in windows that halve, and limits of GitHub are obeyed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_sources.exchange import FakeAnswer, FakeRequest
from fake_sources.github import FakeGithub
from fake_sources.server import FakeServer, fake_server
from fake_sources.small_sites import FakeRepository, site_repositories
from i2s_collect.candidates import Dropped, Fetched, Licence, Reason, SourceDocument, Window
from i2s_collect.github import TOKEN_VARIABLE, GithubApi, GithubPagesSource, GithubWaits
from i2s_collect.github.repository import Repository, fetch_checkout, read_item, read_licence
from i2s_collect.github.search import candidate, find_repositories
from i2s_collect.web.answer import BodyTooLargeError, SourceStoppedError, WebAnswer
from i2s_collect.web.client import HttpWeb, WebCache
from i2s_collect.web.manners import HostGaps, Manners

OCTOBER = Window(date(2026, 10, 1), date(2026, 10, 31))


class World:
    """A stand-in of GitHub and a client that waits without waiting."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self.waited: list[float] = []

    def open(
        self, source: FakeGithub | Answering, *, token: str = "", offline: bool = False
    ) -> tuple[FakeServer, GithubApi, HttpWeb]:
        server = self._stack.enter_context(fake_server(source))
        api = GithubApi(server.url, token)
        return server, api, self.web(server, offline=offline)

    def web(self, server: FakeServer, *, offline: bool = False) -> HttpWeb:
        web = HttpWeb(
            WebCache(self._folder / "http"),
            HostGaps(self._folder / "hosts", lambda seconds: None),
            "ann@example.org",
            "1.0",
            {server.host: Manners(0.0, GithubWaits())},
            offline=offline,
            sleep=self.waited.append,
        )
        return self._stack.enter_context(web)


class Answering:
    """Answers as a test says."""

    def __init__(self, answer: Callable[[FakeRequest], FakeAnswer]) -> None:
        self.answer = answer


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with ExitStack() as stack:
        yield World(tmp_path, stack)


def calm(repositories: list[FakeRepository], **changes: object) -> FakeGithub:
    settings: dict[str, object] = {"crowded_seconds": 0, "incomplete": 0, "limited": 0, "cut_short": 0}
    return FakeGithub(repositories, **(settings | changes))  # type: ignore[arg-type]


def queries(server: FakeServer) -> list[str]:
    return [one.path for one in server.log if one.path.startswith("/search/")]


def test_each_repository_of_the_window_is_found_once_through_limits_and_time_outs(world: World) -> None:
    fake = FakeGithub()
    server, api, web = world.open(fake)
    found = list(GithubPagesSource(api).discover(OCTOBER, web))
    documents = [one for one in found if isinstance(one, SourceDocument)]
    dropped = {one.key: one.reason for one in found if isinstance(one, Dropped)}
    expected = {site_repository.full_name for site_repository in site_repositories()}
    assert {one.key for one in documents} | set(dropped) == expected
    assert len(documents) + len(dropped) == len(expected)
    assert dropped == {
        "empty/empty.github.io": Reason.NO_SOURCE,
        "seed/seed.github.io": Reason.TEMPLATE,
    }
    assert world.waited == [1.0]  # the secondary limit, which said so in Retry-After
    assert len(queries(server)) >= 3 * 7  # a month, its halves and its quarters, for each language
    assert any("per_page=99" in query for query in queries(server))  # asked again because it was incomplete
    first = next(one for one in documents if one.key == "owner0/owner0.github.io")
    assert first.day == date(2026, 10, 1)
    assert first.licence == Licence("MIT", "https://spdx.org/licenses/MIT.html", True)
    assert first.detail["subset"] == "css"


def test_what_was_asked_once_is_found_offline_in_the_same_order(world: World) -> None:
    server, api, web = world.open(FakeGithub())
    found = list(GithubPagesSource(api).discover(OCTOBER, web))
    asked = len(server.log)
    again = list(GithubPagesSource(api).discover(OCTOBER, world.web(server, offline=True)))
    assert again == found
    assert len(server.log) == asked


def test_a_window_holds_both_of_its_days_and_no_other(world: World) -> None:
    _, api, web = world.open(FakeGithub())
    days = Window(date(2026, 10, 2), date(2026, 10, 3))
    found = [one for one in GithubPagesSource(api).discover(days, web) if isinstance(one, SourceDocument)]
    assert {one.day for one in found} == {days.first, days.last}


@pytest.mark.slow
def test_only_redistributable_licences_are_asked_for(world: World) -> None:
    server, api, web = world.open(calm(site_repositories()))
    source = GithubPagesSource(api, redistributable=True)
    found = [one for one in source.discover(OCTOBER, web) if isinstance(one, SourceDocument)]
    assert {one.licence.name for one in found} == {"MIT", "CC0-1.0", "Apache-2.0"}
    assert all(one.licence.redistributable for one in found)
    assert all("license%3A" in query for query in queries(server))


def test_results_over_several_pages_are_all_read(world: World) -> None:
    many = [
        FakeRepository(number, f"o{number}/o{number}.github.io", "CSS", "2026-10-02T01:00:00Z", b"")
        for number in range(205)
    ]
    server, api, web = world.open(calm(many))
    found = list(find_repositories(web, api, ("github.io in:name", "language:css"), OCTOBER))
    assert len(found) == 205
    assert len(queries(server)) == 3


def test_a_search_that_always_times_out_is_halved_and_ends(world: World) -> None:
    day = Window(date(2026, 10, 2), date(2026, 10, 2))

    def answer(request: FakeRequest) -> FakeAnswer:
        first, _, last = request.query["q"][0].rpartition("created:")[2].partition("..")
        short = (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds() < 7 * 3600
        items = [site_repositories()[3].item()] if "T06:" in first or not short else []
        body = {"total_count": len(items), "incomplete_results": not short, "items": items}
        return FakeAnswer(200, json.dumps(body).encode())

    server, api, web = world.open(Answering(answer))
    found = list(find_repositories(web, api, ("x",), day))
    assert [one.full_name for one in found if isinstance(one, Repository)] == ["owner3/owner3.github.io"]
    assert len(queries(server)) == 3 + 2 * 3 + 4  # a day and its halves three times each, its quarters once


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"total_count": "9", "items": []}', b"[" * 100_000])
def test_an_answer_that_is_no_search_stops_the_source_with_one_line(world: World, body: bytes) -> None:
    _, api, web = world.open(Answering(lambda request: FakeAnswer(200, body)))
    with pytest.raises(SourceStoppedError, match="no result of a search") as caught:
        list(find_repositories(web, api, ("x",), OCTOBER))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        {"full_name": "../../etc"},
        {"full_name": "a/b/c"},
        {"full_name": "a/.."},
        {"full_name": 7},
        {"default_branch": "../x"},
        {"default_branch": "\ud800"},
        {"default_branch": None},
        {"created_at": "yesterday"},
        {"id": True},
        {"size": 2**70},
        {"size": "40"},
    ],
)
def test_an_item_that_cannot_be_read_is_dropped_and_the_others_are_not(
    world: World, change: dict[str, object]
) -> None:
    good, bad = site_repositories()[:2]
    _, api, web = world.open(calm([replace(bad, flags=change, created=good.created), good]))
    # The stand-in filters by its own fields, so only the item is hostile.
    found = list(find_repositories(web, api, ("x",), OCTOBER))
    assert [one.full_name for one in found if isinstance(one, Repository)] == [good.full_name]
    assert [one.reason for one in found if isinstance(one, Dropped)] == [Reason.MALFORMED]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from(["id", "full_name", "default_branch", "created_at", "size", "license"]), json_values
    )
)
def test_any_item_is_a_repository_or_a_fault_of_one_line(change: dict[str, object]) -> None:
    try:
        found = read_item(site_repositories_item() | change)
    except ValueError as error:
        assert "\n" not in str(error)
    else:
        assert found.full_name.count("/") == 1
        assert isinstance(candidate(found), SourceDocument | Dropped)


def site_repositories_item() -> dict[str, object]:
    return FakeRepository(1, "ann/ann.github.io", "CSS", "2026-10-03T09:10:11Z", b"", "MIT").item()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, Licence()),
        ({"spdx_id": "NOASSERTION"}, Licence()),
        ({"spdx_id": 3}, Licence()),
        ({"spdx_id": "GPL-3.0"}, Licence("GPL-3.0", "https://spdx.org/licenses/GPL-3.0.html", False)),
        ({"spdx_id": "0BSD"}, Licence("0BSD", "https://spdx.org/licenses/0BSD.html", True)),
    ],
)
def test_licences_that_permit_copies_are_known(value: object, expected: Licence) -> None:
    assert read_licence(value) == expected


def test_the_token_comes_from_the_environment_and_is_neither_shown_nor_stored(
    world: World, tmp_path: Path
) -> None:
    token = "ghp_" + "s3cret" * 5
    server, _, web = world.open(FakeGithub(token=token))
    api = GithubApi.from_environment({TOKEN_VARIABLE: f" {token}\n"}, server.url)
    document = site_repositories()[0]
    found = list(GithubPagesSource(api).discover(OCTOBER, web))
    assert document.full_name in {one.key for one in found}
    assert token not in repr(api)
    assert all(one.headers["authorization"] == f"Bearer {token}" for one in server.log)
    stored = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert stored
    assert not any(token.encode() in path.read_bytes() for path in stored)


def answer(status: int, body: bytes = b"", **headers: str) -> WebAnswer:
    return WebAnswer(status, {name.replace("_", "-"): value for name, value in headers.items()}, body, "u")


def test_limits_of_github_say_how_long_to_wait() -> None:
    waits = GithubWaits(now=lambda: 1000.0)
    assert waits(answer(403, retry_after="7")) == 7.0
    assert waits(answer(429, retry_after="8")) == 8.0
    assert waits(answer(403, x_ratelimit_remaining="0", x_ratelimit_reset="1060")) == 60.0
    assert waits(answer(403, x_ratelimit_remaining="0", x_ratelimit_reset="1")) == 0.0
    dated = answer(
        403,
        x_ratelimit_remaining="0",
        x_ratelimit_reset="1793494830",
        date="Sun, 01 Nov 2026 00:20:00 GMT",
    )
    assert waits(dated) == 1793494830 - datetime.fromisoformat("2026-11-01T00:20:00Z").timestamp()
    assert waits(answer(503)) == 60.0
    assert waits(answer(403, b'{"message": "Repository access blocked"}')) is None
    assert waits(answer(403, x_ratelimit_remaining="0", x_ratelimit_reset="never")) is None
    assert waits(answer(404)) is None


def test_a_secondary_limit_without_a_time_is_a_minute_that_doubles() -> None:
    waits = GithubWaits()
    refused = answer(403, b"You have exceeded a secondary rate limit")
    assert [waits(refused) for _ in range(3)] == [60.0, 120.0, 240.0]
    assert waits(replace(refused, url="another")) == 60.0


def document(name: str, branch: str = "main") -> SourceDocument:
    return read_item(site_repositories_item() | {"full_name": name, "default_branch": branch}).document()


def test_an_archive_is_fetched_at_a_commit_through_a_redirection_and_a_broken_body(world: World) -> None:
    fake = calm(site_repositories(), cut_short=1)
    server, api, web = world.open(fake, token="t0ken")
    found = fetch_checkout(document("owner1/owner1.github.io", "a/b+c"), web, api)
    repository = site_repositories()[1]
    assert isinstance(found, Fetched)
    assert found.content == repository.content
    assert found.version == repository.commit
    assert found.url == f"https://github.com/owner1/owner1.github.io/tree/{repository.commit}"
    assert server.log[0].path == "/repos/owner1/owner1.github.io/commits/a/b%2Bc"
    assert len(world.waited) == 1
    for one in server.log:  # the token is for the interface alone
        assert ("authorization" in one.headers) == (not one.path.startswith("/codeload/"))


@pytest.mark.parametrize("name", ["gone/gone.github.io", "nobody/nothing.github.io"])
def test_a_repository_that_is_empty_or_gone_is_dropped(world: World, name: str) -> None:
    _, api, web = world.open(calm(site_repositories()))
    found = fetch_checkout(document(name), web, api)
    assert isinstance(found, Dropped)
    assert (found.reason, found.key) == (Reason.GONE, name)


def test_an_archive_that_is_too_large_is_refused(world: World) -> None:
    _, api, web = world.open(calm(site_repositories()))
    with pytest.raises(BodyTooLargeError):
        fetch_checkout(document("owner1/owner1.github.io"), web, api, max_bytes=100)


@pytest.mark.parametrize("body", [b"", b"[]", b'{"sha": "../../x"}', b'{"sha": 5}'])
def test_an_answer_without_a_commit_stops_the_source(world: World, body: bytes) -> None:
    _, api, web = world.open(Answering(lambda request: FakeAnswer(200, body)))
    with pytest.raises(SourceStoppedError, match="without a commit"):
        fetch_checkout(document("a/b"), web, api)


def test_a_refusal_that_is_no_limit_stops_the_source_at_once(world: World) -> None:
    server, api, web = world.open(Answering(lambda request: FakeAnswer(403, b"blocked")))
    with pytest.raises(SourceStoppedError):
        fetch_checkout(document("a/b"), web, api)
    assert len(server.log) == 1
    assert world.waited == []


@pytest.mark.parametrize("part", ["/commits/", "/tarball/"])
def test_a_repository_that_is_closed_is_dropped_and_stops_nothing(world: World, part: str) -> None:
    closed = b'{"message": "Repository access blocked", "block": {"reason": "tos"}}'
    commit = json.dumps({"sha": "a" * 40}).encode()
    server, api, web = world.open(
        Answering(
            lambda request: FakeAnswer(403, closed) if part in request.path else FakeAnswer(200, commit)
        )
    )
    for _ in range(2):  # the second time from the cache
        found = fetch_checkout(document("a/b"), web, api)
        assert isinstance(found, Dropped)
        assert (found.reason, found.key) == (Reason.GONE, "a/b")
        assert "403" in found.detail
    assert len(server.log) == (1 if part == "/commits/" else 2)
    assert world.waited == []
