"""Compares recorded verdicts: of a quiet and a busy machine, and of one tier and another."""

from __future__ import annotations

import json
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

#: Explained differences between tiers.
EXPLAINED = Path(__file__).parents[1] / "security" / "tier_verdicts.toml"


@dataclass(frozen=True, order=True)
class Way:
    """How a service is confined: the user that it is started as, and the tier; empty if none was named."""

    user: str
    tier: str

    def __str__(self) -> str:
        return f"{self.tier or 'any tier'}, {self.user}"


@dataclass(frozen=True)
class Record:
    """A line of a recording.

    Attributes:
        test: Test without its tier.
        way: Way in which it was run.
        ordinal: Ordinal of the result in its test.
        verdict: Name of the verdict.
        limit: Limit that was reached; else empty.
        pictures: Their digests.
        racing: Why results of the test may differ between two runs; empty if they may not.
    """

    test: str
    way: Way
    ordinal: str
    verdict: str
    limit: str = ""
    pictures: tuple[str, ...] = ()
    racing: str = ""

    def __str__(self) -> str:
        pictures = " ".join(picture[:12] for picture in self.pictures)
        return f"{self.verdict}{f' ({self.limit})' if self.limit else ''}{f' {pictures}' if pictures else ''}"

    @property
    def result(self) -> tuple[str, str, tuple[str, ...]]:
        """What is compared."""
        return self.verdict, self.limit, self.pictures


@dataclass(frozen=True)
class Difference:
    """A result that two recordings tell differently; one of them may lack it.

    Attributes:
        test: Test without its tier.
        ordinal: Ordinal of the result in its test.
        before: Result of a quiet machine, or of the first way.
        after: Result of a busy machine, or of the other way.
        ways: Ways in which both were recorded.
    """

    test: str
    ordinal: str
    before: Record | None
    after: Record | None
    ways: tuple[Way, Way]

    def __str__(self) -> str:
        first, second = self.ways
        where = f"{first}" if first == second else f"{first} and {second}"
        what = f"{self.before or 'none'}, then {self.after or 'none'}"
        return f"{self.test}, result {self.ordinal}, {where}: {what}"


@dataclass(frozen=True)
class Explanation:
    """Why results differ between tiers.

    Attributes:
        test: Pattern of the tests, as of a shell, in which brackets mean themselves.
        way: Pattern of the way that differs from the first one, as "landlock, *".
        verdicts: Verdicts in the other way, "none" for no result; empty if only images or limits differ.
        why: Reason for people.
    """

    test: str
    way: str
    verdicts: tuple[str, ...]
    why: str

    def covers(self, difference: Difference) -> bool:
        """Return whether this explains a difference."""
        before, after = difference.before, difference.after
        if not fnmatchcase(difference.test, self.test.replace("[", "[[]")):
            return False
        if not fnmatchcase(str(difference.ways[1]), self.way):
            return False
        first, second = (one.verdict if one is not None else "none" for one in (before, after))
        return second in self.verdicts if self.verdicts else first == second


def read_records(*files: Path) -> list[Record]:
    """Return the lines of recordings."""
    lines = (json.loads(line) for file in files for line in file.read_text().splitlines())
    return [
        Record(
            line["test"],
            Way(line["user"], line["tier"]),
            line["ordinal"],
            line["verdict"],
            line["limit"],
            tuple(line["pictures"]),
            line["racing"],
        )
        for line in lines
    ]


def differences(before: Iterable[Record], after: Iterable[Record]) -> list[Difference]:
    """Return the results that are not the same in both recordings, less those of tests that are racing."""
    first, second = _by_place(before), _by_place(after)
    found = []
    for place in sorted(first.keys() | second.keys()):
        way, test, ordinal = place
        one, other = first.get(place), second.get(place)
        if not _same(one, other):
            found.append(Difference(test, ordinal, one, other, (way, way)))
    return found


def differences_of_tiers(records: Iterable[Record]) -> list[Difference]:
    """Return the results that are not those of the same test in the strongest tier as root.

    A test that was not run in a way is not compared in it.
    """
    ways: dict[str, dict[Way, dict[str, Record]]] = defaultdict(lambda: defaultdict(dict))
    for one in records:
        ways[one.test][one.way][one.ordinal] = one
    found = []
    for test in sorted(ways):
        base, *others = sorted(ways[test], key=_strength)
        for other in others:
            first, second = ways[test][base], ways[test][other]
            for ordinal in sorted(first.keys() | second.keys()):
                one, two = first.get(ordinal), second.get(ordinal)
                if not _same(one, two):
                    found.append(Difference(test, ordinal, one, two, (base, other)))
    return found


def read_explanations(file: Path = EXPLAINED) -> list[Explanation]:
    """Return the explained differences between tiers."""
    return [
        Explanation(one["test"], one.get("way", "*"), tuple(one.get("verdicts", ())), one["why"])
        for one in tomllib.loads(file.read_text()).get("difference", [])
    ]


def unexplained(found: Iterable[Difference], explanations: Sequence[Explanation]) -> list[Difference]:
    """Return the differences that no explanation covers."""
    return [one for one in found if not any(known.covers(one) for known in explanations)]


def needless(
    found: Sequence[Difference], explanations: Sequence[Explanation], records: Iterable[Record]
) -> Iterator[Explanation]:
    """Yield the explanations of tests that were recorded in several ways and do not differ in any."""
    ways: dict[str, set[Way]] = defaultdict(set)
    for record in records:
        ways[record.test].add(record.way)
    several = [test for test, recorded in ways.items() if len(recorded) > 1]
    for known in explanations:
        pattern = known.test.replace("[", "[[]")
        recorded = any(fnmatchcase(test, pattern) for test in several)
        if recorded and not any(known.covers(one) for one in found):
            yield known


def _same(one: Record | None, other: Record | None) -> bool:
    if any(record is not None and record.racing for record in (one, other)):
        return True
    return one is not None and other is not None and one.result == other.result


def _by_place(records: Iterable[Record]) -> dict[tuple[Way, str, str], Record]:
    return {(record.way, record.test, record.ordinal): record for record in records}


def _strength(way: Way) -> tuple[bool, bool]:
    return way.user != "root", way.tier == "landlock"
