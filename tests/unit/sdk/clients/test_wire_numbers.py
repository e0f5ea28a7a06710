"""Our enums have the numbers of the wire, so a client may convert by number."""

from __future__ import annotations

import enum

import pytest
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

from i2s.metrics.v1 import metrics_pb2
from i2s.render.v1 import render_pb2
from i2s_sdk import render_types, score_types


@pytest.mark.parametrize(
    ("ours", "theirs", "prefix"),
    [
        (render_types.Verdict, render_pb2.Verdict, "VERDICT"),
        (render_types.ErrorKind, render_pb2.ErrorKind, "ERROR_KIND"),
        (render_types.ProviderKind, render_pb2.ProviderKind, "PROVIDER_KIND"),
        (render_types.PolicyKind, render_pb2.PolicyKind, "POLICY_KIND"),
        (render_types.IsolationTier, render_pb2.IsolationTier, "ISOLATION_TIER"),
        (render_types.Crop, render_pb2.Crop, "CROP"),
        (render_types.BlankPage, render_pb2.BlankPage, "BLANK_PAGE"),
        (score_types.SizePolicy, metrics_pb2.SizePolicy, "SIZE_POLICY"),
        (score_types.Direction, metrics_pb2.Direction, "DIRECTION"),
        (score_types.MetricFailureKind, metrics_pb2.MetricFailureKind, "METRIC_FAILURE_KIND"),
    ],
)
def test_names_and_numbers_are_those_of_the_wire(
    ours: type[enum.IntEnum], theirs: EnumTypeWrapper, prefix: str
) -> None:
    wire = {name.removeprefix(f"{prefix}_"): number for name, number in theirs.items()}
    del wire["UNSPECIFIED"]
    assert {member.name: member.value for member in ours} == wire
