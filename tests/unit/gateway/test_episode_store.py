"""The episodes that a gateway keeps: whose they are, how many, how long, and over its end."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from faulty_folder import FaultyFolder
from i2s_gateway.episode_store import EpisodeBounds, EpisodeStore, StoredEpisode
from i2s_gateway.guard import GatewayError
from i2s_sdk.errors import StoreError, WriteError
from i2s_sdk.run.storage.interface import open_storage
from i2s_sdk.run.storage.local import LocalStorage
from i2s_training.episode import EpisodeRules, EpisodeState

BOUNDS = EpisodeBounds(count=4, each=2, size=100_000, seconds=60.0)
OPENING = {"items": [{"task": "latex"}]}
RULES = EpisodeRules(3, "best")


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


PASSING = [OSError(5, "Input/output error"), PermissionError(13, "denied"), StoreError("away")]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(clock: Clock) -> EpisodeStore:
    return EpisodeStore(BOUNDS, clock=clock)


def status_of(error: pytest.ExceptionInfo[GatewayError]) -> int:
    return error.value.http


def test_an_episode_is_as_it_was_kept(store: EpisodeStore) -> None:
    episode = store.add("a", OPENING, RULES)
    state = EpisodeState((0.5, 0.25), "abc", "a service is gone", done=False)
    store.put(store.get("a", episode.id), state)
    again = store.get("a", episode.id)
    assert (again.state, again.rules, again.opening) == (state, RULES, OPENING)


def test_names_cannot_be_guessed_and_differ(store: EpisodeStore) -> None:
    names = {store.add(owner, OPENING, RULES).id for owner in "aabb"}
    assert len(names) == 4
    assert {len(name) for name in names} == {32}


def test_an_episode_of_another_caller_is_as_one_that_does_not_exist(store: EpisodeStore) -> None:
    episode = store.add("a", OPENING, RULES)
    with pytest.raises(GatewayError) as foreign:
        store.get("b", episode.id)
    with pytest.raises(GatewayError) as missing:
        store.get("b", "x" * 32)
    assert (status_of(foreign), foreign.value.message) == (status_of(missing), missing.value.message)
    with pytest.raises(GatewayError):
        store.remove("b", episode.id)
    assert store.get("a", episode.id) == episode


@pytest.mark.parametrize("name", ["", ".", "../secret", "a/b", "x" * 31, "x" * 33, "é" * 32, "\0" * 32])
def test_what_is_no_name_reads_no_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.json").write_bytes(StoredEpisode("secret", "a", 9e9, OPENING, RULES).to_json())
    store = EpisodeStore(BOUNDS, open_storage(tmp_path / "store"))
    with pytest.raises(GatewayError) as error:
        store.get("a", name)
    assert status_of(error) == 404


def test_a_caller_has_no_more_than_its_number_and_others_still_have_theirs(
    store: EpisodeStore, clock: Clock
) -> None:
    first = store.add("a", OPENING, RULES)
    clock.now += 50
    store.add("a", OPENING, RULES)
    with pytest.raises(GatewayError, match="2 episodes of yours are open") as error:
        store.add("a", OPENING, RULES)
    assert (status_of(error), error.value.retry_after_seconds) == (429, 10.0)
    store.add("b", OPENING, RULES)
    store.remove("a", first.id)
    store.add("a", OPENING, RULES)


def test_all_callers_have_no_more_than_the_number_of_all(store: EpisodeStore) -> None:
    for owner in "aabb":
        store.add(owner, OPENING, RULES)
    with pytest.raises(GatewayError) as error:
        store.add("c", OPENING, RULES)
    assert status_of(error) == 429


def test_bytes_are_bounded_for_one_episode_for_a_caller_and_for_all(clock: Clock) -> None:
    store = EpisodeStore(replace(BOUNDS, count=100, each=100, size=10_000), clock=clock)
    large = {"items": [{"reference": "x" * 3000}]}
    with pytest.raises(GatewayError) as error:
        store.add("a", {"items": [{"reference": "x" * 5000}]}, RULES)
    assert status_of(error) == 413
    store.add("a", large, RULES)
    with pytest.raises(GatewayError) as error:
        store.add("a", large, RULES)
    assert status_of(error) == 429
    store.add("b", large, RULES)
    store.add("c", large, RULES)
    with pytest.raises(GatewayError) as error:
        store.add("d", large, RULES)
    assert status_of(error) == 429


def test_an_episode_is_gone_after_its_time_and_use_begins_it_anew(store: EpisodeStore, clock: Clock) -> None:
    episode = store.add("a", OPENING, RULES)
    clock.now += 59
    store.put(store.get("a", episode.id), EpisodeState((0.5,)))
    clock.now += 59
    assert store.get("a", episode.id).state.rewards == (0.5,)
    clock.now += 1
    with pytest.raises(GatewayError) as error:
        store.get("a", episode.id)
    assert status_of(error) == 404
    for _ in range(2):
        store.add("a", OPENING, RULES)


def test_a_step_is_alone_and_an_end_waits_for_it(store: EpisodeStore) -> None:
    episode = store.add("a", OPENING, RULES)
    with store.alone(episode.id):
        for use in (lambda: store.alone(episode.id).__enter__(), lambda: store.remove("a", episode.id)):
            with pytest.raises(GatewayError, match="under way") as error:
                use()
            assert status_of(error) == 409
    store.remove("a", episode.id)
    with pytest.raises(GatewayError):
        store.put(episode, EpisodeState())


@pytest.mark.parametrize("where", ["folder", "url"])
def test_episodes_in_a_store_outlive_the_gateway_with_their_time_and_bounds(
    tmp_path: Path, clock: Clock, where: str
) -> None:
    place = tmp_path / "store" if where == "folder" else f"file://{tmp_path}/store"
    before = EpisodeStore(BOUNDS, open_storage(place), clock)
    episode, other = before.add("a", OPENING, RULES), before.add("a", OPENING, RULES)
    before.put(episode, EpisodeState((0.5,)))
    clock.now += 30
    after = EpisodeStore(BOUNDS, open_storage(place), clock)
    after.sweep()
    assert after.get("a", episode.id).state.rewards == (0.5,)
    with pytest.raises(GatewayError) as error:
        after.add("a", OPENING, RULES)
    assert status_of(error) == 429
    with pytest.raises(GatewayError):
        after.get("b", other.id)
    clock.now += 31
    assert len(after.add("a", OPENING, RULES).id) == 32
    after.sweep()
    assert {path.name for path in (tmp_path / "store").glob("*.json")}.isdisjoint({f"{episode.id}.json"})


def test_gateways_with_one_store_see_the_steps_of_each_other(tmp_path: Path, clock: Clock) -> None:
    one, other = (EpisodeStore(BOUNDS, open_storage(tmp_path), clock) for _ in range(2))
    episode = one.add("a", OPENING, RULES)
    other.put(other.get("a", episode.id), EpisodeState((0.5,)))
    clock.now += 59
    other.put(other.get("a", episode.id), EpisodeState((0.5, 0.75)))
    clock.now += 59  # later than what the first has noted
    one.sweep()
    assert one.get("a", episode.id).state.rewards == (0.5, 0.75)


def test_a_damaged_file_of_a_store_is_no_episode(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / ("x" * 32 + ".json")).write_text('{"id": 1}')
    (tmp_path / ("y" * 32 + ".json")).write_text("[")
    store = EpisodeStore(BOUNDS, open_storage(tmp_path))
    for _ in range(2):
        store.sweep()
    assert len(caplog.messages) == 2
    assert len(list(tmp_path.glob("*.json"))) == 2
    with pytest.raises(GatewayError) as error:
        store.get("a", "x" * 32)
    assert status_of(error) == 404


def test_an_episode_that_is_damaged_later_is_told_once(
    tmp_path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    store = EpisodeStore(BOUNDS, open_storage(tmp_path), clock)
    episode = store.add("a", OPENING, RULES)
    (tmp_path / f"{episode.id}.json").write_text("[")
    clock.now += 60
    for _ in range(2):
        store.sweep()
    assert len(caplog.messages) == 1
    assert (tmp_path / f"{episode.id}.json").exists()


@pytest.mark.parametrize("fault", PASSING, ids=lambda one: type(one).__name__)
def test_a_store_that_cannot_be_read_for_a_moment_costs_no_episode(
    tmp_path: Path, clock: Clock, fault: Exception
) -> None:
    folder = FaultyFolder(tmp_path)
    store = EpisodeStore(BOUNDS, folder, clock)
    episode = store.add("a", OPENING, RULES)
    folder.fault = fault
    for use in (
        lambda: store.get("a", episode.id),
        lambda: store.remove("a", episode.id),
        lambda: EpisodeStore(BOUNDS, folder, clock).get("a", episode.id),
    ):
        with pytest.raises(GatewayError) as error:
            use()
        assert (status_of(error), error.value.retry_after_seconds) == (503, 1.0)
    clock.now += 59
    folder.fault = None
    other = EpisodeStore(BOUNDS, LocalStorage(tmp_path), clock)
    other.put(other.get("a", episode.id), EpisodeState((0.5,)))  # at another gateway
    clock.now += 59
    folder.fault = fault
    store.sweep()  # what this one has noted is over
    folder.fault = None
    assert store.get("a", episode.id).state.rewards == (0.5,)
    store.put(store.get("a", episode.id), EpisodeState((0.5, 0.75)))


def test_what_was_removed_elsewhere_is_gone_and_leaves_its_place(tmp_path: Path) -> None:
    store = EpisodeStore(BOUNDS, open_storage(tmp_path))
    names = [store.add("a", OPENING, RULES).id for _ in range(2)]
    other = EpisodeStore(BOUNDS, open_storage(tmp_path))
    for name in names:
        other.remove("a", name)
        with pytest.raises(GatewayError) as error:
            store.get("a", name)
        assert status_of(error) == 404
    for _ in range(2):
        store.add("a", OPENING, RULES)


def test_the_start_waits_for_no_store_and_a_sweep_removes_what_is_over(tmp_path: Path, clock: Clock) -> None:
    before = EpisodeStore(BOUNDS, open_storage(tmp_path), clock)
    over = before.add("a", OPENING, RULES)
    clock.now += 40
    current = before.add("a", OPENING, RULES)
    clock.now += 30
    folder = FaultyFolder(tmp_path)
    folder.fault = StoreError("away")
    after = EpisodeStore(BOUNDS, folder, clock)
    after.sweep()
    folder.fault = None
    assert after.get("a", current.id) == current
    with pytest.raises(GatewayError) as error:
        after.get("a", over.id)
    assert status_of(error) == 404
    after.sweep()
    assert {path.name for path in tmp_path.glob("*.json")} == {f"{current.id}.json"}


def test_one_episode_that_cannot_be_read_keeps_a_sweep_from_no_other(tmp_path: Path, clock: Clock) -> None:
    before = EpisodeStore(BOUNDS, open_storage(tmp_path), clock)
    kept = {before.add(owner, OPENING, RULES).id for owner in "ab"}
    blocked = tmp_path / f"{'-' * 32}.json"
    blocked.mkdir()  # first in order, and IsADirectoryError
    clock.now += 60
    EpisodeStore(BOUNDS, open_storage(tmp_path), clock).sweep()
    assert {path.name for path in tmp_path.glob("*.json")}.isdisjoint({f"{one}.json" for one in kept})
    assert blocked.exists()


def test_episodes_of_a_store_that_are_over_take_no_place_before_they_are_removed(
    tmp_path: Path, clock: Clock
) -> None:
    folder = FaultyFolder(tmp_path)
    store = EpisodeStore(BOUNDS, folder, clock)
    for _ in range(2):
        store.add("a", OPENING, RULES)
    clock.now += 60
    store.add("a", OPENING, RULES)


@pytest.mark.parametrize("fault", [WriteError("/x", OSError(28, "No space left")), StoreError("away")])
def test_an_episode_that_could_not_be_kept_takes_no_place(tmp_path: Path, fault: Exception) -> None:
    folder = FaultyFolder(tmp_path)
    store = EpisodeStore(BOUNDS, folder)
    folder.fault = fault
    for _ in range(3):
        with pytest.raises(GatewayError) as error:
            store.add("a", OPENING, RULES)
        assert status_of(error) == 503
    folder.fault = None
    for _ in range(2):
        store.add("a", OPENING, RULES)


def test_a_step_that_could_not_be_kept_leaves_the_episode_as_it_was(tmp_path: Path, clock: Clock) -> None:
    folder = FaultyFolder(tmp_path)
    store = EpisodeStore(BOUNDS, folder, clock)
    episode = store.add("a", OPENING, RULES)
    clock.now += 30
    folder.fault = StoreError("away")
    with pytest.raises(GatewayError) as error:
        store.put(episode, EpisodeState((0.5,)))
    assert status_of(error) == 503
    folder.fault = None
    assert store.get("a", episode.id) == episode
    clock.now += 30
    store.sweep()
    assert not list(tmp_path.glob("*.json"))


@pytest.mark.parametrize("call", ["get", "add", "remove", "put", "sweep"])
def test_a_store_that_hangs_keeps_nobody_from_what_needs_no_store(
    tmp_path: Path, clock: Clock, call: str
) -> None:
    folder = FaultyFolder(tmp_path)
    store = EpisodeStore(BOUNDS, folder, clock)
    episode, other = store.add("a", OPENING, RULES), store.add("b", OPENING, RULES)
    if call == "sweep":
        clock.now += 60
    folder.hangs = threading.Event()
    calls = {
        "get": lambda: store.get("a", episode.id),
        "add": lambda: store.add("a", OPENING, RULES),
        "remove": lambda: store.remove("a", episode.id),
        "put": lambda: store.put(episode, EpisodeState()),
        "sweep": store.sweep,
    }
    hanging = threading.Thread(target=calls[call], daemon=True)
    hanging.start()
    assert folder.called.wait(30)

    def take() -> None:
        with store.alone(other.id):
            taken.set()

    taken = threading.Event()
    threading.Thread(target=take, daemon=True).start()
    entered = taken.wait(30)
    folder.hangs.set()
    hanging.join(30)
    assert entered
