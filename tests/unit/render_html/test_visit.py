"""What is noted of a visit."""

from types import SimpleNamespace

import pytest

from i2s_chassis.jail import PolicyKind
from i2s_render_html.settings import HtmlSettings
from i2s_render_html.site import ORIGIN
from i2s_render_html.visit import Visit


class Route:
    """A request to be answered, and the answer it got."""

    def __init__(self, url, *, document=False, inner=False):
        frame = SimpleNamespace(parent_frame=object() if inner else None)
        self.request = SimpleNamespace(
            url=url, method="GET", is_navigation_request=lambda: document, frame=frame
        )
        self.answer = None

    async def fulfill(self, *, status, headers, body):
        self.answer = status, headers["content-type"], body

    async def abort(self, reason):
        self.answer = reason


@pytest.fixture
def visit():
    visit = Visit(HtmlSettings(clock=0, navigations=2, console_entries=3))
    visit.begin({"index.html": b"page", "a.css": b"style"})
    return visit


async def answered(visit, url, **given):
    route = Route(url, **given)
    await visit.answer(route)
    return route.answer


async def test_files_of_the_site_are_served_from_memory(visit):
    assert await answered(visit, f"{ORIGIN}/a.css?v=1") == (200, "text/css; charset=utf-8", b"style")


async def test_what_is_missing_is_not_found_and_noted(visit):
    status, _, _ = await answered(visit, f"{ORIGIN}/b.css")
    await answered(visit, f"{ORIGIN}/favicon.ico")
    assert (status, visit.missing) == (404, ("b.css",))


@pytest.mark.parametrize(("document", "reason"), [(False, "blockedbyclient"), (True, "aborted")])
async def test_other_places_are_refused_and_noted(visit, document, reason):
    assert await answered(visit, "http://169.254.169.254/x", document=document) == reason
    assert visit.events[0].kind is PolicyKind.NETWORK
    assert visit.events[0].detail == "GET http://169.254.169.254/x"


async def test_navigations_are_bounded(visit):
    answers = [await answered(visit, f"{ORIGIN}/", document=True) for _ in range(4)]
    assert [answer == "aborted" for answer in answers] == [False, False, True, True]
    assert (visit.events[0].detail, visit.events[0].count) == ("more than 2 navigations", 2)


async def test_frames_have_a_bound_of_their_own(visit):
    answers = [await answered(visit, f"{ORIGIN}/", document=True, inner=True) for _ in range(101)]
    assert answers.count("aborted") == 1


def test_messages_are_bounded_in_number_and_length(visit):
    for number in range(9):
        visit.said(SimpleNamespace(type="warning", text=f"{number}" * 5000))
    assert [(one.level, len(one.text)) for one in visit.console] == [("warning", 1000)] * 3


def test_a_refused_file_is_a_policy_event(visit):
    visit.said(SimpleNamespace(type="error", text="Not allowed to load local resource: file:///etc/passwd"))
    assert visit.events[0].kind is PolicyKind.FILE_READ
    assert visit.events[0].detail == "file:///etc/passwd"


def test_the_first_exception_is_kept(visit):
    visit.raised(SimpleNamespace(message="first"))
    visit.raised(SimpleNamespace(message="second"))
    assert (visit.exception, [one.level for one in visit.console]) == ("first", ["exception"] * 2)


async def test_quiet_is_when_no_request_is_under_way(visit):
    assert await visit.quiet(0.01)
    visit.started("a")
    assert not await visit.quiet(0.01)
    visit.ended("a")
    assert await visit.quiet(0.01)


def test_events_are_bounded(visit):
    for number in range(1000):
        visit.prevented(PolicyKind.NETWORK, f"GET {number}")
    assert len(visit.events) == 100
