"""Real scores: the snippets of LilyPond's own manuals, from Debian's package lilypond-doc-html.

Fetched with apt-get into a folder of the caller's; nothing is installed and nothing is kept.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.latex.variants import VariantError
from i2s_client import AsyncRenderClient
from i2s_sdk.errors import I2SError
from i2s_wire.render.rendering import Verdict

_PACKAGE = "lilypond-doc-html"
_SEED = 1


@dataclass(frozen=True, slots=True)
class Snippets:
    """What became of them.

    Attributes:
        count: Scores that were asked for.
        verdicts: How often each verdict came.
        failures: Calls that ended without a verdict: faults of the service.
        cpu_median: CPU seconds of a score, as the service counts them.
        cpu_most: The greatest.
        wall_median: Seconds on the clock, as many at once as the service has slots.
    """

    count: int
    verdicts: dict[str, int]
    failures: int
    cpu_median: float
    cpu_most: float
    wall_median: float

    @property
    def rendered(self) -> float:
        """Return the share of snippets that have a picture."""
        shown = (Verdict.RENDERED.name, Verdict.RENDERED_WITH_ERRORS.name)
        return sum(self.verdicts.get(name, 0) for name in shown) / self.count


def fetch(folder: Path, count: int) -> list[str]:
    """Return different snippets, always the same choice.

    Raises:
        VariantError: They cannot be had here.
    """
    try:
        subprocess.run(["apt-get", "download", _PACKAGE], cwd=folder, check=True, capture_output=True)
        (archive,) = folder.glob(f"{_PACKAGE}_*.deb")
        subprocess.run(["dpkg", "-x", archive, folder / "snippets"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        raise VariantError(f"{_PACKAGE} cannot be fetched with apt-get download: {error}") from None
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
    waiting = iter(scores)

    async def work() -> None:
        nonlocal failures
        for score in waiting:
            began = asyncio.get_running_loop().time()
            try:
                rendering = await client.render_lilypond(score)
            except I2SError:
                failures += 1
                continue
            verdicts[rendering.verdict.name] += 1
            cpu.append(rendering.usage.cpu_seconds)
            wall.append(asyncio.get_running_loop().time() - began)

    async with asyncio.TaskGroup() as group:
        for _ in range(slots):
            group.create_task(work())
    return Snippets(len(scores), dict(verdicts), failures, median(cpu), max(cpu), median(wall))
