"""Renderings and metric values that are stored for every later run with the same source or image pair."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Protocol

from i2s_sdk.files import KeptBytes
from i2s_wire.errors import ContractError
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import MetricFailureKind, MetricResult, SizePolicy
from i2s_wire.metrics.serialized import result_bytes, result_from_bytes
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.request import RenderRequest
from i2s_wire.render.serialized import rendering_bytes, rendering_from_bytes, request_bytes
from i2s_wire.tracing import current_span

#: Verdicts that another machine, or this one at another time, may not repeat.
MACHINE_VERDICTS = frozenset(
    {Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.PROCESS_LIMIT, Verdict.CRASHED}
)

#: Limits that lead to one of these verdicts and to no other difference.
_MACHINE_LIMITS = ("cpu_seconds", "wall_seconds", "memory_bytes", "processes")


class Renderer(Protocol):
    """Renders sources: a client, or a cache before one."""

    async def render(self, request: RenderRequest) -> Rendering:
        """Return the answer to a request.

        Raises:
            ServiceError: The renderer does not answer.
            ProtocolError: It answers what it must not.
        """
        ...


@dataclass(frozen=True, slots=True)
class CachedRenderer:
    """A renderer that is asked only what it has not answered before.

    An answer that is kept is given back as it was, with its verdict, its log, and the time and memory that
    the render once took.
    """

    #: Renderer that is asked if there is no entry.
    renderer: Renderer
    #: What is kept.
    entries: KeptBytes
    #: What the renderer says of itself; part of the name of an entry.
    description: RendererDescription
    #: Rules of the run; part of it too.
    profile: Profile

    async def render(self, request: RenderRequest) -> Rendering:
        """Return the answer to a request, kept or new; see ``Renderer.render``."""
        key, kept = await asyncio.to_thread(self._kept, request)
        if kept is not None:
            current_span().add_event("taken from the cache")
            return kept
        rendering = await self.renderer.render(request)
        if self._may_be_kept(rendering):
            await asyncio.to_thread(self._keep, key, rendering)
        return rendering

    def _kept(self, request: RenderRequest) -> tuple[str, Rendering | None]:
        key = render_key(request, self.description, self.profile)
        content = self.entries.read(key)
        try:
            return key, rendering_from_bytes(content) if content is not None else None
        except ContractError:  # written by a version of this package that knows more
            return key, None

    def _may_be_kept(self, rendering: Rendering) -> bool:
        described = self.description
        return (
            rendering.verdict not in MACHINE_VERDICTS
            # A page that was not at rest when its time was over looks different on another day.
            and (rendering.site is None or rendering.site.settled or not rendering.verdict.has_picture)
            # Else another renderer answers at this address than the one that was described.
            and bool(described.engine.digest)
            and rendering.engine.digest == described.engine.digest
            and rendering.isolation.tier == described.isolation.tier
        )

    def _keep(self, key: str, rendering: Rendering) -> None:
        self.entries.write(key, rendering_bytes(rendering))


def render_key(request: RenderRequest, description: RendererDescription, profile: Profile) -> str:
    """Return the SHA-256 of everything that decides an answer.

    These are source, options and limits of the request, the renderer with its engine, fonts, sandbox tier and
    the limits of its operator, and the profile.

    Args:
        request: Its id does not count.
        description: What the renderer says of itself.
        profile: Rules of the run.
    """
    limits = [asdict(one) for one in (description.default_limits, description.max_limits)]
    origin = {
        "service": description.service,
        "version": description.version,
        "engine": asdict(description.engine),
        "fonts": description.fonts_digest,
        "missing": sorted(description.missing),
        "tier": int(description.isolation.tier),
        "limits": [{name: one[name] for name in one if name not in _MACHINE_LIMITS} for one in limits],
        "profile": str(profile),
    }
    digest = hashlib.sha256(json.dumps(origin, sort_keys=True).encode())
    digest.update(b"\n" + request_bytes(request))
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two images and how they are compared."""

    #: Encoded image.
    reference: bytes
    #: Encoded image.
    prediction: bytes
    #: The rule that makes the two equal in size.
    size_policy: SizePolicy
    #: Rules of the comparison.
    profile: Profile


@dataclass(frozen=True, slots=True)
class ScoreCache:
    """Values of metrics by the digests of the images."""

    #: What is kept.
    entries: KeptBytes
    #: What computes the values: version of the metric service, its libraries, precision and device as far as
    #: it says; part of the name of an entry.
    service: str
    #: Version of each metric by its name; the same. A metric without one is not kept.
    versions: Mapping[str, str]

    @classmethod
    def of(cls, entries: KeptBytes, description: MetricsDescription, profile: Profile) -> ScoreCache:
        """Return the cache before a metric service.

        Args:
            entries: What is kept.
            description: What the service says of itself.
            profile: Rules of the run; a name may have another version in other rules.
        """
        own = [one for one in description.metrics if profile in one.profiles and one.version]
        service = [description.version, sorted(description.versions.items()), description.device]
        return cls(entries, json.dumps(service), {one.name: one.version for one in own})

    def known(self, pair: ComparedPair, metrics: Iterable[str]) -> dict[str, MetricResult]:
        """Return by name the results that are kept of some metrics."""
        prefix = self._prefix(pair)
        found: dict[str, MetricResult] = {}
        for name in metrics:
            content = self.entries.read(self._key(prefix, name)) if name in self.versions else None
            if content is None:
                continue
            try:
                result = result_from_bytes(content)
            except ContractError:  # written by a version of this package that knows more
                continue
            if result.name == name and result.version == self.versions[name]:
                found[name] = result
        return found

    def keep(self, pair: ComparedPair, results: Iterable[MetricResult]) -> None:
        """Keep values, and that a metric is not defined for a pair; no other failure is kept."""
        prefix = self._prefix(pair)
        for one in results:
            defined = one.failure is None or one.failure.kind is MetricFailureKind.UNDEFINED
            # Another version is of another service than the one that was described.
            if defined and one.version and one.version == self.versions.get(one.name):
                self.entries.write(self._key(prefix, one.name), result_bytes(one))

    def _prefix(self, pair: ComparedPair) -> list[str]:
        digests = [hashlib.sha256(one).hexdigest() for one in (pair.reference, pair.prediction)]
        return [self.service, *digests, pair.size_policy.name, str(pair.profile)]

    def _key(self, prefix: list[str], name: str) -> str:
        return hashlib.sha256(json.dumps([*prefix, name, self.versions[name]]).encode()).hexdigest()
