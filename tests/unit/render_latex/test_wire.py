import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_chassis.jail import Isolation, PolicyEvent, PolicyKind, Tier, Usage
from i2s_chassis.limits import Limits
from i2s_render_latex import model
from i2s_render_latex.model import (
    BlankPage,
    Crop,
    Options,
    Picture,
    Rendering,
    SourceError,
    Stage,
    Undefined,
    Verdict,
)
from i2s_render_latex.texindex import Provider, ProviderKind
from i2s_render_latex.texlive import Installation
from i2s_render_latex.wire import options_from_wire, options_to_wire, rendering_to_wire

INSTALLATION = Installation("1.40", {"pdftex": "1.40"}, "digest", "fonts", ())


def test_nothing_asked_for_is_the_default():
    assert options_from_wire(pb.RenderOptions()) == Options()


def test_options_survive_the_wire():
    options = Options(100.5, 2, 3, 0.0, Crop.NONE, BlankPage.KEEP, 1, True)
    assert options_from_wire(options_to_wire(options)) == options


@pytest.mark.parametrize(
    ("field", "options"),
    [
        *(
            ("options.page.dpi", {"page": {"dpi": dpi}})
            for dpi in (0, -1, 2401, 1e6, float("nan"), float("inf"))
        ),
        ("options.page.first_page", {"page": {"first_page": 0}}),
        ("options.page.page_count", {"page": {"page_count": 0}}),
        *(("options.page.cut_bottom", {"page": {"cut_bottom": cut}}) for cut in (1, -0.1, float("nan"))),
        ("options.page.crop", {"page": {"crop": 9}}),
        ("options.page.blank_page", {"page": {"blank_page": 9}}),
        ("options.latex.engine", {"latex": {"engine": 9}}),
        ("options.latex.max_runs", {"latex": {"max_runs": 0}}),
        ("options.latex.max_runs", {"latex": {"max_runs": 1000}}),
        ("options.window", {"window": {"width": 3}}),
        ("options.site", {"site": {}}),
        ("options.lilypond", {"lilypond": {}}),
    ],
)
def test_a_value_without_meaning_is_refused_by_its_field(field, options):
    with pytest.raises(InvalidArgumentError) as raised:
        options_from_wire(pb.RenderOptions(**options))
    assert raised.value.field == field


@pytest.mark.parametrize(
    ("ours", "theirs", "prefix"),
    [
        (model.Verdict, pb.Verdict, "VERDICT_"),
        (model.ErrorKind, pb.ErrorKind, "ERROR_KIND_"),
        (model.Crop, pb.Crop, "CROP_"),
        (model.BlankPage, pb.BlankPage, "BLANK_PAGE_"),
        (ProviderKind, pb.ProviderKind, "PROVIDER_KIND_"),
    ],
)
def test_words_have_the_numbers_of_the_wire(ours, theirs, prefix):
    assert {prefix + word.name: word.value for word in ours} == {
        name: number for name, number in theirs.items() if number
    }


def test_a_rendering_is_answered_completely():
    rendering = Rendering(
        Verdict.COMPILE_ERROR,
        "TeX stopped.",
        pictures=(Picture(b"png", 3, 4, 1),),
        total_pages=2,
        error=SourceError(
            "Undefined",
            model.ErrorKind.UNDEFINED_COMMAND,
            5,
            "a.tex",
            "x",
            Undefined("t", (Provider(ProviderKind.PACKAGE, "p"),)),
        ),
        stages=(Stage("compile", Usage(1.0, 0.5, 10, 1), "format"), Stage("raster", Usage(1.0, 0.25, 20, 1))),
        events=(PolicyEvent(PolicyKind.EXECUTE, "ls"),),
    )
    answer = rendering_to_wire(
        "id", rendering, 0.125, Limits(), Isolation(Tier.NAMESPACE, ("m",)), INSTALLATION
    )
    assert (answer.id, answer.verdict, answer.message) == ("id", pb.VERDICT_COMPILE_ERROR, "TeX stopped.")
    assert (answer.error.line, answer.error.undefined.providers[0].name) == (5, "p")
    assert [(stage.name, stage.detail) for stage in answer.stages] == [
        ("queue", ""),
        ("compile", "format"),
        ("raster", ""),
    ]
    assert answer.stages[0].usage.wall_seconds == 0.125
    assert (answer.usage.cpu_seconds, answer.usage.peak_memory_bytes) == (0.75, 20)
    assert answer.isolation.tier == pb.ISOLATION_TIER_NAMESPACE
    assert answer.engine.digest == "digest"
    assert answer.policy_events[0].kind == pb.POLICY_KIND_EXECUTE
    assert answer.pictures[0].sha256 == rendering.pictures[0].sha256
    assert answer.limits.cpu_seconds == Limits().cpu_seconds
