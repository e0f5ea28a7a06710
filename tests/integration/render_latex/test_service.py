"""The contract of renderers over LaTeX, and what is its own: formats, packages that would help, pages."""

import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract import contract_of
from i2s_chassis.limits import DEFAULT_LIMITS
from renderers import LATEX, PREAMBLE

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

running, TestContract = contract_of(LATEX)


def source(body):
    return pb.LatexSource(document=PREAMBLE + b"\\begin{document}" + body + b"\\end{document}")


def request(body, **given):
    return pb.RenderRequest(id=given.pop("id", "one"), latex=source(body), **given)


@pytest.fixture
def service(running):
    return running.stub


async def test_it_describes_formats_and_what_decides_pictures(service):
    answer = await service.Describe(pb.DescribeRequest())
    assert {"pdftex", "texlive", "poppler", "texmf", "fonts"} <= set(answer.versions)
    assert answer.default_limits.cpu_seconds == DEFAULT_LIMITS.cpu_seconds
    assert answer.defaults.page.dpi == 200
    assert [(one.kind, one.name) for one in answer.warm] == [
        ("format", "amsmath, begun"),
        ("format", "amsmath"),
    ]
    assert answer.max_files == 256


async def test_a_document_goes_through_its_stages_with_a_format(service):
    answer = await service.Render(request(b"$x$"))
    assert [(stage.name, stage.detail) for stage in answer.stages] == [
        ("queue", ""),
        ("compile", "format"),
        ("raster", ""),
        ("crop", ""),
    ]
    assert answer.log.total_bytes > 0


async def test_an_undefined_command_comes_with_its_package(service):
    error = (await service.Render(request(b"\n\\toprule"))).error
    assert (error.line, error.undefined.name) == (4, "toprule")
    assert [provider.name for provider in error.undefined.providers] == ["booktabs"]


async def test_an_empty_document_is_a_verdict(service):
    answer = await service.Render(pb.RenderRequest(latex=pb.LatexSource()))
    assert answer.verdict == pb.VERDICT_INVALID_INPUT
    assert "latex.document" in answer.message


@pytest.mark.parametrize("dpi", [0, -1, 1e6])
async def test_a_resolution_without_meaning_is_refused(running, dpi):
    wanted = request(b"x", options=pb.RenderOptions(page=pb.PageOptions(dpi=dpi)))
    assert (await running.refusal(wanted)).details().startswith("options.page.dpi")
