"""The answer to what came of a job, up to the wire."""

import hashlib
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.jail import Excerpt, Isolation, PolicyEvent, PolicyKind, Tier, Usage
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.model import RawRendering, RawStage
from i2s_chassis.renderer.wire import answer_of, with_short_paths
from i2s_wire.codec import encode
from i2s_wire.render.rendering import Engine, Picture, Verdict
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind, SourceError, Undefined

RENDERING = RawRendering(
    Verdict.COMPILE_ERROR,
    "The engine stopped.\x1b",
    pictures=(Picture(b"png", 3, 4, 2),),
    total_pages=2,
    error=SourceError(
        "Undefined",
        ErrorKind.UNDEFINED_COMMAND,
        5,
        "a.tex",
        Undefined("t", (Provider(ProviderKind.PACKAGE, "p"),)),
        "x",
    ),
    log=Excerpt(b"log\0", b"", 4),
    stages=(
        RawStage("compile", Usage(1.0, 0.5, 10, 1), "format"),
        RawStage("raster", Usage(1.0, 0.25, 20, 1)),
    ),
    events=(PolicyEvent(PolicyKind.EXECUTE, "ls"),),
)


def answer_to(rendering: RawRendering) -> pb.RenderResponse:
    isolation, engine = Isolation(Tier.LANDLOCK, ("seccomp",)), Engine("tex", "1", "abc")
    answer = answer_of(rendering, 0.125, limits=Limits(pages=7), isolation=isolation, engine=engine)
    return encode(answer, pb.RenderResponse, id="id")


def test_a_rendering_is_answered_completely():
    answer = answer_to(RENDERING)
    assert (answer.id, answer.verdict, answer.total_pages) == ("id", pb.VERDICT_COMPILE_ERROR, 2)
    assert (answer.error.line, answer.error.file, answer.error.context) == (5, "a.tex", "x")
    assert answer.error.undefined.providers[0].name == "p"
    assert [(stage.name, stage.detail) for stage in answer.stages] == [
        ("queue", ""),
        ("compile", "format"),
        ("raster", ""),
    ]
    assert answer.stages[0].usage.wall_seconds == 0.125
    assert (answer.usage.cpu_seconds, answer.usage.peak_memory_bytes) == (0.75, 20)
    assert answer.policy_events[0].kind == pb.POLICY_KIND_EXECUTE
    picture = answer.pictures[0]
    assert (picture.png, picture.width, picture.height, picture.page) == (b"png", 3, 4, 2)
    assert picture.sha256 == hashlib.sha256(b"png").hexdigest()


def test_an_answer_says_what_its_job_ran_on():
    answer = answer_to(RENDERING)
    assert (answer.limits.pages, answer.isolation.tier) == (7, pb.ISOLATION_TIER_LANDLOCK)
    assert answer.engine == pb.Engine(name="tex", version="1", digest="abc")


def test_what_a_job_said_is_printable():
    answer = answer_to(RENDERING)
    assert "\x1b" not in answer.message
    assert "\0" not in answer.log.head


def test_without_an_error_there_is_none_on_the_wire():
    answer = answer_to(RawRendering(Verdict.RENDERED, ""))
    assert not answer.HasField("error")
    assert len(answer.pictures) == 0


def test_an_undefined_name_may_have_no_providers():
    error = SourceError("x", ErrorKind.UNDEFINED_COMMAND, undefined=Undefined("foo"))
    assert answer_to(RawRendering(Verdict.COMPILE_ERROR, "", error=error)).error.undefined.name == "foo"


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("File `/usr/share/texlive/texmf-dist/tex/a.sty' not found", "File `a.sty' not found"),
        (f"In {sys.prefix}/lib/python3/site-packages/b.py:3: x", "In b.py:3: x"),
        ("No such file: '/i2s-work/job9/data.csv'", "No such file: 'data.csv'"),
        ('x "/i2s-work/job9"', 'x "."'),
        ("in /i2s-work/", "in ."),
        ("open /tmp/i2s-jail-k3_x/c1/job2/sub/data.csv failed", "open data.csv failed"),
        ("open /var/tmp/i2s/i2s-jail-k3x/c12 failed", "open . failed"),
        ("/usr/share", "share"),
    ],
)
def test_files_of_the_installation_and_of_the_sandbox_have_their_names_alone(
    message: str, shown: str
) -> None:
    assert with_short_paths(message) == shown


@pytest.mark.parametrize(
    "message",
    [
        "cannot find file: `/etc/passwd'",
        "https://example.org/usr/share/x",
        "a/usr/share/x",
        "/usr/shared/x",
        "/data/a.csv",
        "/i2s-workers/x",
    ],
)
def test_other_paths_stay(message: str) -> None:
    assert with_short_paths(message) == message


@given(st.text(alphabet="/aiu2s-workjl.' \n", max_size=80) | st.text(max_size=80))
def test_short_paths_are_short_already(text: str) -> None:
    assert with_short_paths(with_short_paths(text)) == with_short_paths(text)
