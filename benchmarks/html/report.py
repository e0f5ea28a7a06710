"""What came of a run, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from benchmarks.html.measure import WAYS, Sample

#: What is claimed: seconds of another way over those of a prepared page.
BARS = {"launched": 4.0, "served": 6.0}


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a run has found.

    Attributes:
        machine: Facts about it, by name.
        repeat: Repetitions of each page.
        seconds: Median seconds on the clock by way and site.
        ratios: Ratios of the medians over the sites, by way.
        pages_per_second: Pages a second with several browsers; 0 if it was not measured.
        browsers: Number of browsers for that.
    """

    machine: Mapping[str, str]
    repeat: int
    seconds: Mapping[str, Mapping[str, float]]
    ratios: Mapping[str, float]
    pages_per_second: float
    browsers: int

    @property
    def holds(self) -> bool:
        """Whether the claims hold."""
        return all(self.ratios[way] >= bar for way, bar in BARS.items())

    def as_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {"bars": BARS, "holds": self.holds, **asdict(self)}

    def lines(self) -> Iterator[str]:
        """Yield tables for people; times are milliseconds on the clock."""
        for name, value in self.machine.items():
            yield f"{name}: {value}"
        yield f"{self.repeat} repetitions, medians of milliseconds on the clock"
        yield ""
        yield f"{'':<34}" + "".join(f"{way:>20}" for way in WAYS)
        for site in self.seconds[WAYS[0]]:
            yield f"{site:<34}" + "".join(f"{self.seconds[way][site] * 1000:>20.0f}" for way in WAYS)
        middle = [f"{median(self.seconds[way].values()) * 1000:>20.0f}" for way in WAYS]
        yield f"{'median of the sites':<34}" + "".join(middle)
        yield ""
        for way, ratio in self.ratios.items():
            bar = BARS.get(way)
            kept = "" if bar is None else f", at least {bar:g}" if ratio >= bar else f", BELOW {bar:g}"
            yield f"{way} / prepared: {ratio:.1f} on the median of the sites{kept}"
        if self.pages_per_second:
            yield f"{self.browsers} browsers at once: {self.pages_per_second:.2f} pages a second"


def report_of(
    machine: Mapping[str, str], repeat: int, samples: Sequence[Sample], pages: float, browsers: int
) -> Report:
    """Return the report of a run."""
    grouped: dict[str, dict[str, list[float]]] = {way: {} for way in WAYS}
    for sample in samples:
        grouped[sample.way].setdefault(sample.site, []).append(sample.wall_seconds)
    seconds = {way: {site: median(ones) for site, ones in of.items()} for way, of in grouped.items()}
    ratios = {
        way: median(seconds[way][site] / seconds["prepared"][site] for site in seconds[way])
        for way in WAYS[1:]
    }
    return Report(machine, repeat, seconds, ratios, pages, browsers)
