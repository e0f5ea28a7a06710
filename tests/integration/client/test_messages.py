"""What goes over the wire and what comes back in our own words."""

from __future__ import annotations

import pytest

from i2s.metrics.v1 import metrics_pb2
from i2s.metrics.v1.metrics_pb2_grpc import MetricsServiceServicer
from i2s.render.v1 import render_pb2 as pb
from i2s_client import AsyncMetricsClient, AsyncRenderClient, MetricFailureKind, SizePolicy
from i2s_sdk.errors import ProtocolError, ServiceUnavailableError
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.isolation import IsolationTier, PolicyKind
from i2s_wire.render.options import BlankPage, Crop, PageOptions
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.resources import Limits
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind

pytestmark = pytest.mark.integration


async def test_a_request_carries_everything_that_was_asked_for(serve, scripted, steps) -> None:
    _, answer = steps
    renderer = scripted(answer())
    async with AsyncRenderClient(await serve(renderer)) as client:
        await client.render_latex(
            "\\documentclass{article}é",
            files={"data/a.csv": b"1"},
            page=PageOptions(
                dpi=100.0, first_page=2, cut_bottom=0.0, crop=Crop.NONE, blank_page=BlankPage.KEEP
            ),
            limits=Limits(cpu_seconds=2.5, pages=3),
            max_runs=4,
            cold=True,
            request_id="one",
        )
    (request,) = renderer.requests
    assert request == pb.RenderRequest(
        id="one",
        latex=pb.LatexSource(
            document="\\documentclass{article}é".encode(), files=[pb.File(path="data/a.csv", content=b"1")]
        ),
        options=pb.RenderOptions(
            page=pb.PageOptions(
                dpi=100.0, first_page=2, cut_bottom=0.0, crop=pb.CROP_NONE, blank_page=pb.BLANK_PAGE_KEEP
            ),
            latex=pb.LatexOptions(max_runs=4, cold=True),
        ),
        limits=pb.Limits(cpu_seconds=2.5, pages=3),
    )


async def test_a_bare_request_leaves_every_default_to_the_renderer(serve, scripted, steps) -> None:
    _, answer = steps
    renderer = scripted(answer())
    async with AsyncRenderClient(await serve(renderer)) as client:
        await client.render_latex(b"\xff")
    (request,) = renderer.requests
    assert request.latex.document == b"\xff"
    assert request.options.page == pb.PageOptions()
    assert request.options.latex == pb.LatexOptions()
    assert not request.HasField("limits")


async def test_an_answer_comes_back_whole(serve, scripted, steps) -> None:
    _, answer = steps
    error = pb.SourceError(
        message="Undefined control sequence",
        line=3,
        kind=pb.ERROR_KIND_UNDEFINED_COMMAND,
        undefined=pb.Undefined(
            name="toprule", providers=[pb.Provider(kind=pb.PROVIDER_KIND_PACKAGE, name="booktabs")]
        ),
    )
    renderer = scripted(
        answer(
            verdict=pb.VERDICT_RENDERED_WITH_ERRORS,
            pictures=[pb.Picture(png=b"png", width=3, height=2, page=1, sha256="ab")],
            total_pages=7,
            error=error,
            isolation=pb.Isolation(tier=pb.ISOLATION_TIER_NAMESPACE, mechanisms=["seccomp"]),
            engine=pb.Engine(name="pdftex", version="1.40", digest="cd"),
            policy_events=[pb.PolicyEvent(kind=pb.POLICY_KIND_EXECUTE, detail="id")],
        )
    )
    async with AsyncRenderClient(await serve(renderer)) as client:
        rendering = await client.render_latex("x")
    assert rendering.verdict is Verdict.RENDERED_WITH_ERRORS
    assert (rendering.pictures[0].png, rendering.pictures[0].width, rendering.total_pages) == (b"png", 3, 7)
    assert rendering.error is not None
    assert rendering.error.kind is ErrorKind.UNDEFINED_COMMAND
    assert rendering.error.undefined is not None
    assert rendering.error.undefined.providers == (Provider(ProviderKind.PACKAGE, "booktabs"),)
    assert rendering.isolation.tier is IsolationTier.NAMESPACE
    assert rendering.engine.digest == "cd"
    assert (rendering.policy_events[0].kind, rendering.policy_events[0].count) == (PolicyKind.EXECUTE, 1)


@pytest.mark.parametrize("verdict", [0, 99])
async def test_a_verdict_that_nobody_knows_is_a_fault_of_the_protocol(
    verdict, serve, scripted, steps
) -> None:
    _, answer = steps
    async with AsyncRenderClient(await serve(scripted(answer(verdict=verdict)))) as client:
        with pytest.raises(ProtocolError, match=f"verdict = {verdict}"):
            await client.render_latex("x")


async def test_waiting_for_a_port_where_nobody_is_ends(serve, scripted) -> None:
    address = await serve(scripted())
    async with AsyncRenderClient("127.0.0.1:1") as client:
        with pytest.raises(ServiceUnavailableError, match=r"127\.0\.0\.1:1 within 0.2 s"):
            await client.wait_ready(0.2)
    async with AsyncRenderClient(address) as client:  # a server without health is not ready either
        with pytest.raises(ServiceUnavailableError, match="UNIMPLEMENTED"):
            await client.wait_ready(0.2)


class OneAnswer(MetricsServiceServicer):
    """Answers every request with one response, and keeps the requests."""

    def __init__(self, response: metrics_pb2.ScoreResponse) -> None:
        self.response = response
        self.requests: list[metrics_pb2.ScoreRequest] = []

    async def Score(self, request: metrics_pb2.ScoreRequest, context: object) -> metrics_pb2.ScoreResponse:  # noqa: N802
        self.requests.append(request)
        return self.response


def _result(name: str, **outcome: object) -> metrics_pb2.MetricResult:
    return metrics_pb2.MetricResult(
        name=name, direction=metrics_pb2.DIRECTION_HIGHER_IS_BETTER, version="1", **outcome
    )


async def test_a_score_has_values_and_reasons(serve) -> None:
    failure = metrics_pb2.MetricFailure(
        kind=metrics_pb2.METRIC_FAILURE_KIND_UNDEFINED, message="smaller than 7 pixels"
    )
    response = metrics_pb2.ScoreResponse(
        profile=metrics_pb2.PROFILE_HELM,
        results=[_result("ems", value=0.5, parts={"block_emd": 0.1}), _result("ssim", failure=failure)],
    )
    service = OneAnswer(response)
    async with AsyncMetricsClient(await serve(service)) as client:
        score = await client.score(
            b"r", b"p", size_policy=SizePolicy.RESIZE, profile=Profile.HELM, metrics=("ems", "ssim")
        )
    assert score.values == {"ems": 0.5}
    assert score.failures["ssim"].kind is MetricFailureKind.UNDEFINED
    assert score.profile is Profile.HELM
    assert score.results[0].parts == {"block_emd": 0.1}
    (request,) = service.requests
    assert (request.reference.data, request.prediction.data) == (b"r", b"p")
    assert request.size_policy == metrics_pb2.SIZE_POLICY_RESIZE
    assert request.profile == metrics_pb2.PROFILE_HELM
    assert list(request.metrics) == ["ems", "ssim"]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
async def test_a_value_that_is_no_number_is_a_fault_of_the_protocol(value, serve) -> None:
    response = metrics_pb2.ScoreResponse(
        profile=metrics_pb2.PROFILE_PAPER, results=[_result("ems", value=value)]
    )
    async with AsyncMetricsClient(await serve(OneAnswer(response))) as client:
        with pytest.raises(ProtocolError, match="ems"):
            await client.score(b"r", b"p")


async def test_a_metric_without_value_and_reason_is_a_fault_of_the_protocol(serve) -> None:
    response = metrics_pb2.ScoreResponse(profile=metrics_pb2.PROFILE_PAPER, results=[_result("ems")])
    async with AsyncMetricsClient(await serve(OneAnswer(response))) as client:
        with pytest.raises(ProtocolError, match="neither a value nor a reason"):
            await client.score(b"r", b"p")
