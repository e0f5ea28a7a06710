"""Values of metrics that are kept for every later run with the same pair of pictures."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from i2s_sdk.kept_bytes import KeptBytes
from i2s_wire.errors import ContractError
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import MetricFailureKind, MetricResult, SizePolicy
from i2s_wire.metrics.serialized import result_bytes, result_from_bytes


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two pictures and how they are compared.

    Attributes:
        reference: Encoded picture.
        prediction: Encoded picture.
        size_policy: The rule that makes the two equal in size.
        profile: Rules of the comparison.
    """

    reference: bytes
    prediction: bytes
    size_policy: SizePolicy
    profile: Profile


@dataclass(frozen=True, slots=True)
class ScoreCache:
    """Values of metrics by the digests of the pictures.

    Attributes:
        entries: What is kept.
        service: What computes the values: version of the metric service, its libraries, precision and device
            as far as it says; part of the name of an entry.
        versions: Version of each metric by its name; the same. A metric without one is not kept.
    """

    entries: KeptBytes
    service: str
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
