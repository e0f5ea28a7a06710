"""Reads jobs from the wire; every fault names its field."""

from __future__ import annotations

import re

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError, NotFoundError
from i2s_metrics import registry
from i2s_metrics.errors import UnknownMetricError
from i2s_metrics.model import Job
from i2s_metrics.registry import Missing
from i2s_metrics.sent_pictures import SentPictures
from i2s_wire.errors import UnknownValueError
from i2s_wire.metrics import from_wire
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy

_MOST_ID_BYTES = 256
_SHA256 = re.compile(r"[0-9a-f]{64}")


def job_from_wire(
    request: pb.ScoreRequest, most_bytes: int, missing: Missing, sent: SentPictures | None = None
) -> Job:
    """Return what a request asks for.

    Args:
        request: Request as received.
        most_bytes: Maximum size of each encoded picture.
        missing: Networks that cannot be run here; their metrics are computed only if named.
        sent: What the stream has sent before, to which this request's pictures are added; None
            for a single call.

    Raises:
        InvalidArgumentError: A field is missing or makes no sense.
        NotFoundError: A digest that the stream does not hold.
    """
    if len(request.id.encode()) > _MOST_ID_BYTES:
        raise InvalidArgumentError("id", f"longer than {_MOST_ID_BYTES} bytes")
    if sent is not None and not request.id:
        raise InvalidArgumentError("id", "empty; it alone identifies the responses of a stream")
    # Both pictures are kept before anything else can fail: the caller has sent them, and may
    # name them from now on.
    reference = _picture("reference", request.reference, most_bytes, sent)
    prediction = _picture("prediction", request.prediction, most_bytes, sent)
    profile = _profile(request.profile)
    return Job(
        reference, prediction, _policy(request.size_policy), profile, _metrics(request, profile, missing)
    )


def _picture(field: str, image: pb.Image, most_bytes: int, sent: SentPictures | None) -> bytes:
    kind = image.WhichOneof("image")
    if kind == "sha256":
        return _named(f"{field}.sha256", image.sha256, sent)
    if kind is None or not image.data:
        raise InvalidArgumentError(f"{field}.data", "empty; send a PNG, JPEG or WebP file")
    if len(image.data) > most_bytes:
        raise InvalidArgumentError(
            f"{field}.data", f"{len(image.data)} bytes, more than {most_bytes} (--max-image-bytes)"
        )
    if sent is not None:
        sent.add(image.data)
    return image.data


def _named(field: str, digest: str, sent: SentPictures | None) -> bytes:
    if sent is None:
        raise InvalidArgumentError(field, "only ScoreStream keeps pictures; send the data")
    if not _SHA256.fullmatch(digest):
        raise InvalidArgumentError(field, "not 64 lower-case hexadecimal digits")
    data = sent.find(digest)
    if data is None:
        raise NotFoundError(f"{field}: the stream does not hold {digest}; send the data again")
    return data


def _profile(value: int) -> Profile:
    if value == pb.PROFILE_UNSPECIFIED:
        return Profile.PAPER
    try:
        return from_wire.profile(value)
    except UnknownValueError:
        raise InvalidArgumentError("profile", f"{value} is no profile; 1 is paper, 2 is helm") from None


def _policy(value: int) -> SizePolicy:
    if value == pb.SIZE_POLICY_UNSPECIFIED:
        return SizePolicy.PAD
    try:
        return SizePolicy(value)
    except ValueError:
        raise InvalidArgumentError("size_policy", f"{value} is no policy; 1 is pad, 2 is resize") from None


def _metrics(request: pb.ScoreRequest, profile: Profile, missing: Missing) -> tuple[str, ...]:
    try:
        return registry.choose(request.metrics, profile, missing)
    except UnknownMetricError as error:
        raise InvalidArgumentError("metrics", str(error)) from None
