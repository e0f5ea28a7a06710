"""Enums have the names and numbers of the wire, so that they are converted by number."""

from __future__ import annotations

import enum

import pytest
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

from i2s.documents.v1 import documents_pb2
from i2s.metrics.v1 import metrics_pb2
from i2s.render.v1 import render_pb2
from i2s_wire.codec import decode, encode
from i2s_wire.documents import conversion, drawing
from i2s_wire.metrics import score
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import Score
from i2s_wire.render import isolation, options, rendering, source_error


@pytest.mark.parametrize(
    ("ours", "theirs", "prefix"),
    [
        (rendering.Verdict, render_pb2.Verdict, "VERDICT"),
        (source_error.ErrorKind, render_pb2.ErrorKind, "ERROR_KIND"),
        (source_error.ProviderKind, render_pb2.ProviderKind, "PROVIDER_KIND"),
        (isolation.PolicyKind, render_pb2.PolicyKind, "POLICY_KIND"),
        (isolation.IsolationTier, render_pb2.IsolationTier, "ISOLATION_TIER"),
        (options.Crop, render_pb2.Crop, "CROP"),
        (options.BlankPage, render_pb2.BlankPage, "BLANK_PAGE"),
        (options.SiteBuild, render_pb2.SiteBuild, "SITE_BUILD"),
        (options.LilypondConvert, render_pb2.LilypondConvert, "LILYPOND_CONVERT"),
        (options.LilypondBackend, render_pb2.LilypondBackend, "LILYPOND_BACKEND"),
        (conversion.FragmentFormat, documents_pb2.FragmentFormat, "FRAGMENT_FORMAT"),
        (drawing.ImageFormat, documents_pb2.ImageFormat, "IMAGE_FORMAT"),
        (drawing.DocumentDefect, documents_pb2.DocumentDefect, "DOCUMENT_DEFECT"),
        (score.SizePolicy, metrics_pb2.SizePolicy, "SIZE_POLICY"),
        (score.Direction, metrics_pb2.Direction, "DIRECTION"),
        (score.MetricFailureKind, metrics_pb2.MetricFailureKind, "METRIC_FAILURE_KIND"),
    ],
)
def test_names_and_numbers_are_those_of_the_wire(
    ours: type[enum.IntEnum], theirs: EnumTypeWrapper, prefix: str
) -> None:
    wire = {name.removeprefix(f"{prefix}_"): number for name, number in theirs.items()}
    del wire["UNSPECIFIED"]
    assert {member.name: member.value for member in ours} == wire


def test_each_profile_has_its_number_in_both_directions() -> None:
    numbers = {
        f"PROFILE_{profile.name}": encode(Score((), profile), metrics_pb2.ScoreResponse).profile
        for profile in Profile
    }
    assert {"PROFILE_UNSPECIFIED": 0, **numbers} == dict(metrics_pb2.Profile.items())
    read = [decode(metrics_pb2.ScoreResponse(profile=number), Score).profile for number in numbers.values()]
    assert read == list(Profile)
