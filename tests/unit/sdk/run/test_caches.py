"""Bytes by name in folders and stores: whole or not there, bounded, shared by processes."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from i2s_sdk.errors import ServiceError, ServiceUnavailableError
from i2s_sdk.run.caches import (
    MACHINE_VERDICTS,
    CachedRenderer,
    CacheSize,
    ComparedPair,
    FolderEntries,
    ObjectEntries,
    ScoreCache,
    on_disk,
    render_key,
)
from i2s_wire.metrics.description import MetricDescription, MetricsDescription
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import Direction, MetricFailure, MetricFailureKind, MetricResult, SizePolicy
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.isolation import Isolation, IsolationTier
from i2s_wire.render.options import LatexOptions, PageOptions, RenderOptions
from i2s_wire.render.rendering import Engine, LogExcerpt, Picture, Rendering, Stage, Verdict
from i2s_wire.render.request import LatexSource, RenderRequest, SiteSource
from i2s_wire.render.resources import Limits, Usage
from i2s_wire.render.site import SiteResult

MUCH = 1 << 30


def key(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def only_file(folder: Path) -> Path:
    (found,) = (path for path in folder.glob("*/*") if not path.name.startswith("."))
    return found


@pytest.fixture(params=["folder", "memory", "file"])
def entries(request: pytest.FixtureRequest, tmp_path: Path) -> FolderEntries | ObjectEntries:
    if request.param == "folder":
        return FolderEntries(tmp_path / "cache", MUCH)
    if request.param == "file":
        return ObjectEntries((tmp_path / "cache").as_uri())
    return ObjectEntries(f"memory://caches/{tmp_path.name}")


def test_what_was_written_is_read_by_its_name_alone(entries: FolderEntries | ObjectEntries) -> None:
    assert entries.read(key(1)) is None
    assert entries.size() == CacheSize(0, 0)
    entries.write(key(1), b"one")
    entries.write(key(2), b"")
    assert (entries.read(key(1)), entries.read(key(2)), entries.read(key(3))) == (b"one", b"", None)
    entries.write(key(1), b"another")
    assert entries.read(key(1)) == b"another"
    assert entries.size().entries == 2
    entries.clear()
    assert entries.read(key(1)) is None
    assert entries.size() == CacheSize(0, 0)
    entries.clear()


@pytest.mark.parametrize("damage", ["truncated", "empty", "changed", "longer", "of another name"])
def test_a_damaged_entry_is_none_and_is_removed(tmp_path: Path, damage: str) -> None:
    entries = FolderEntries(tmp_path, MUCH)
    entries.write(key(1), b"content" * 100)
    path = only_file(tmp_path)
    whole = path.read_bytes()
    if damage == "of another name":
        entries.write(key(2), b"content" * 100)
        other = tmp_path / key(2)[:2] / key(2)
        path.write_bytes(other.read_bytes())
    else:
        middle = len(whole) // 2
        changed = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
        kinds = {"truncated": whole[:-1], "empty": b"", "changed": changed, "longer": whole + b"x"}
        path.write_bytes(kinds[damage])
    assert entries.read(key(1)) is None
    assert not path.exists()


def test_a_damaged_object_is_none_and_is_removed(tmp_path: Path) -> None:
    entries = ObjectEntries(tmp_path.as_uri())
    entries.write(key(1), b"content")
    path = tmp_path / key(1)[:2] / key(1)
    path.write_bytes(path.read_bytes()[:-1])
    assert entries.read(key(1)) is None
    assert not path.exists()


def test_a_folder_stays_within_its_bound_and_loses_what_was_not_used_for_longest(tmp_path: Path) -> None:
    size = on_disk(10_000)
    entries = FolderEntries(tmp_path, 8 * size)
    for number in range(8):
        entries.write(key(number), b"x" * 9_000)
        old = 1_000_000 + number
        os.utime(tmp_path / key(number)[:2] / key(number), (old, old))
    assert entries.read(key(0)) is not None, "a read makes an entry young"
    entries.write(key(8), b"x" * 9_000)
    found = entries.size()
    assert (found.entries, found.bytes) == (7, 7 * size)
    assert found.oldest <= found.newest
    left = [number for number in range(9) if entries.read(key(number)) is not None]
    assert left == [0, 3, 4, 5, 6, 7, 8]


def test_an_entry_larger_than_the_bound_is_not_kept_and_a_bound_of_0_keeps_nothing(tmp_path: Path) -> None:
    entries = FolderEntries(tmp_path, 8192)
    entries.write(key(1), b"x" * 8192)
    FolderEntries(tmp_path, 0).write(key(2), b"")
    assert entries.size() == CacheSize(0, 0)


def test_half_of_a_small_disk_is_left_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = FolderEntries(tmp_path, MUCH)
    disk = 10 * 4096

    def usage(path: object) -> SimpleNamespace:
        return SimpleNamespace(free=disk - entries.size().bytes)

    monkeypatch.setattr("shutil.disk_usage", usage)
    for number in range(9):
        entries.write(key(number), b"x")
        assert entries.size().bytes <= disk // 2
    assert entries.size().entries > 2


def test_while_another_process_removes_entries_a_write_removes_none(tmp_path: Path) -> None:
    entries = FolderEntries(tmp_path, 2 * 4096)
    entries.write(key(1), b"1")
    with (tmp_path / ".lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for number in (2, 3, 4):
            entries.write(key(number), b"x")
        assert entries.size().entries == 4
    entries.write(key(5), b"x")
    assert entries.size().bytes <= 2 * 4096


def test_what_a_killed_process_left_unfinished_is_removed_when_it_is_old(tmp_path: Path) -> None:
    entries = FolderEntries(tmp_path, MUCH)
    entries.write(key(1), b"1")
    old, new = (only_file(tmp_path).parent / name for name in (".new-old", ".new-new"))
    for one in (old, new):
        one.write_bytes(b"half")
    os.utime(old, (1_000_000, 1_000_000))
    entries.trim()
    assert (old.exists(), new.exists()) == (False, True)
    assert entries.size().entries == 1


def test_a_file_in_place_of_the_folder_costs_nothing_but_the_cache(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    entries = FolderEntries(tmp_path / "cache", MUCH)
    entries.write(key(1), b"1")
    assert entries.read(key(1)) is None


WRITE = """
import hashlib, sys
from pathlib import Path
from i2s_sdk.run.caches import FolderEntries
entries = FolderEntries(Path(sys.argv[1]), 40 * 4096)
for turn in range(3):
    for number in range(60):
        key = hashlib.sha256(str(number).encode()).hexdigest()
        kept = entries.read(key)
        assert kept in (None, key.encode() * 20), kept
        entries.write(key, key.encode() * 20)
"""


def test_processes_that_share_a_folder_read_only_whole_entries_and_stay_within_the_bound(
    tmp_path: Path,
) -> None:
    several = [subprocess.Popen([sys.executable, "-c", WRITE, str(tmp_path)]) for _ in range(3)]
    assert [one.wait() for one in several] == [0, 0, 0]
    entries = FolderEntries(tmp_path, 40 * 4096)
    entries.trim()
    assert 0 < entries.size().bytes <= 40 * 4096


def test_a_store_that_does_not_answer_is_asked_once_and_costs_nothing_but_the_cache(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no folder")
    entries = ObjectEntries((tmp_path / "file").as_uri())
    entries.write(key(1), b"1")
    entries.write(key(2), b"2")
    assert entries.read(key(1)) is None
    assert caplog.text.count("the cache is not used from here on") == 1


def test_a_store_that_may_be_asked_again_is_asked_after_the_pause(tmp_path: Path) -> None:
    now = 0.0
    (tmp_path / "file").write_text("no folder")
    entries = ObjectEntries((tmp_path / "file").as_uri(), pause_seconds=30, clock=lambda: now)
    entries.write(key(1), b"1")
    (tmp_path / "file").unlink()
    now = 29.0
    entries.write(key(1), b"1")
    assert not (tmp_path / "file").exists()
    now = 30.0
    entries.write(key(1), b"1")
    assert entries.read(key(1)) == b"1"


ENGINE = Engine("pdftex", "1.40", "d1")
SANDBOX = Isolation(IsolationTier.NAMESPACE, ("seccomp",))
DESCRIPTION = RendererDescription(
    service="render-latex",
    version="0.1.0",
    engine=ENGINE,
    versions={},
    fonts_digest="f1",
    isolation=SANDBOX,
    default_limits=Limits(cpu_seconds=10, pixels=100),
    max_limits=Limits(cpu_seconds=60, pixels=1000),
    sources=("latex",),
    max_request_bytes=1000,
    slots=1,
    queue=1,
    warm=(),
)
REQUEST = RenderRequest(LatexSource(b"x", {"a.png": b"1"}), RenderOptions(), Limits(pages=2), "sample-1")
RENDERING = Rendering(
    Verdict.RENDERED_WITH_ERRORS,
    "it was drawn",
    (Picture(b"png", 3, 4, sha256="abc", text="x"),),
    total_pages=1,
    log=LogExcerpt("head", "tail", 9),
    stages=(Stage("compile", Usage(1.5, 0.25), "format"),),
    usage=Usage(1.5, 0.25, 7, 2, 0.125),
    engine=ENGINE,
    isolation=SANDBOX,
)


class Counted:
    """A renderer that counts its calls."""

    def __init__(self, answer: Rendering) -> None:
        self.answer, self.calls = answer, 0

    async def render(self, request: RenderRequest) -> Rendering:
        self.calls += 1
        return self.answer


def cached(renderer: Counted, folder: Path, description: RendererDescription = DESCRIPTION) -> CachedRenderer:
    return CachedRenderer(renderer, FolderEntries(folder, 1 << 20), description, Profile.PAPER)


async def test_an_answer_that_is_kept_is_the_same_to_the_last_byte_for_every_id(tmp_path: Path) -> None:
    renderer = Counted(RENDERING)
    first = await cached(renderer, tmp_path).render(REQUEST)
    again = await cached(renderer, tmp_path).render(replace(REQUEST, id="sample-2"))
    assert first == again == RENDERING
    assert renderer.calls == 1


@pytest.mark.parametrize("verdict", Verdict, ids=lambda one: one.name)
async def test_only_what_no_other_machine_answers_otherwise_is_kept(tmp_path: Path, verdict: Verdict) -> None:
    renderer = Counted(replace(RENDERING, verdict=verdict))
    for _ in range(2):
        assert await cached(renderer, tmp_path).render(REQUEST) == renderer.answer
    names = {"TIME_LIMIT", "MEMORY_LIMIT", "PROCESS_LIMIT", "CRASHED"}
    assert {machine_verdict.name for machine_verdict in MACHINE_VERDICTS} == names
    assert renderer.calls == (2 if verdict.name in names else 1)


@pytest.mark.parametrize(("settled", "calls"), [(True, 1), (False, 2)])
async def test_a_page_that_did_not_come_to_rest_is_not_kept(
    tmp_path: Path, settled: bool, calls: int
) -> None:
    renderer = Counted(replace(RENDERING, site=SiteResult(settled=settled)))
    for _ in range(2):
        await cached(renderer, tmp_path).render(REQUEST)
    assert renderer.calls == calls


@pytest.mark.parametrize(
    "other",
    [
        replace(RENDERING, engine=replace(ENGINE, digest="d2")),
        replace(RENDERING, isolation=Isolation(IsolationTier.LANDLOCK)),
    ],
    ids=["engine", "tier"],
)
async def test_the_answer_of_another_renderer_than_the_described_one_is_not_kept(
    tmp_path: Path, other: Rendering
) -> None:
    renderer = Counted(other)
    for _ in range(2):
        await cached(renderer, tmp_path).render(REQUEST)
    assert renderer.calls == 2


async def test_a_renderer_without_a_digest_is_asked_every_time(tmp_path: Path) -> None:
    nameless = Engine("pdftex", "1.40", "")
    renderer = Counted(replace(RENDERING, engine=nameless))
    for _ in range(2):
        await cached(renderer, tmp_path, replace(DESCRIPTION, engine=nameless)).render(REQUEST)
    assert renderer.calls == 2


async def test_a_status_is_not_kept(tmp_path: Path) -> None:
    class Down(Counted):
        async def render(self, request: RenderRequest) -> Rendering:
            self.calls += 1
            raise ServiceUnavailableError("down", address="a", method="Render", status="UNAVAILABLE")

    renderer = Down(RENDERING)
    for _ in range(2):
        with pytest.raises(ServiceError):
            await cached(renderer, tmp_path).render(REQUEST)
    assert renderer.calls == 2
    assert list(tmp_path.iterdir()) == []


async def test_an_entry_that_is_no_answer_is_rendered_and_written_again(tmp_path: Path) -> None:
    entries = FolderEntries(tmp_path, 1 << 20)
    entries.write(render_key(REQUEST, DESCRIPTION, Profile.PAPER), b"\xff no message")
    renderer = Counted(RENDERING)
    for _ in range(2):
        assert await cached(renderer, tmp_path).render(REQUEST) == RENDERING
    assert renderer.calls == 1


REQUESTS = {
    "source": replace(REQUEST, source=LatexSource(b"y", {"a.png": b"1"})),
    "file": replace(REQUEST, source=LatexSource(b"x", {"a.png": b"2"})),
    "kind": replace(REQUEST, source=SiteSource({"x": b"x"})),
    "options": replace(REQUEST, options=RenderOptions(page=PageOptions(dpi=99))),
    "text": replace(REQUEST, options=RenderOptions(latex=LatexOptions(want_text=True))),
    "limits": replace(REQUEST, limits=Limits(pages=3)),
    "no limits": replace(REQUEST, limits=None),
}
DESCRIPTIONS = {
    "digest": replace(DESCRIPTION, engine=replace(ENGINE, digest="d2")),
    "fonts": replace(DESCRIPTION, fonts_digest="f2"),
    "tier": replace(DESCRIPTION, isolation=Isolation(IsolationTier.LANDLOCK)),
    "service": replace(DESCRIPTION, service="render-other"),
    "version": replace(DESCRIPTION, version="0.2.0"),
    "missing": replace(DESCRIPTION, missing=("a package",)),
    "maximum": replace(DESCRIPTION, max_limits=Limits(cpu_seconds=60, pixels=999)),
}


def test_everything_that_decides_an_answer_decides_its_name() -> None:
    names = [render_key(REQUEST, DESCRIPTION, profile) for profile in Profile]
    names += [render_key(request, DESCRIPTION, Profile.PAPER) for request in REQUESTS.values()]
    names += [render_key(REQUEST, description, Profile.PAPER) for description in DESCRIPTIONS.values()]
    assert len(set(names)) == len(names)


Change = Callable[[RendererDescription], RendererDescription]


@pytest.mark.parametrize(
    "change",
    [
        lambda one: replace(one, slots=8, queue=9),
        lambda one: replace(one, isolation=replace(SANDBOX, mechanisms=("landlock",))),
        lambda one: replace(one, max_limits=replace(one.max_limits, cpu_seconds=99, memory_bytes=1)),
    ],
    ids=["slots", "mechanisms", "limits of time and memory"],
)
def test_what_differs_between_machines_without_deciding_an_answer_decides_no_name(change: Change) -> None:
    other = render_key(replace(REQUEST, id="other"), change(DESCRIPTION), Profile.PAPER)
    assert other == render_key(REQUEST, DESCRIPTION, Profile.PAPER)


PAIR = ComparedPair(b"reference", b"prediction", SizePolicy.PAD, Profile.PAPER)
EMS = MetricResult("ems", 0.1 + 0.2, parts={"block_emd": 1 / 3, "denominator": 7.0}, version="2")
NAMES = ("ems", "ssim")


def cache(folder: Path, service: str = "0.1.0", **versions: str) -> ScoreCache:
    return ScoreCache(FolderEntries(folder, 1 << 20), service, versions or {"ems": "2", "ssim": "2"})


def undefined(kind: MetricFailureKind) -> MetricResult:
    return MetricResult("ssim", failure=MetricFailure(kind, "too small"), version="2")


def test_a_value_that_is_kept_is_the_same_to_the_last_bit(tmp_path: Path) -> None:
    cache(tmp_path).keep(PAIR, [EMS])
    assert cache(tmp_path).known(PAIR, NAMES) == {"ems": EMS}
    assert cache(tmp_path).known(PAIR, ["ssim"]) == {}


@pytest.mark.parametrize("kind", MetricFailureKind, ids=lambda one: one.name)
def test_that_a_metric_is_not_defined_is_kept_and_no_other_failure(
    tmp_path: Path, kind: MetricFailureKind
) -> None:
    cache(tmp_path).keep(PAIR, [undefined(kind)])
    kept = {"ssim": undefined(kind)} if kind is MetricFailureKind.UNDEFINED else {}
    assert cache(tmp_path).known(PAIR, NAMES) == kept


@pytest.mark.parametrize(
    "other",
    [
        replace(PAIR, reference=b"other"),
        replace(PAIR, prediction=b"other"),
        replace(PAIR, reference=PAIR.prediction, prediction=PAIR.reference),
        replace(PAIR, size_policy=SizePolicy.RESIZE),
        replace(PAIR, profile=Profile.HELM),
    ],
    ids=["reference", "prediction", "exchanged", "policy", "profile"],
)
def test_a_value_is_of_its_pair_and_its_rules_alone(tmp_path: Path, other: ComparedPair) -> None:
    cache(tmp_path).keep(PAIR, [EMS])
    assert cache(tmp_path).known(other, NAMES) == {}


def test_another_version_of_a_metric_or_of_the_service_has_its_own_values(tmp_path: Path) -> None:
    cache(tmp_path).keep(PAIR, [EMS])
    assert cache(tmp_path, ems="3").known(PAIR, NAMES) == {}
    assert cache(tmp_path, service="0.2.0").known(PAIR, NAMES) == {}
    cache(tmp_path, ems="3").keep(PAIR, [EMS])
    assert cache(tmp_path, ems="3").known(PAIR, NAMES) == {}, "it is not of the service that was described"


@pytest.mark.parametrize("change", [{"versions": {"numpy": "3"}}, {"device": "cuda:0"}, {"version": "0.2"}])
def test_values_of_other_libraries_or_another_device_are_not_taken(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    ems = MetricDescription(
        "ems", "", "", "2", Direction.HIGHER_IS_BETTER, 0.0, 1.0, False, (), (Profile.PAPER,), True, ""
    )
    described = MetricsDescription("metrics", "0.1", (ems,), {"numpy": "2"}, "cpu", 1, 1, 1, 1)
    entries = FolderEntries(tmp_path, 1 << 20)
    ScoreCache.of(entries, described, Profile.PAPER).keep(PAIR, [EMS])
    assert ScoreCache.of(entries, described, Profile.PAPER).known(PAIR, ["ems"]) == {"ems": EMS}
    other = ScoreCache.of(entries, replace(described, **change), Profile.PAPER)
    assert other.known(PAIR, ["ems"]) == {}


def test_a_metric_without_a_version_is_not_kept(tmp_path: Path) -> None:
    cache(tmp_path, ems="2").keep(PAIR, [replace(EMS, name="own", version="")])
    assert list(tmp_path.iterdir()) == []
