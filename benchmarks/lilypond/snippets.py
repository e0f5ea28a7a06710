"""Real scores: the snippets of LilyPond's own manuals, from Debian's package lilypond-doc-html.

Fetched with apt-get into a folder of the caller's; nothing is installed and nothing is kept.
"""

from __future__ import annotations

import hashlib
import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.harness.command import MeasurementError
from benchmarks.harness.turns import at_once, timed
from i2s_client import AsyncRenderClient
from i2s_sdk.errors import I2SError
from i2s_wire.render.rendering import Verdict

_PACKAGE = "lilypond-doc-html"
_SEED = 1


@dataclass(frozen=True, slots=True)
class Snippets:
    """The results of snippets."""

    count: int  #: Scores that were asked for.
    verdicts: dict[str, int]  #: How often each verdict came.
    failures: int  #: Calls that ended without a verdict: faults of the service.
    cpu_median: float  #: CPU seconds of a score, as the service counts them.
    cpu_most: float
    wall_median: float  #: Seconds on the clock, as many at once as the service has slots.

    @property
    def rendered(self) -> float:
        """Return the share of snippets that have an image."""
        shown = (Verdict.RENDERED.name, Verdict.RENDERED_WITH_ERRORS.name)
        return sum(self.verdicts.get(name, 0) for name in shown) / self.count

    def lines(self) -> Iterator[str]:
        """Yield lines for people."""
        verdicts = ", ".join(f"{name} {count}" for name, count in sorted(self.verdicts.items()))
        yield f"{self.count} real scores: {self.rendered:.1%} with an image; {verdicts}"
        yield (
            f"  without a verdict: {self.failures}; CPU ms: median {1000 * self.cpu_median:.1f}, "
            f"most {1000 * self.cpu_most:.1f}; clock ms: median {1000 * self.wall_median:.1f}"
        )


def fetch(folder: Path, count: int) -> list[str]:
    """Return different snippets, always the same choice.

    Raises:
        MeasurementError: They cannot be had here.
    """
    try:
        subprocess.run(["apt-get", "download", _PACKAGE], cwd=folder, check=True, capture_output=True)
        (archive,) = folder.glob(f"{_PACKAGE}_*.deb")
        subprocess.run(["dpkg", "-x", archive, folder / "snippets"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        raise MeasurementError(f"{_PACKAGE} cannot be fetched with apt-get download: {error}") from None
    different: dict[str, str] = {}
    for path in sorted((folder / "snippets").rglob("*.ly")):
        text = path.read_text(encoding="utf-8", errors="replace")
        different.setdefault(hashlib.sha256(text.encode()).hexdigest(), text)
    chosen = [different[key] for key in sorted(different)]
    random.Random(_SEED).shuffle(chosen)
    return chosen[:count]


async def render_all(client: AsyncRenderClient, scores: list[str], slots: int) -> Snippets:
    """Render all of them, ``slots`` at once."""
    verdicts: Counter[str] = Counter()
    cpu, wall, failures = [0.0], [0.0], 0

    async def render(score: str) -> None:
        nonlocal failures
        try:
            seconds, rendering = await timed(client.render_lilypond(score))
        except I2SError:
            failures += 1
            return
        verdicts[rendering.verdict.name] += 1
        cpu.append(rendering.usage.cpu_seconds)
        wall.append(seconds)

    await at_once(render, scores, slots)
    return Snippets(len(scores), dict(verdicts), failures, median(cpu), max(cpu), median(wall))
