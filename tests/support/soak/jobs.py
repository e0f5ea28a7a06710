"""The jobs of a soak: which are rendered, in which order, and what may become of each."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from hostile_sources import ATTACKS, DIED, ENDED, GOOD, latex, lilypond, plot, site
from i2s_sdk import Limits, RenderRequest
from i2s_wire.render.request import PythonSource, Source

#: No verdict may depend on the load of the machine: only CPU time ends an attack.
HOSTILE_LIMITS = Limits(cpu_seconds=3.0, wall_seconds=240.0)
#: Limits of Pillow programs, which are soon up.
_PILLOW_LIMITS = Limits(cpu_seconds=1.0, wall_seconds=240.0)
GOOD_LIMITS = Limits(cpu_seconds=60.0, wall_seconds=240.0)


def _pillow(text: str) -> PythonSource:
    return PythonSource(f"from PIL import Image\n{text}\n".encode())


#: More good sources, by renderer. The renderer of Pillow programs is one of tests.
_MORE_GOOD: dict[str, list[Source]] = {
    "render-latex": [latex("\\begin{tabular}{l|r}a&1\\\\b&2\\end{tabular} \\tikz\\draw (0,0) circle (1);")],
    "render-lilypond": [lilypond("<< { c'4 d' e' f' } \\\\ { c'2 g } >>")],
    "render-html": [site("<table border=1><tr><td>a<td>b</table><script>document.title = 'x'</script>")],
    "render-python": [plot("plt.bar([1, 2, 3], [3, 1, 2]); plt.show()")],
    "render-pillow": [
        _pillow("Image.new('RGB', (40, 30), 'teal').save('page.png')"),
        _pillow("Image.linear_gradient('L').convert('RGB').save('page.png')"),
    ],
}
_PILLOW_ATTACKS: dict[str, tuple[Source, set[str]]] = {
    "loops": (_pillow("while True: pass"), ENDED),
    "takes all memory": (_pillow("held = []\nwhile True: held.append(b'x' * (64 << 20))"), ENDED | DIED),
    "crashes": (_pillow("import os; os.kill(os.getpid(), 11)"), DIED),
    "forks without end": (_pillow("import os\nwhile True: os.fork()"), ENDED | DIED),
    "draws nothing": (_pillow("print('nothing')"), {"NO_OUTPUT"}),
}


@dataclass(frozen=True, eq=False)
class Kind:
    """One source as it is rendered, often.

    Attributes:
        service: Name of its renderer.
        name: Name for people.
        request: Source and limits.
        verdicts: Names of the permitted ones; empty for a good source, whose image must stay the same.
    """

    service: str
    name: str
    request: RenderRequest
    verdicts: frozenset[str] = frozenset()

    @property
    def is_good(self) -> bool:
        """Whether it has to have the image of its quiet rendering."""
        return not self.verdicts


def kinds_of(service: str) -> list[Kind]:
    """Return the good and the hostile sources of a renderer, the good ones first."""
    sources = [*([GOOD[service]] if service in GOOD else []), *_MORE_GOOD.get(service, [])]
    good = [
        Kind(service, f"good {number}", RenderRequest(source, limits=GOOD_LIMITS))
        for number, source in enumerate(sources)
    ]
    is_pillow = service == "render-pillow"
    attacks = _PILLOW_ATTACKS if is_pillow else ATTACKS[service]
    limits = _PILLOW_LIMITS if is_pillow else HOSTILE_LIMITS
    return good + [
        Kind(service, name, RenderRequest(source, limits=limits), frozenset(verdicts))
        for name, (source, verdicts) in attacks.items()
    ]


def drawn(kinds: Sequence[Kind], good: int, hostile: int, chance: random.Random) -> list[Kind]:
    """Return jobs in a random order: every service and every source about as often as the others.

    Args:
        kinds: All sources.
        good: Number of good jobs.
        hostile: Number of hostile jobs.
        chance: Decides the order and, where the numbers do not divide, which source is taken once more.
    """
    jobs = []
    for wanted, is_good in ((good, True), (hostile, False)):
        by_service: dict[str, list[Kind]] = {}
        for kind in kinds:
            if kind.is_good is is_good:
                by_service.setdefault(kind.service, []).append(kind)
        turns = [chance.sample(some, len(some)) for some in by_service.values()]
        for number in range(wanted):
            of_service = turns[number % len(turns)]
            jobs.append(of_service[number // len(turns) % len(of_service)])
    chance.shuffle(jobs)
    return jobs
