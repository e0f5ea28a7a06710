"""Answers that are outside the contract are refused, and the error names the field."""

from __future__ import annotations

import pytest

from i2s.documents.v1 import documents_pb2
from i2s.metrics.v1 import metrics_pb2
from i2s.render.v1 import render_pb2 as pb
from i2s_wire.codec import decode
from i2s_wire.documents import Conversions, PageImages
from i2s_wire.errors import ContractError, UnknownValueError
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.metrics.score import Score
from i2s_wire.render.isolation import Isolation
from i2s_wire.render.rendering import Rendering
from i2s_wire.render.source_error import ErrorKind, SourceError


def answer(**fields: object) -> pb.RenderResponse:
    return pb.RenderResponse(**{"verdict": pb.VERDICT_RENDERED, **fields})


@pytest.mark.parametrize(
    ("message", "field", "number"),
    [
        (answer(verdict=0), "verdict", 0),
        (answer(verdict=99), "verdict", 99),
        (answer(error=pb.SourceError(kind=99)), "error.kind", 99),
        (answer(isolation=pb.Isolation(tier=99)), "isolation.tier", 99),
        (answer(policy_events=[pb.PolicyEvent()]), "policy_events.kind", 0),
        (
            answer(error=pb.SourceError(undefined=pb.Undefined(providers=[pb.Provider(kind=9)]))),
            "error.undefined.providers.kind",
            9,
        ),
    ],
)
def test_a_number_that_no_member_has_is_refused(message: pb.RenderResponse, field: str, number: int) -> None:
    with pytest.raises(UnknownValueError) as caught:
        decode(message, Rendering)
    assert (caught.value.field, caught.value.number) == (field, number)


def test_what_an_older_service_leaves_out_has_a_meaning() -> None:
    read = decode(answer(error=pb.SourceError(message="x")), Rendering)
    assert read.error == SourceError("x", ErrorKind.OTHER)
    assert read.isolation == Isolation()
    assert read.site is None


def result(**fields: object) -> metrics_pb2.ScoreResponse:
    whole = metrics_pb2.MetricResult(**{"name": "ems", "direction": 1, **fields})
    return metrics_pb2.ScoreResponse(profile=1, results=[whole])


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (result(), "neither a value nor a reason for 'ems'"),
        (result(value=float("nan")), "nan for 'ems', which is not a value"),
        (result(value=float("-inf")), "-inf for 'ems', which is not a value"),
        (result(value=1.0, direction=9), "results.direction = 9, which is not a known value"),
        (result(failure=metrics_pb2.MetricFailure()), "results.failure.kind = 0, which is not a known value"),
        (metrics_pb2.ScoreResponse(profile=3), "profile = 3, which is not a known value"),
    ],
)
def test_a_score_without_meaning_is_refused(message: metrics_pb2.ScoreResponse, reason: str) -> None:
    with pytest.raises(ContractError, match=f"^{reason}$"):
        decode(message, Score)


def test_a_profile_of_a_metric_that_is_unknown_is_refused() -> None:
    described = metrics_pb2.MetricDescription(direction=1, profiles=[1, 7])
    with pytest.raises(UnknownValueError, match=r"metrics\.profiles = 7"):
        decode(metrics_pb2.DescribeResponse(metrics=[described]), MetricsDescription)


@pytest.mark.parametrize(
    ("conversion", "reason"),
    [
        (documents_pb2.Conversion(id="x"), "neither HTML nor a reason for 'x'"),
        (
            documents_pb2.Conversion(failure=documents_pb2.ConversionFailure()),
            "conversions.failure.verdict = 0, which is not a known value",
        ),
    ],
)
def test_a_conversion_without_an_outcome_is_refused(
    conversion: documents_pb2.Conversion, reason: str
) -> None:
    with pytest.raises(ContractError, match=f"^{reason}$"):
        decode(documents_pb2.ConvertResponse(conversions=[conversion]), Conversions)


def test_pages_with_an_unknown_defect_are_refused() -> None:
    with pytest.raises(UnknownValueError, match="defect = 9"):
        decode(documents_pb2.DrawPagesResponse(verdict=12, defect=9), PageImages)
